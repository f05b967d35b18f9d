import {
  isJsonObject,
  isNumericDate,
  ownMember,
  VerificationFailure,
  type JsonValue,
  type OAuthErrorCode,
} from '@vestibule/foundation';
import { OAuthError, type AttestationStatus, type RefusalReason } from '@vestibule/oauth';
import { parseStatusListReference, type StatusReference } from '@vestibule/status-list';
import type { IssuableType } from '../domain/credential-offer';
import type { FindAttestationStatus } from '../domain/ports';
import type { StatusMode } from '../domain/profile';

export interface CheckAttestationStatusDeps {
  readonly attestationStatus: StatusMode;
  /** How long a wallet may wait for a deferred credential. */
  readonly deferredSeconds: number;
  readonly findAttestationStatus: FindAttestationStatus;
}

/** An attestation whose signature and times hold, or an anonymous wallet. */
export interface AttestedStatus {
  readonly kind: 'wallet' | 'key';
  /** Undefined for an anonymous wallet. */
  readonly status: AttestationStatus | undefined;
  /** What is to be issued; undefined if it is no longer configured. */
  readonly type: IssuableType | undefined;
  readonly now: Date;
  /** The backend supplies the claims later. */
  readonly isDeferred: boolean;
  /** When the attestation was accepted. Default: now. */
  readonly acceptedAt?: Date | undefined;
  /** What the wallet is told. Default: that the attestation of its request is at fault. */
  readonly error?: OAuthErrorCode;
}

const ERRORS = { wallet: 'invalid_client', key: 'invalid_proof' } as const;

/** The expiry of a credential is rounded to the hour, and a token lives for minutes. */
const MARGIN_SECONDS = 7_200;

/** The expiry of a credential is rounded to the hour. */
const ROUNDING_SECONDS = 3_600;

/** How long the status of attestations must be maintained for a PID, from the moment that they are shown. */
export const maintainedSeconds = ({ validitySeconds }: Pick<IssuableType, 'validitySeconds'>, waitSeconds: number) =>
  waitSeconds + validitySeconds + MARGIN_SECONDS;

const memberOf = (value: JsonValue | undefined, name: string) =>
  isJsonObject(value) ? ownMember(value, name) : undefined;

/** The reference in a `status`, which may have other members too (OpenID4VCI 1.0 §D.1). */
function referenceIn(status: JsonValue | undefined, refuse: (reason: RefusalReason) => OAuthError): StatusReference {
  try {
    return parseStatusListReference(memberOf(status, 'status_list'));
  } catch (error) {
    if (error instanceof VerificationFailure) throw refuse('attestation_status_malformed');
    throw error;
  }
}

/**
 * A PID ends before the status of its attestations is no longer maintained (TS3 1.5 §2.4.3). An attestation that was
 * accepted must not fail later only because the margin has passed.
 */
function requireMaintained(
  { status, type, now, isDeferred, acceptedAt }: AttestedStatus,
  deferredSeconds: number,
  refuse: (reason: RefusalReason) => OAuthError,
): void {
  if (!type?.isPid) return;
  if (!status) throw refuse('attestation_required');
  if (status.maintained === undefined) throw refuse('attestation_status_missing');
  const until = memberOf(status.maintained, 'exp');
  const seconds = acceptedAt
    ? type.validitySeconds + ROUNDING_SECONDS
    : maintainedSeconds(type, isDeferred ? deferredSeconds : 0);
  const needed = now.getTime() / 1000 + seconds;
  if (!isNumericDate(until) || until < needed) throw refuse('attestation_status_short');
}

/** What an attestation refers to. */
function referencesOf(
  { own, maintained }: AttestationStatus,
  refuse: (reason: RefusalReason) => OAuthError,
): readonly StatusReference[] {
  return [
    ...(own === undefined ? [] : [referenceIn(own, refuse)]),
    ...(maintained === undefined ? [] : [referenceIn(memberOf(maintained, 'status'), refuse)]),
  ];
}

const REASONS = {
  invalid: 'attestation_not_valid',
  suspended: 'attestation_suspended',
  unreadable: 'attestation_status_unreadable',
} as const;

/**
 * Looks up the status of an attestation: its own (OpenID4VCI 1.0 §D.1, Appendix E), and that of the wallet or of the
 * storage of its keys (TS3 1.5 §2.4.3). A reference that cannot be read is refused, and so is an attestation without one
 * where one is needed. Nothing is assumed about a list that is unavailable: the wallet may try again. Throws
 * `invalid_client` for a wallet, `invalid_proof` for keys, or the error that the caller names, and `attestation_status_unavailable`.
 */
export function checkAttestationStatus(deps: CheckAttestationStatusDeps) {
  const { attestationStatus: mode, deferredSeconds, findAttestationStatus } = deps;
  return async function checkAttestationStatus(attested: AttestedStatus): Promise<void> {
    const { kind, status, type, now, acceptedAt = now, error = ERRORS[kind] } = attested;
    const refuse = (reason: RefusalReason) => new OAuthError(error, reason);
    requireMaintained(attested, deferredSeconds, refuse);
    if (!status || (mode === 'off' && !type?.isPid)) return;
    const references = referencesOf(status, refuse);
    if (mode === 'required' && references.length === 0) throw refuse('attestation_status_missing');
    const attestation = { header: status.header, acceptedAt };
    for (const reference of references) {
      const found = await findAttestationStatus(kind, { ...reference, attestation }, now);
      if (found === 'valid') continue;
      throw new OAuthError(error, typeof found === 'string' ? REASONS[found] : found);
    }
  };
}

export type CheckAttestationStatus = ReturnType<typeof checkAttestationStatus>;
