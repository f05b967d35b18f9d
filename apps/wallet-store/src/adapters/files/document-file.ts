import {
  isJsonObject,
  parseJsonBytes,
  unreadableJsonFaults,
  urlFault,
  type Fault,
  type JsonObject,
  type JsonValue,
} from '@vestibule/foundation';
import { readConfigurationFile } from '@vestibule/process';

const LIMITS = { maxDepth: 64, maxLength: 16_777_216 };

/** What a file of documents must hold. */
export interface DocumentFile {
  /** What its URLs lead to, in the plural. */
  readonly what: string;
  /** The error that ends the start, with every fault. */
  readonly broken: (faults: readonly Fault[]) => Error;
  /** What is wrong with one document; undefined if nothing is. */
  readonly fault: (url: string, document: JsonValue) => Fault | undefined;
}

function faultAt(url: string, document: JsonValue, { fault }: DocumentFile): Fault[] {
  const message = urlFault(url);
  const found = message === undefined ? fault(url, document) : { path: url, message };
  return found ? [found] : [];
}

/**
 * An allow-list of the operator, `{address: document}`: what is not in it is never fetched. Throws `broken` with every
 * fault; without a file the list is empty.
 */
export async function readDocumentFile(
  file: string | undefined,
  kind: DocumentFile,
): Promise<ReadonlyMap<string, JsonObject>> {
  if (file === undefined) return new Map();
  const bytes = readConfigurationFile(file, (message) => kind.broken([{ path: file, message }]));
  const documents = parseJsonBytes(bytes, LIMITS);
  const noObject = { path: file, message: `must be a JSON object that maps URLs to ${kind.what}` };
  if (!isJsonObject(documents)) throw kind.broken(unreadableJsonFaults(bytes, noObject, LIMITS));
  const faults = Object.entries(documents).flatMap(([url, document]) => faultAt(url, document, kind));
  if (faults.length > 0) throw kind.broken(faults);
  return new Map(Object.entries(documents) as [string, JsonObject][]);
}
