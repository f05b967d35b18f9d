import { DomainError, type RefusalCode } from '@vestibule/foundation';
import { OAuthError } from '@vestibule/oauth';
import type { IssuableType } from '../domain/credential-offer';
import type { Grant, PromisedStatus } from '../domain/issuance';
import type { CheckAttestationStatus } from './check-attestation-status';

export interface ConfirmAttestationsDeps {
  readonly types: ReadonlyMap<string, IssuableType>;
  readonly checkStatus: CheckAttestationStatus;
}

/** Attestations that were accepted at an earlier step, and for what. */
export interface EarlierAttestations {
  readonly grant: Pick<Grant, 'configurationId'>;
  /** Of the attestations of keys. */
  readonly statuses: readonly PromisedStatus[];
  readonly now: Date;
}

/** Whoever looks again finds the same: what is revoked stays so, and time only passes. */
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

/**
 * Looks up the status of attestations that were accepted at an earlier step: they may have been revoked since. Returns the
 * failure of a look-up that may succeed later: that of a list which is away, out of date or badly signed, which its provider
 * can mend, or an attestation that is suspended. Throws `credential_request_denied` for one that is not valid any more.
 */
export function confirmAttestations({ types, checkStatus }: ConfirmAttestationsDeps) {
  return async function confirmAttestations(earlier: EarlierAttestations): Promise<DomainError | undefined> {
    const { grant, statuses, now } = earlier;
    const about = { type: types.get(grant.configurationId), now, isDeferred: false } as const;
    try {
      for (const { acceptedAt, ...status } of statuses)
        await checkStatus({ kind: 'key', status, acceptedAt, ...about, error: 'credential_request_denied' });
      return undefined;
    } catch (error) {
      if (mayPass(error)) return error;
      throw error;
    }
  };
}

export type ConfirmAttestations = ReturnType<typeof confirmAttestations>;
