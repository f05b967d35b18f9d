import { elementsOf, holdsObject, refuse, type JsonObject, type JsonValue, type Place } from '@vestibule/foundation';

/** The elements of a non-empty array of objects; each of any other type is a fault. */
export function objectsOf(place: Place): Place<JsonObject>[] {
  return elementsOf(place).filter((element) => holdsObject(element));
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

/** The strings among these values, unchanged: what a reference may name even if the named thing is faulty. */
export function textsAmong(values: readonly (JsonValue | undefined)[]): ReadonlySet<string> {
  return new Set(values.filter((value) => typeof value === 'string'));
}
