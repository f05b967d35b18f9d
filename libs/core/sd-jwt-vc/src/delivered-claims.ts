import { setOwnMember, type JsonObject, type JsonValue } from '@vestibule/foundation';

/** About the credential and not about its subject; the event has separate fields for the relevant ones. */
const NOT_DELIVERED: readonly string[] = [
  '_sd',
  '_sd_alg',
  'cnf',
  'status',
  'iss',
  'vct',
  'vct#integrity',
  'exp',
  'nbf',
  'iat',
];

/** The claims that a backend gets: what was disclosed and what was plain, without the claims about the credential. */
export function deliveredClaims(claims: JsonObject): JsonObject {
  const delivered: JsonObject = {};
  for (const name of Object.keys(claims)) {
    if (!NOT_DELIVERED.includes(name)) setOwnMember(delivered, name, claims[name] as JsonValue);
  }
  return delivered;
}
