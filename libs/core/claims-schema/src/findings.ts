import {
  findProbableName,
  isJsonObject,
  ownMember,
  type Fault,
  type JsonObject,
  type JsonValue,
} from '@vestibule/foundation';

/** One place in a document: the value there (undefined when absent), where it is, and where its faults go. */
export interface Place<V extends JsonValue | undefined = JsonValue | undefined> {
  readonly value: V;
  readonly path: string;
  readonly faults: Fault[];
}

const PLAIN_NAME = /^[\w$#-]{1,64}$/;
const MAX_SHOWN_NAME = 64;

/** The path of a member: `parent.name`, or `parent["na me"]` for a name that would be ambiguous; long names are cut. */
export function memberPath(parent: string, name: string): string {
  if (!PLAIN_NAME.test(name)) return `${parent}[${JSON.stringify(name.slice(0, MAX_SHOWN_NAME))}]`;
  return parent === '' ? name : `${parent}.${name}`;
}

export function refuse({ faults, path }: Place, message: string): void {
  faults.push({ path, message });
}

/** The place of a member; inherited names are absent. */
export function memberOf(place: Place<JsonObject>, name: string): Place {
  return { ...place, value: ownMember(place.value, name), path: memberPath(place.path, name) };
}

/** True when the place holds an object; otherwise that is a fault. */
export function holdsObject(place: Place): place is Place<JsonObject> {
  if (isJsonObject(place.value)) return true;
  refuse(place, place.value === undefined ? 'is required' : 'must be an object');
  return false;
}

/** The elements of an array of at most `max`; none, and a fault, for anything else. */
export function elementsOf(place: Place, max: number): Place<JsonValue>[] {
  const { value, path, faults } = place;
  if (!Array.isArray(value)) {
    refuse(place, value === undefined ? 'is required' : 'must be an array');
    return [];
  }
  if (value.length > max) {
    refuse(place, `must have at most ${max} elements`);
    return [];
  }
  return value.map((item, index) => ({ value: item, path: `${path}[${index}]`, faults }));
}

/** A document with more faults than this was not mistyped: to look for what was meant would take seconds. */
const MAX_SUGGESTIONS = 50;

/** Refuses every member that is not known, with what was probably meant. */
export function refuseUnknown(
  place: Place<JsonObject>,
  known: readonly string[],
  what = 'is not a known member',
): void {
  const names = new Set(known);
  for (const name of Object.keys(place.value)) {
    if (names.has(name)) continue;
    const meant = place.faults.length < MAX_SUGGESTIONS ? findProbableName(name, known) : undefined;
    refuse(memberOf(place, name), meant === undefined ? what : `${what}; did you mean ${meant}?`);
  }
}

/** Half a surrogate pair, or NUL: neither UTF-8 nor a database can hold them. */
const UNSTORABLE = /[\u0000\p{Surrogate}]/u;

/** May this text be kept and signed? */
export function isStorableText(text: string): boolean {
  return !UNSTORABLE.test(text);
}

/** A text of at most `max` characters, absent when the member is. */
export function readText(place: Place, max: number): string | undefined {
  const { value } = place;
  if (value === undefined) return undefined;
  const possible = typeof value === 'string' && value !== '' && value.length <= max && isStorableText(value);
  if (possible) return value;
  refuse(place, `must be a text of 1 to ${max} characters without NUL or half surrogates`);
  return undefined;
}

/** A boolean, absent when the member is. */
export function readFlag(place: Place): boolean | undefined {
  if (place.value === undefined || typeof place.value === 'boolean') return place.value;
  refuse(place, 'must be true or false');
  return undefined;
}
