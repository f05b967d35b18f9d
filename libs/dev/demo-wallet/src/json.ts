/** A JSON object whose members are not validated yet. */
export type JsonObject = Record<string, unknown>;

/** Members to set; a member that is `undefined` is removed. */
export type Patch = Readonly<Record<string, unknown>>;

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The member as an object, or an empty one. */
export function objectAt(object: JsonObject, name: string): JsonObject {
  const value = object[name];
  return isJsonObject(value) ? value : {};
}

/** The strings of an array member; other elements and other members are ignored. */
export function stringsAt(object: JsonObject, name: string): readonly string[] {
  const value = object[name];
  return Array.isArray(value) ? value.filter((element) => typeof element === 'string') : [];
}

/** The value of a JSON text, or undefined if it is not JSON. */
export function parseJsonOrUndefined(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A copy with the patch applied. */
export function patched(object: JsonObject, patch: Patch | undefined): JsonObject {
  return Object.fromEntries(Object.entries({ ...object, ...patch }).filter(([, value]) => value !== undefined));
}
