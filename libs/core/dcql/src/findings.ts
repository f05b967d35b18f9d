import { isJsonObject, ownMember, type Fault, type JsonObject, type JsonValue } from '@vestibule/foundation';

/** Collects what is wrong with a document while it is read to its end. */
export interface Findings {
  readonly faults: Fault[];
  readonly warnings: Fault[];
}

/** One place in a document: the value there (undefined when absent) and where it is. */
export interface Place<V extends JsonValue | undefined = JsonValue | undefined> {
  readonly value: V;
  readonly path: string;
  readonly findings: Findings;
}

const PLAIN_NAME = /^[\w$#-]+$/;

/** The path of a member: `parent.name`, or `parent["na me"]` for names that would be ambiguous. */
export function memberPath(parent: string, name: string): string {
  if (!PLAIN_NAME.test(name)) return `${parent}[${JSON.stringify(name)}]`;
  return parent === '' ? name : `${parent}.${name}`;
}

export function refuse(place: Place, message: string): void {
  place.findings.faults.push({ path: place.path, message });
}

export function warn(place: Place, message: string): void {
  place.findings.warnings.push({ path: place.path, message });
}

export function memberOf(place: Place<JsonObject>, name: string): Place {
  return { ...place, value: ownMember(place.value, name), path: memberPath(place.path, name) };
}

/** True when the place holds an object; otherwise that is a fault. */
export function holdsObject(place: Place): place is Place<JsonObject> {
  if (isJsonObject(place.value)) return true;
  refuse(place, 'must be an object');
  return false;
}

/** The elements of a non-empty array; none, and a fault, for anything else. */
export function elementsOf(place: Place): Place<JsonValue>[] {
  const { value, path, findings } = place;
  if (Array.isArray(value) && value.length > 0) {
    return value.map((item, index) => ({ value: item, path: `${path}[${index}]`, findings }));
  }
  refuse(place, 'must be a non-empty array');
  return [];
}

/** The elements of a non-empty array of objects; each of any other type is a fault. */
export function objectsOf(place: Place): Place<JsonObject>[] {
  return elementsOf(place).filter(holdsObject);
}

/** A boolean, or `absent` when the member is not there. A value read with a fault is never used. */
export function readFlag(place: Place, absent: boolean): boolean {
  if (place.value === undefined) return absent;
  if (typeof place.value === 'boolean') return place.value;
  refuse(place, 'must be true or false');
  return absent;
}

/** A non-empty text. */
export function readText(place: Place): string {
  if (typeof place.value === 'string' && place.value !== '') return place.value;
  refuse(place, 'must be a non-empty string');
  return '';
}

const IDENTIFIER = /^[A-Za-z0-9_-]+$/;

/** An identifier of DCQL (OpenID4VP 1.0 §6.1, §6.3). */
export function readIdentifier(place: Place): string {
  if (typeof place.value === 'string' && IDENTIFIER.test(place.value)) return place.value;
  refuse(place, 'must be a non-empty string of letters, digits, "_" and "-"');
  return '';
}

/** Refuses every place whose key an earlier one has; places without a key are left alone. */
export function refuseRepeats(entries: readonly { place: Place; key: string | undefined }[], message: string): void {
  const seen = new Set<string>();
  for (const { place, key } of entries) {
    if (key === undefined) continue;
    if (seen.has(key)) refuse(place, message);
    seen.add(key);
  }
}

/** A non-empty array of non-empty arrays of ids, each of which must be known. */
export function readIdLists(place: Place, known: ReadonlySet<string>, message: string): string[][] {
  return elementsOf(place).map((list) =>
    elementsOf(list).map((item) => {
      if (typeof item.value === 'string' && known.has(item.value)) return item.value;
      refuse(item, message);
      return '';
    }),
  );
}

/** The texts among these values, as they stand: what a reference may name even if the named thing is faulty. */
export function textsAmong(values: readonly (JsonValue | undefined)[]): ReadonlySet<string> {
  return new Set(values.filter((value) => typeof value === 'string'));
}
