export type JsonValue = null | boolean | number | string | JsonValue[] | JsonObject;
export interface JsonObject {
  [name: string]: JsonValue;
}

/**
 * A JSON value in which an array may have holes: `undefined` marks an element that exists but was not disclosed, so
 * that positions are those of the issued array.
 */
export type IssuedJsonValue = null | boolean | number | string | (IssuedJsonValue | undefined)[] | IssuedJsonObject;
export interface IssuedJsonObject {
  [name: string]: IssuedJsonValue;
}

export interface JsonLimits {
  /** Nesting of arrays and objects; 1 allows `{}` but not `{"a":{}}`. */
  readonly maxDepth: number;
  /** Length of the text in UTF-16 units. */
  readonly maxLength: number;
  /** Values in the text, the containers included; absent: as many as its length allows. */
  readonly maxValues?: number;
}

export const DEFAULT_JSON_LIMITS: JsonLimits = { maxDepth: 32, maxLength: 1_048_576 };
