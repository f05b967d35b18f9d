import type { IssuableType } from '../domain/credential-offer';
import type { PromisedKeys } from '../domain/issuance';
import type { CheckAttestationStatus } from './check-attestation-status';
import type { CompletedIssuance, CompleteIssuance, IssuanceOrder } from './complete-issuance';

export interface CompletePromisedDeps {
  readonly types: ReadonlyMap<string, IssuableType>;
  readonly checkStatus: CheckAttestationStatus;
  readonly complete: CompleteIssuance;
}

/**
 * Completes the issuance of a deferred credential, after the status of its keys was looked up: they may have been revoked
 * since they were proved. Throws as {@link CompleteIssuance} does, `credential_request_denied` for keys that are not valid any
 * more, and `attestation_status_unavailable`.
 */
export function completePromised({ types, checkStatus, complete }: CompletePromisedDeps) {
  return async function completePromised(order: IssuanceOrder & PromisedKeys): Promise<CompletedIssuance> {
    const { grant, statuses, now } = order;
    const about = { type: types.get(grant.configurationId), now, isDeferred: false } as const;
    for (const { acceptedAt, ...status } of statuses)
      await checkStatus({ kind: 'key', status, acceptedAt, ...about, error: 'credential_request_denied' });
    return complete(order);
  };
}

export type CompletePromised = ReturnType<typeof completePromised>;
