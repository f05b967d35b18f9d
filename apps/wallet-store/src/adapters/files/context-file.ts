import {
  DomainError,
  isJsonObject,
  parseJsonBytes,
  unreadableJsonFaults,
  urlFault,
  type Fault,
  type JsonObject,
} from '@vestibule/foundation';
import { readConfigurationFile } from '@vestibule/process';
import { isBundledContext } from '@vestibule/vcdm';

const LIMITS = { maxDepth: 64, maxLength: 16_777_216 };

function broken(faults: readonly Fault[]): DomainError {
  const detail = 'the file in JSON_LD_CONTEXTS_FILE is invalid';
  return new DomainError({ kind: 'invalid', code: 'context_file_invalid', detail, faults });
}

function fault(url: string, document: unknown): Fault[] {
  const message = urlFault(url);
  if (message !== undefined) return [{ path: url, message }];
  if (isBundledContext(url)) return [{ path: url, message: 'is a built-in context' }];
  const hasContext = isJsonObject(document) && Object.hasOwn(document, '@context');
  return hasContext ? [] : [{ path: url, message: 'must be a JSON object with a member @context' }];
}

/**
 * The operator's allow-list of JSON-LD contexts, `{address: document}`. A context that is not in it stays unknown:
 * nothing is fetched. Throws `context_file_invalid` with every fault; without a file the list is empty.
 */
export async function readContextFile(file: string | undefined): Promise<ReadonlyMap<string, JsonObject>> {
  if (file === undefined) return new Map();
  const bytes = readConfigurationFile(file, (message) => broken([{ path: file, message }]));
  const contexts = parseJsonBytes(bytes, LIMITS);
  const noObject = { path: file, message: 'must be a JSON object that maps URLs to contexts' };
  if (!isJsonObject(contexts)) throw broken(unreadableJsonFaults(bytes, noObject, LIMITS));
  const faults = Object.entries(contexts).flatMap(([url, document]) => fault(url, document));
  if (faults.length > 0) throw broken(faults);
  return new Map(Object.entries(contexts) as [string, JsonObject][]);
}
