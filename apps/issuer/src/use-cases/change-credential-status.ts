import { credentialStatusBody, judge } from '@vestibule/contracts';
import { ApiError, type Clock, type JsonObject } from '@vestibule/foundation';
import type { CredentialStatus } from '../domain/credential-status';
import type { StatusLists } from '../domain/ports';

export interface ChangeCredentialStatusDeps {
  readonly clock: Clock;
  readonly changeStatus: StatusLists['changeStatus'];
}

export interface ChangeCredentialStatusInput {
  readonly offerId: string;
  readonly body: JsonObject;
}

export interface CredentialStatusAnswer {
  readonly offer_id: string;
  readonly status: CredentialStatus;
  readonly credentials: number;
}

const REFUSALS = {
  offer_unknown: [
    'not_found',
    'credential_offer_not_found',
    'no credential offer has this id, or its credentials have expired',
  ],
  not_issued: ['conflict', 'credential_not_issued', 'no credential of this offer has been issued'],
  without_status: ['conflict', 'credential_without_status', 'the credentials of this offer have no status list'],
  already_revoked: ['conflict', 'credential_revocation_final', 'a revoked credential stays revoked'],
} as const;

function parseStatus(body: JsonObject): CredentialStatus {
  const { value, faults } = judge(credentialStatusBody, body);
  if (value) return value.status;
  throw new ApiError({ kind: 'invalid', code: 'invalid_request', detail: 'the status is not valid', faults });
}

/**
 * A backend revokes, suspends or restores all credentials of an offer; setting the current status again is allowed.
 * Revocation is final (Regulation (EU) No 910/2014, Articles 45d and 45f, require this for attestations). Throws
 * `invalid_request`, `credential_offer_not_found`, `credential_not_issued`, `credential_without_status`,
 * `credential_revocation_final`.
 */
export function changeCredentialStatus(deps: ChangeCredentialStatusDeps) {
  return async function changeCredentialStatus(input: ChangeCredentialStatusInput): Promise<CredentialStatusAnswer> {
    const { offerId, body } = input;
    const status = parseStatus(body);
    const change = await deps.changeStatus(offerId, status, deps.clock());
    if (change.outcome === 'changed') return { offer_id: offerId, status, credentials: change.credentials };
    const [kind, code, detail] = REFUSALS[change.outcome];
    throw new ApiError({ kind, code, detail });
  };
}
