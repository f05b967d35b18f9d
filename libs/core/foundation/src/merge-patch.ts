import { isJsonObject, ownMember, setOwnMember } from './json';
import type { JsonObject, JsonValue } from './json-value';

/**
 * Applies a JSON merge patch (RFC 7396 §2): objects are merged member by member, null removes, everything else replaces.
 * Neither argument is changed.
 */
export function applyMergePatch(target: JsonValue | undefined, patch: JsonValue): JsonValue {
  if (!isJsonObject(patch)) return patch;
  const merged: JsonObject = {};
  const before = isJsonObject(target) ? target : {};
  for (const name of Object.keys(before)) {
    if (!Object.hasOwn(patch, name)) setOwnMember(merged, name, before[name] as JsonValue);
    else if (patch[name] !== null) setOwnMember(merged, name, applyMergePatch(before[name], patch[name] as JsonValue));
  }
  for (const name of Object.keys(patch)) {
    if (patch[name] === null || Object.hasOwn(before, name)) continue;
    setOwnMember(merged, name, applyMergePatch(ownMember(before, name), patch[name] as JsonValue));
  }
  return merged;
}
