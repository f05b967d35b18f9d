import { isJsonObject, ownMember, type JsonObject } from '@vestibule/foundation';
import { parsePublicJwk, type PublicJwk } from '@vestibule/crypto';
import { sdJwtFailure } from './failures';
import { CONFIRMATION_KEY, renamingFailures } from './jose-failure';

/** RFC 7800 §3: cnf names one key, so none of these may be beside `jwk`. */
const OTHER_KEYS = ['jwe', 'jku', 'x5u'];

/** What the holder's key may be for: its private half signs, its public half verifies (RFC 7517 §4.3). */
const SIGNATURE_OPERATIONS: readonly unknown[] = ['sign', 'verify'];

/** Some of these, each once, `verify` among them (RFC 7517 §4.3). */
function areForVerification(operations: unknown): boolean {
  if (!Array.isArray(operations) || !operations.includes('verify')) return false;
  const isOneOfThem = (operation: unknown) => SIGNATURE_OPERATIONS.includes(operation);
  return operations.every(isOneOfThem) && new Set(operations).size === operations.length;
}

/** True for a key without a declared use, or one declared for ES256 signatures (RFC 7517 §4.2 to §4.4). */
function isForSignatures(jwk: JsonObject): boolean {
  const [use = 'sig', alg = 'ES256', operations = ['verify']] = ['use', 'alg', 'key_ops'].map((name) =>
    ownMember(jwk, name),
  );
  return use === 'sig' && alg === 'ES256' && areForVerification(operations);
}

/**
 * The key that the credential is bound to: the required members of `cnf.jwk` (HAIP 1.0 §6.1); other members of the
 * JWK are tolerated. Throws `confirmation_key_missing` when there is no `cnf.jwk` (a `kid` or `jku` alone is none), and
 * `confirmation_key_not_allowed` unless it is one public P-256 key, for ES256 signatures if it says what for
 * (`use`, `alg`, `key_ops`).
 */
export function getConfirmationKey(claims: JsonObject): PublicJwk {
  const confirmation = ownMember(claims, 'cnf');
  const jwk = isJsonObject(confirmation) ? ownMember(confirmation, 'jwk') : undefined;
  if (!isJsonObject(confirmation) || jwk === undefined) throw sdJwtFailure('confirmation_key_missing');
  if (OTHER_KEYS.some((name) => Object.hasOwn(confirmation, name))) throw sdJwtFailure('confirmation_key_not_allowed');
  const key = renamingFailures(CONFIRMATION_KEY, () => parsePublicJwk(jwk));
  if (!isJsonObject(jwk) || !isForSignatures(jwk)) throw sdJwtFailure('confirmation_key_not_allowed');
  return key;
}
