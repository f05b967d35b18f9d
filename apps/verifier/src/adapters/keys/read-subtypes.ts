import { parseVctSubtypes, type VctSubtypes } from '@vestibule/dcql';
import { isJsonObject, memberPath, webNameFault, type Fault, type JsonValue } from '@vestibule/foundation';
import { readTypeExtensions, type TypeDocument } from '@vestibule/sd-jwt-vc';

const escaped = (text: string): string =>
  text
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('');

/** As a string in JSON, in which everything can be seen. */
const quoted = (name: string): string => JSON.stringify(name).replace(/[\p{Cc}\p{Cf}]|[^\S ]/gu, escaped);

function nameFaults(place: string, subtypes: VctSubtypes): Fault[] {
  return [...subtypes].flatMap(([vct, above]) =>
    [vct, ...above].flatMap((name) => {
      const message = webNameFault(name);
      return message === undefined ? [] : [{ path: memberPath(place, vct), message: `${quoted(name)} ${message}` }];
    }),
  );
}

/** The types above each that the file says or documents say; what is malformed is left as it is. */
function merged(value: unknown, parents: ReadonlyMap<string, string>): unknown {
  if (!isJsonObject(value)) return value;
  const all = new Map<string, JsonValue>(Object.entries(value));
  for (const [vct, parent] of parents) {
    const listed = all.get(vct) ?? [];
    const others = Array.isArray(listed) ? listed : [listed];
    all.set(vct, others.includes(parent) ? others : [...others, parent]);
  }
  return Object.fromEntries(all);
}

/** Which types stand for another, and the exact bytes of the documents that say so. */
export interface Subtypes {
  readonly subtypes: VctSubtypes;
  readonly typeDocuments: ReadonlyMap<string, Uint8Array>;
  readonly faults: readonly Fault[];
}

/**
 * The member `subtypes` of the trust file together with `extends` of the Type Metadata that the file lists, or everything
 * that is wrong with them. Without both, no type stands for another.
 */
export function readSubtypes(value: unknown, documents: readonly TypeDocument[]): Subtypes {
  const place = 'subtypes';
  const { parents, documents: typeDocuments, faults } = readTypeExtensions(documents);
  const parsed = parseVctSubtypes(merged(value === undefined ? {} : value, parents), place);
  if (!parsed.ok) return { subtypes: new Map(), typeDocuments, faults: [...faults, ...parsed.faults] };
  return { subtypes: parsed.subtypes, typeDocuments, faults: [...faults, ...nameFaults(place, parsed.subtypes)] };
}
