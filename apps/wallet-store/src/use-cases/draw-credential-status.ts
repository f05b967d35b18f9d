import { DomainError, encodeBase64url, type JsonObject, type RandomBytes } from '@vestibule/foundation';
import { buildStatusEntry, type StatusPurpose } from '@vestibule/vcdm';
import type { Draft } from '../domain/drafts';
import type { CredentialStatuses } from '../domain/ports';
import type { TenantId } from '../domain/records';
import { STATUS_LIST_ID_BYTES, STATUS_LIST_SIZE, statusListUrl, type StatusOrder } from '../domain/status-lists';

export interface DrawCredentialStatusDeps {
  readonly random: RandomBytes;
  readonly baseUrl: string;
  readonly drawIndex: CredentialStatuses['drawIndex'];
  readonly openList: CredentialStatuses['openList'];
}

const CANDIDATES = 32;
/** How many draws without a free candidate mark a list as full: with 32 candidates each it is then about 89 % full. */
const DRAWS_UNTIL_FULL = 2;
const MAX_DRAWS = 16;

/** Indexes of a list, in random order; its size divides 2^32, so that all are equally likely. */
function candidates(random: RandomBytes): number[] {
  const bytes = Buffer.from(random(CANDIDATES * 4));
  return Array.from({ length: CANDIDATES }, (_, at) => bytes.readUInt32BE(at * 4) % STATUS_LIST_SIZE);
}

async function drawOne(deps: DrawCredentialStatusDeps, tenant: TenantId, order: StatusOrder): Promise<JsonObject> {
  let failed = 0;
  for (let draws = 0; draws < MAX_DRAWS; draws += 1) {
    const drawn = await deps.drawIndex(tenant, order, candidates(deps.random));
    if (drawn?.index !== undefined) {
      const url = statusListUrl(deps.baseUrl, { tenant, listId: drawn.listId });
      return buildStatusEntry(url, order.purpose, drawn.index);
    }
    failed += 1;
    if (drawn && failed % DRAWS_UNTIL_FULL !== 0) continue;
    const { entityDid, purpose } = order;
    const listId = encodeBase64url(deps.random(STATUS_LIST_ID_BYTES));
    await deps.openList(tenant, { entityDid, purpose, listId, size: STATUS_LIST_SIZE }, drawn?.listId);
  }
  const detail = 'no free entry of a status list could be reserved';
  throw new DomainError({ kind: 'internal', code: 'status_indexes_exhausted', detail });
}

/**
 * Reserves a random entry for each purpose, in lists of the entity that issues the draft, before it is signed
 * (Bitstring Status List 1.0 §2.1). A draft keeps its entries: if it is not issued now, it gets the same ones later.
 * Indexes reveal nothing of the order of issuance. Throws `status_indexes_exhausted`.
 */
export function drawCredentialStatus(deps: DrawCredentialStatusDeps) {
  return async function drawCredentialStatus(
    tenant: TenantId,
    { did, entityDid }: Pick<Draft, 'did' | 'entityDid'>,
    purposes: readonly StatusPurpose[],
  ): Promise<readonly JsonObject[]> {
    const entries: JsonObject[] = [];
    for (const purpose of purposes) {
      entries.push(await drawOne(deps, tenant, { entityDid, purpose, credentialDid: did }));
    }
    return entries;
  };
}

/** The function that {@link drawCredentialStatus} returns. */
export type DrawCredentialStatus = ReturnType<typeof drawCredentialStatus>;
