import type { JsonValue } from '@vestibule/foundation';

/** True where `aud` names this audience and no other: as a string, or as an array of this one (RFC 7519 §4.1.3). */
export function isOnlyAudience(aud: JsonValue | undefined, audience: string): boolean {
  return aud === audience || (Array.isArray(aud) && aud.length === 1 && aud[0] === audience);
}
