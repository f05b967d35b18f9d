import {
  judge,
  storedCredentialStatusBody,
  type CredentialStatusName,
  type StoredCredentialStatus,
} from '@vestibule/contracts';
import { ApiError, isJsonObject, ownMember, type JsonObject } from '@vestibule/foundation';
import { STATUS_PURPOSES, type StatusPurpose } from '@vestibule/vcdm';
import type { Draft } from '../domain/drafts';
import type { CredentialStatuses } from '../domain/ports';
import type { TenantId } from '../domain/records';
import { refuseFaults } from '../domain/resources';
import { authenticate, type AuthenticateDeps } from './authenticate';
import { getIssuedDraft, type FindDraftDeps } from './change-draft';
import type { Caller } from './write-schema';

export interface GetCredentialStatusDeps extends AuthenticateDeps, FindDraftDeps {
  readonly findStatuses: CredentialStatuses['findStatuses'];
}

export interface ChangeCredentialStatusDeps extends GetCredentialStatusDeps {
  readonly changeStatus: CredentialStatuses['changeStatus'];
}

export interface CredentialStatusInput extends Caller {
  readonly id: string;
}

/** What each status sets or clears. */
const CHANGES = {
  valid: { purpose: 'suspension', isSet: false },
  suspended: { purpose: 'suspension', isSet: true },
  revoked: { purpose: 'revocation', isSet: true },
} as const satisfies Readonly<Record<CredentialStatusName, { purpose: StatusPurpose; isSet: boolean }>>;

function conflict(code: 'credential_without_status' | 'credential_revocation_final', detail: string): ApiError {
  return new ApiError({ kind: 'conflict', code, detail });
}

/** The purposes of the entries that were signed: an entry that was only reserved has no effect. */
function purposesOf({ body }: Draft): readonly StatusPurpose[] {
  const named = [ownMember(body, 'credentialStatus') ?? []].flat().map((entry) => {
    return isJsonObject(entry) ? ownMember(entry, 'statusPurpose') : undefined;
  });
  return STATUS_PURPOSES.filter((purpose) => named.includes(purpose));
}

function nameOf(statuses: ReadonlyMap<StatusPurpose, boolean>): CredentialStatusName {
  if (statuses.get('revocation') === true) return 'revoked';
  return statuses.get('suspension') === true ? 'suspended' : 'valid';
}

/** The issued credential and the purposes of its status; throws `credential_not_found`, `credential_without_status`. */
async function findStatus(deps: FindDraftDeps, tenant: TenantId, id: string): Promise<readonly StatusPurpose[]> {
  const purposes = purposesOf(await getIssuedDraft(deps)(tenant, id));
  if (purposes.length > 0) return purposes;
  throw conflict('credential_without_status', 'the credential was issued without status_purposes');
}

/** Whether a credential is valid, suspended or revoked. Throws `credential_not_found`, `credential_without_status`. */
export function getCredentialStatus(deps: GetCredentialStatusDeps) {
  return async function getCredentialStatus({
    apiKeyDigest,
    id,
  }: CredentialStatusInput): Promise<StoredCredentialStatus> {
    const tenant = await authenticate(deps, apiKeyDigest);
    const purposes = await findStatus(deps, tenant, id);
    return { id, status: nameOf(await deps.findStatuses(tenant, id)), status_purposes: [...purposes] };
  };
}

/**
 * Revokes, suspends or restores a credential; the same change may be repeated. Revocation is final. Throws
 * `credential_not_found`, `credential_without_status`, `credential_revocation_final`, `invalid_request`.
 */
export function changeCredentialStatus(deps: ChangeCredentialStatusDeps) {
  return async function changeCredentialStatus(
    input: CredentialStatusInput & { readonly body: JsonObject },
  ): Promise<StoredCredentialStatus> {
    const { apiKeyDigest, id, body } = input;
    const tenant = await authenticate(deps, apiKeyDigest);
    const { value, faults } = judge(storedCredentialStatusBody, body);
    refuseFaults('request', faults);
    const { status } = value as NonNullable<typeof value>;
    const purposes = await findStatus(deps, tenant, id);
    const change = CHANGES[status];
    if (status !== 'valid' && !purposes.includes(change.purpose)) {
      throw conflict(
        'credential_without_status',
        `the credential was issued without the status purpose ${change.purpose}`,
      );
    }
    const { wasRevoked } = await deps.changeStatus(tenant, id, change);
    if (wasRevoked && status !== 'revoked') {
      throw conflict('credential_revocation_final', 'the credential is revoked, which is final');
    }
    return { id, status, status_purposes: [...purposes] };
  };
}
