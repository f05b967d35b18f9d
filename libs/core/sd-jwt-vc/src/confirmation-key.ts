import { isJsonObject, ownMember, type JsonObject } from '@vestibule/foundation';
import { algorithmOf, parseEcJwk, type EcJwk } from '@vestibule/crypto';
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

/** The curves that a holder's key may be on. */
const HOLDER_CURVES = ['P-256', 'P-384'] as const;
/** A key that a credential may be bound to. */
export type HolderJwk = EcJwk<(typeof HOLDER_CURVES)[number]>;

/** True for a key without a declared use, or one declared for signatures of its curve (RFC 7517 §4.2 to §4.4). */
function isForSignatures(jwk: JsonObject, { crv }: HolderJwk): boolean {
  const [use = 'sig', alg = algorithmOf(crv), operations = ['verify']] = ['use', 'alg', 'key_ops'].map((name) =>
    ownMember(jwk, name),
  );
  return use === 'sig' && alg === algorithmOf(crv) && areForVerification(operations);
}

/**
 * The key that the credential is bound to: the required members of `cnf.jwk` (HAIP 1.0 §6.1); other members of the
 * JWK are tolerated. Throws `confirmation_key_missing` when there is no `cnf.jwk` (a `kid` or `jku` alone is none), and
 * `confirmation_key_not_allowed` unless it is one public key on P-256 or P-384, for ES256 or ES384 signatures if it says what for
 * (`use`, `alg`, `key_ops`).
 */
export function getConfirmationKey(claims: JsonObject): HolderJwk {
  const confirmation = ownMember(claims, 'cnf');
  const jwk = isJsonObject(confirmation) ? ownMember(confirmation, 'jwk') : undefined;
  if (!isJsonObject(confirmation) || jwk === undefined) throw sdJwtFailure('confirmation_key_missing');
  if (OTHER_KEYS.some((name) => Object.hasOwn(confirmation, name))) throw sdJwtFailure('confirmation_key_not_allowed');
  const key = renamingFailures(CONFIRMATION_KEY, () => parseEcJwk(jwk, HOLDER_CURVES));
  if (!isJsonObject(jwk) || !isForSignatures(jwk, key)) throw sdJwtFailure('confirmation_key_not_allowed');
  return key;
}
