import { DomainError, VerificationFailure, type RefusalCode } from '@vestibule/foundation';
import { OAuthError, type AttesterKeys } from '@vestibule/oauth';
import type { IssuableType } from '../domain/credential-offer';
import type { Grant, PromisedStatus } from '../domain/issuance';
import type { ClientAuthenticationPolicy } from './authenticate-client';
import type { CheckAttestationStatus } from './check-attestation-status';

export interface ConfirmAttestationsDeps {
  readonly types: ReadonlyMap<string, IssuableType>;
  readonly checkStatus: CheckAttestationStatus;
  readonly clientAuthentication: ClientAuthenticationPolicy;
  /** Who may attest keys; undefined if nobody may. */
  readonly keyAttesters: AttesterKeys | undefined;
}

/** Attestations that were accepted at an earlier step, and for what. */
export interface EarlierAttestations {
  readonly grant: Pick<Grant, 'configurationId' | 'clientId' | 'walletStatus'>;
  /** Of the attestations of keys; absent where they are of this request. */
  readonly statuses?: readonly PromisedStatus[];
  readonly now: Date;
}

const ERROR = 'credential_request_denied';

/**
 * Each later look by the same types finds the same: what is revoked stays so, and time only passes. Of replicas whose types
 * demand different things, one refuses for good what another accepts: the operator does not let them run together, because
 * a wallet that was told to come back instead would never get anything once all of them demand more.
 */
const FINAL: ReadonlySet<RefusalCode> = new Set<RefusalCode>([
  'attestation_not_valid',
  'attestation_required',
  'attestation_status_missing',
  'attestation_status_malformed',
  'attestation_status_short',
]);

function mayPass(error: unknown): error is DomainError {
  if (error instanceof OAuthError) return !FINAL.has(error.reason);
  return error instanceof DomainError && error.code === 'attestation_status_unavailable';
}

/** Is the attester still trusted? Its certificate may have ended since; without anybody who may attest, nobody asks. */
function requireTrusted(attesters: AttesterKeys | undefined, { header, acceptedAt }: PromisedStatus, now: Date): void {
  if (!attesters) return;
  try {
    if (attesters(header, acceptedAt ?? now).length > 0) return;
  } catch (error) {
    if (error instanceof VerificationFailure) throw new OAuthError(ERROR, error);
    throw error;
  }
  throw new OAuthError(ERROR, 'attester_not_trusted');
}

/**
 * Looks again at attestations that were accepted at an earlier step: that of the wallet, and those of promised keys. The
 * attester may not be trusted any more, what it attests may have been revoked, and the configuration may demand more.
 * Returns the failure of a look that may succeed later: that of a list which is away, out of date or badly signed, which
 * its provider can mend, or an attestation that is suspended. Throws `credential_request_denied` for one that is not valid
 * any more. The wallet of a token that an earlier version gave is known by its name alone.
 */
export function confirmAttestations(deps: ConfirmAttestationsDeps) {
  const { types, checkStatus, clientAuthentication, keyAttesters } = deps;
  const attesters = { wallet: clientAuthentication.attesterKeys, key: keyAttesters };

  async function confirm({ grant, statuses = [], now }: EarlierAttestations): Promise<void> {
    const type = types.get(grant.configurationId);
    const about = { type, now, isDeferred: false, error: ERROR } as const;
    const look = async (kind: 'wallet' | 'key', known: PromisedStatus) => {
      requireTrusted(attesters[kind], known, now);
      const { acceptedAt, ...status } = known;
      await checkStatus({ kind, status, acceptedAt, ...about });
    };
    const { clientId, walletStatus } = grant;
    const isRequired = clientAuthentication.required || type?.isPid === true;
    if (clientId === undefined && isRequired) throw new OAuthError(ERROR, 'attestation_required');
    if (walletStatus) await look('wallet', walletStatus);
    for (const status of statuses) await look('key', status);
  }

  return async function confirmAttestations(earlier: EarlierAttestations): Promise<DomainError | undefined> {
    try {
      await confirm(earlier);
      return undefined;
    } catch (error) {
      if (mayPass(error)) return error;
      throw error;
    }
  };
}

export type ConfirmAttestations = ReturnType<typeof confirmAttestations>;

/**
 * The same where the wallet cannot be told to come back. Throws what passes as `attestation_status_unavailable`, but denies
 * the credential to a wallet that is suspended.
 */
export async function requireConfirmed(confirm: ConfirmAttestations, earlier: EarlierAttestations): Promise<void> {
  const passing = await confirm(earlier);
  if (!passing) return;
  const isKnown = !(passing instanceof OAuthError) || passing.reason === 'attestation_suspended';
  if (isKnown) throw passing;
  const { reason } = passing;
  const detail = 'the attestation of a wallet could not be judged again';
  throw new DomainError({
    kind: 'unavailable',
    code: 'attestation_status_unavailable',
    detail,
    reason,
    cause: passing,
  });
}
