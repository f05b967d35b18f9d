import { findProbableName, isWithin, memberOf, refuse, type JsonObject, type Place } from '@vestibule/foundation';

/** A document with more faults than this was not mistyped: to look for what was meant would take seconds. */
const MAX_SUGGESTIONS = 50;

/** What is said of members that belong elsewhere, by their names. */
export type Places = Readonly<Record<string, string>>;

export const belongsTo = (place: string): string => `is not a known member here; its place is ${place}`;

interface Unknown {
  readonly what?: string;
  readonly places?: Places;
}

/** Refuses every member that is not known, with its place or what was probably meant. */
export function refuseUnknown(
  place: Place<JsonObject>,
  known: readonly string[],
  { what = 'is not a known member', places = {} }: Unknown = {},
): void {
  const names = new Set(known);
  for (const name of Object.keys(place.value)) {
    if (names.has(name)) continue;
    if (Object.hasOwn(places, name)) {
      refuse(memberOf(place, name), places[name] as string);
      continue;
    }
    const meant = place.findings.faults.length < MAX_SUGGESTIONS ? findProbableName(name, known) : undefined;
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
  const possible = typeof value === 'string' && value !== '' && isWithin(value, max) && isStorableText(value);
  if (possible) return value;
  refuse(place, `must be a string of 1 to ${max} characters without NUL or unpaired surrogates`);
  return undefined;
}
