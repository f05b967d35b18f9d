import {
  isJsonObject,
  ownMember,
  parseJsonBytes,
  unreadableJsonFaults,
  webNameFault,
  type Fault,
  type JsonObject,
} from '@vestibule/foundation';
import { matchesIntegrity } from './integrity';

/** One Type Metadata document that the operator keeps, and the place that its faults are reported for. */
export interface TypeDocument {
  readonly place: string;
  readonly bytes: Uint8Array;
}

/** What documents say of types: which one extends which, and the exact bytes of each. */
export interface TypeExtensions {
  /** The type that each extends; types that extend none are left out. */
  readonly parents: ReadonlyMap<string, string>;
  readonly documents: ReadonlyMap<string, Uint8Array>;
}

const LIMITS = { maxDepth: 32, maxLength: 1_048_576 };

interface Read {
  readonly place: string;
  readonly bytes: Uint8Array;
  readonly vct: string;
  readonly extended: string | undefined;
  readonly integrity: string | undefined;
}

function readName(document: JsonObject, member: string, at: (message: string) => void): string | undefined {
  const name = ownMember(document, member);
  if (name === undefined) return undefined;
  const fault = typeof name === 'string' && name !== '' ? webNameFault(name) : 'must be the name of a type';
  if (fault !== undefined) at(fault);
  return typeof name === 'string' ? name : undefined;
}

function readDocument({ place, bytes }: TypeDocument, faults: Fault[]): Read | undefined {
  const at = (member: string) => (message: string) => void faults.push({ path: `${place}: ${member}`, message });
  const document = parseJsonBytes(bytes, LIMITS);
  if (!isJsonObject(document)) {
    faults.push(...unreadableJsonFaults(bytes, { path: place, message: 'must be a JSON object in UTF-8' }, LIMITS));
    return undefined;
  }
  const vct = readName(document, 'vct', at('vct'));
  const extended = readName(document, 'extends', at('extends'));
  const integrity = ownMember(document, 'extends#integrity');
  if (integrity !== undefined && typeof integrity !== 'string') at('extends#integrity')('must be a string');
  if (vct === undefined) {
    if (!Object.hasOwn(document, 'vct')) at('vct')('is required');
    return undefined;
  }
  return { place, bytes, vct, extended, integrity: typeof integrity === 'string' ? integrity : undefined };
}

function integrityFault({ extended, integrity }: Read, documents: TypeExtensions['documents']): string | undefined {
  if (extended === undefined || integrity === undefined) return undefined;
  const bytes = documents.get(extended);
  if (!bytes) return `cannot be checked: the document of ${extended} is not listed`;
  return matchesIntegrity(integrity, bytes) ? undefined : `is not the hash of the document of ${extended}`;
}

/**
 * Reads what Type Metadata documents say of `extends` (SD-JWT VC §6.2, §9.5), and checks `extends#integrity` against the
 * listed document of the extended type. Returns every fault; a circle of types is left to the caller.
 */
export function readTypeExtensions(
  listed: readonly TypeDocument[],
): TypeExtensions & { readonly faults: readonly Fault[] } {
  const faults: Fault[] = [];
  const documents = new Map<string, Uint8Array>();
  const parents = new Map<string, string>();
  const all = listed.flatMap((one) => readDocument(one, faults) ?? []);
  for (const { place, vct, bytes, extended } of all) {
    if (documents.has(vct)) faults.push({ path: `${place}: vct`, message: 'is the type of another listed document' });
    documents.set(vct, bytes);
    if (extended !== undefined) parents.set(vct, extended);
  }
  for (const one of all) {
    const message = integrityFault(one, documents);
    if (message !== undefined) faults.push({ path: `${one.place}: extends#integrity`, message });
  }
  return { parents, documents, faults };
}
