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

const MOST_NAMED = 5;

/** What is wrong with a file, for a log line; a file that holds something else altogether has a fault in each entry. */
export function faultsSentence(faults: readonly Fault[]): string {
  const named = faults.slice(0, MOST_NAMED).map(({ path, message }) => `${path} ${message}`);
  const rest = faults.length - named.length;
  return [...named, ...(rest > 0 ? [`and ${rest} more`] : [])].join('; ');
}

/** The documents that the operator lists as text: only then are their exact bytes known. */
const exactTexts = new WeakMap<JsonObject, string>();

/**
 * The texts that a listed document may have: the one that is listed, else those that programs usually write: compact, or
 * indented by two, with or without a line feed at the end.
 */
export function textsOf(document: JsonObject): readonly string[] {
  const exact = exactTexts.get(document);
  if (exact !== undefined) return [exact];
  return [JSON.stringify(document), JSON.stringify(document, undefined, 2)].flatMap((text) => [text, `${text}\n`]);
}

/** The document of an entry, which may be its text. */
function documentIn(entry: JsonValue): JsonValue {
  if (typeof entry !== 'string') return entry;
  const document = parseJsonBytes(Buffer.from(entry, 'utf8'), LIMITS);
  if (isJsonObject(document)) exactTexts.set(document, entry);
  return document ?? entry;
}

function faultAt(url: string, document: JsonValue, { fault }: DocumentFile): Fault[] {
  const message = urlFault(url);
  const found = message === undefined ? fault(url, document) : { path: url, message };
  return found ? [found] : [];
}

/**
 * An allow-list of the operator, `{address: document}`, or `{address: text}` with the exact text of the document: what
 * is not in it is never fetched. Throws `broken` with every fault; without a file the list is empty.
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
  const listed = Object.entries(documents).map(([url, entry]) => [url, documentIn(entry)] as const);
  const faults = listed.flatMap(([url, document]) => faultAt(url, document, kind));
  if (faults.length > 0) throw kind.broken(faults);
  return new Map(listed as [string, JsonObject][]);
}
