import type { KeyObject } from 'node:crypto';
import { isNumericDate, ownMember, type JsonObject, type JsonValue } from '@vestibule/foundation';
import { PROOF_MAX_AHEAD_SECONDS } from './proof-times';
import type { RefusalReason } from './refusal-reasons';

/**
 * The trusted keys that may have signed an attestation with this header, by its `x5c` or `kid`; none for an attester that
 * is not trusted. Throws a verification failure for a chain that does not hold.
 */
export type AttesterKeys = (header: JsonObject, now: Date) => readonly KeyObject[];

/** An attestation whose status is looked up. */
export interface AcceptedAttestation {
  /** Its protected header. */
  readonly header: JsonObject;
  /** When its signature was accepted: the certificate of its signer may have ended since. */
  readonly acceptedAt: Date;
}

/**
 * The trusted keys that may have signed a status list with this header at `now`, for that attestation; without one, for any.
 * Throws as {@link AttesterKeys}.
 */
export type StatusSignerKeys = (
  header: JsonObject,
  now: Date,
  attestation?: AcceptedAttestation,
) => readonly KeyObject[];

/** The result of checking an attestation's times: current, expired, or a fault. */
export type AttestationTimes = 'current' | 'expired' | { readonly wrong: RefusalReason };

/**
 * Judges the times of an attestation, with the tolerance of {@link PROOF_MAX_AHEAD_SECONDS}: those in `required` must be there, `exp`, `iat` and
 * `nbf` count when they are (OAuth 2.0 Attestation-Based Client Authentication draft 07 §9, OpenID4VCI 1.0 §D.1).
 */
export function attestationTimes(
  claims: JsonObject,
  now: Date,
  required: readonly ('exp' | 'iat')[],
): AttestationTimes {
  const seconds = now.getTime() / 1000;
  const names: readonly string[] = required;
  const exp = ownMember(claims, 'exp');
  if (exp !== undefined || names.includes('exp')) {
    if (!isNumericDate(exp)) return { wrong: 'attestation_exp_missing' };
    if (exp + PROOF_MAX_AHEAD_SECONDS < seconds) return 'expired';
  }
  for (const name of ['iat', 'nbf'] as const) {
    const value = ownMember(claims, name);
    if (value === undefined && !names.includes(name)) continue;
    const isPast = typeof value === 'number' && value - PROOF_MAX_AHEAD_SECONDS <= seconds;
    if (!isPast) return { wrong: `attestation_${name}_in_future` };
  }
  return 'current';
}

/** What an attestation says about its status: references to status lists, which nobody has looked at yet. */
export interface AttestationStatus {
  /** The protected header of the attestation, whose signature holds: it tells who may sign the lists. */
  readonly header: JsonObject;
  /** `status` of the attestation itself (OpenID4VCI 1.0 §D.1, Appendix E); undefined if it has none. */
  readonly own: JsonValue | undefined;
  /**
   * `client_status` or `key_storage_status`: the status of the wallet or of the storage of its keys, and until when it is
   * maintained (TS3 1.5 §2.3); undefined if it has none.
   */
  readonly maintained: JsonValue | undefined;
}

/** The members of an attestation about its status, as they are. */
export function readAttestationStatus(
  { header, claims }: { readonly header: JsonObject; readonly claims: JsonObject },
  name: 'client_status' | 'key_storage_status',
): AttestationStatus {
  return { header, own: ownMember(claims, 'status'), maintained: ownMember(claims, name) };
}
