import type { Sealer } from '@vestibule/crypto';
import { ApiError, type JsonObject } from '@vestibule/foundation';
import type { Database, Idempotency, Query } from '@vestibule/persistence';
import type { RepeatableCall } from '../../domain/drafts';
import type { ContentRecord, Owner, TenantId } from '../../domain/records';
import type { CredentialAnswer } from '../../use-cases/content-view';
import type { ContentKind } from '../../use-cases/read-content';
import { bodyContext, CONTENT_COLUMNS, contentRecord, sealJson, type ContentRow } from './content-row';
import { asTenant, createOnce } from './tenant-scope';

type WithBody = ContentRecord & { readonly body: JsonObject };

const insertSql = (kind: ContentKind) => `
  INSERT INTO wallet_store.${kind} (did, revision, latest, tenant_id, wallet_did, entity_did, state, issuer_did,
    holder_did, types, body, labels, annotations, created_at, updated_at)
  VALUES ($1, 1, true, $2, $3, $4, 'issued', $5, $6, $7, $8, $9, $10, $11, $11)
  ON CONFLICT (wallet_did, did, revision) DO NOTHING RETURNING 1 AS inserted`;

const INSERT: Readonly<Record<ContentKind, string>> = {
  credential: insertSql('credential'),
  presentation: insertSql('presentation'),
};

/** Bytes that the credentials of one presentation may have together: as many as a document may have at all. */
const MAX_PRESENTED_BYTES = 1_048_576;

/** No body is read where there are too many bytes of them. */
const FIND = `
  WITH found AS (
    SELECT ${CONTENT_COLUMNS}, body, sum(octet_length(body)) OVER () AS bytes FROM wallet_store.credential
    WHERE tenant_id = $1 AND entity_did = $2 AND wallet_did = $3 AND did = ANY ($4) AND latest
  )
  SELECT ${CONTENT_COLUMNS}, CASE WHEN bytes <= ${MAX_PRESENTED_BYTES} THEN body END AS body FROM found`;

function tooLarge(): ApiError {
  const detail = 'these credentials are too large for one presentation';
  const message = `the documents have more than ${MAX_PRESENTED_BYTES} bytes in total`;
  const faults = [{ path: 'CredentialDids', message }];
  return new ApiError({ kind: 'invalid', code: 'invalid_request', detail, faults });
}

function exists(): ApiError {
  const detail = 'this wallet already has a credential with this DID';
  return new ApiError({ kind: 'conflict', code: 'credential_exists', detail });
}

/** Documents that come into a wallet as issued: imported, or presented by another wallet. */
export class IssuedStore {
  constructor(
    readonly database: Database,
    private readonly sealer: Sealer,
    readonly idempotency: Idempotency,
  ) {}

  insertIssued(
    tenant: TenantId,
    record: WithBody,
    answer: CredentialAnswer,
    repeatable: RepeatableCall | undefined,
  ): Promise<CredentialAnswer> {
    return createOnce(this, { tenant, operation: 'credential', repeatable }, answer, async (query) => {
      if (!(await this.put(query, 'credential', tenant, record))) throw exists();
    });
  }

  async insertCopies(
    tenant: TenantId,
    { presentation, credentials }: { readonly presentation: WithBody; readonly credentials: readonly WithBody[] },
  ): Promise<void> {
    await asTenant(this.database, tenant, async (query) => {
      for (const credential of credentials) await this.put(query, 'credential', tenant, credential);
      await this.put(query, 'presentation', tenant, presentation);
    });
  }

  async findCredentials(tenant: TenantId, owner: Owner, dids: readonly string[]): Promise<readonly WithBody[]> {
    const parameters = [tenant, owner.entityDid, owner.walletDid, [...dids]];
    const rows = await asTenant(this.database, tenant, (query) => query<ContentRow>(FIND, parameters));
    if (rows.some(({ body }) => body === null)) throw tooLarge();
    return rows.map((row) => contentRecord(row, 'credential', this.sealer) as WithBody);
  }

  private async put(query: Query, kind: ContentKind, tenant: TenantId, record: WithBody): Promise<boolean> {
    const { did, walletDid, entityDid, issuerDid, holderDid, types, labels, annotations, createdAt } = record;
    const body = sealJson(this.sealer, record.body, bodyContext(kind, { did, walletDid, revision: 1 }));
    const names = [issuerDid ?? null, holderDid ?? null, [...types]];
    const rows = await query(INSERT[kind], [
      ...[did, tenant, walletDid, entityDid, ...names, body, labels, annotations, createdAt],
    ]);
    return rows.length === 1;
  }
}
