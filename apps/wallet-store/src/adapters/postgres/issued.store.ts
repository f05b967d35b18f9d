import { isDeepStrictEqual } from 'node:util';
import type { Sealer } from '@vestibule/crypto';
import { ApiError } from '@vestibule/foundation';
import type { Transaction } from '@vestibule/persistence';
import type { ContentKind, Document } from '../../domain/content';
import type { IssuedDocuments } from '../../domain/ports';
import type { TenantId } from '../../domain/records';
import { bodyContext, CONTENT_COLUMNS, contentRecord, readRow, sealJson, type SqlRow } from './content-row';
import { asTenant, createOnce, intoWallet, recallAnswer, type Connection } from './tenant-scope';

/** The operation under which imports are remembered. */
const IMPORT = 'credential';

/**
 * In SQL, to insert nothing where the wallet has this DID. The conflict has no target: two indexes forbid a second such
 * row, and Postgres reports the one that is not the target if both calls come at the same moment.
 */
const insertSql = (kind: ContentKind) => `
  INSERT INTO wallet_store.${kind} (did, revision, latest, tenant_id, wallet_did, entity_did, state, issuer_did,
    holder_did, types, body, labels, annotations, created_at, updated_at, presented)
  VALUES ($1, 1, true, $2, $3, $4, 'issued', $5, $6, $7, $8, $9, $10, $11, $11, $12)
  ON CONFLICT DO NOTHING RETURNING 1 AS inserted`;

const INSERT: Readonly<Record<ContentKind, string>> = {
  credential: insertSql('credential'),
  presentation: insertSql('presentation'),
};

const presentSql = (kind: ContentKind) => `
  SELECT ${CONTENT_COLUMNS}, body FROM wallet_store.${kind}
  WHERE tenant_id = $1 AND wallet_did = $2 AND did = $3 AND latest`;

/** The limit, in bytes, of the credentials of one presentation together; a single document has the same limit. */
const MAX_PRESENTED_BYTES = 1_048_576;

/** Reads no bodies if together they exceed the limit. */
const FIND = `
  WITH found AS (
    SELECT ${CONTENT_COLUMNS}, body, sum(octet_length(body)) OVER () AS bytes FROM wallet_store.credential
    WHERE tenant_id = $1 AND entity_did = $2 AND wallet_did = $3 AND did = ANY ($4) AND latest
  )
  SELECT ${CONTENT_COLUMNS}, CASE WHEN bytes <= ${MAX_PRESENTED_BYTES} THEN body END AS body FROM found`;

/** What a wallet has under the DID of a document. */
const PRESENT: Readonly<Record<ContentKind, string>> = {
  credential: presentSql('credential'),
  presentation: presentSql('presentation'),
};

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

function columns(sealer: Sealer, kind: ContentKind, tenant: TenantId, record: Document): readonly unknown[] {
  const { did, walletDid, entityDid, issuerDid, holderDid, types, labels, annotations, createdAt } = record;
  const body = sealJson(sealer, record.body, bodyContext(kind, { did, walletDid, revision: 1 }));
  const names = [issuerDid ?? null, holderDid ?? null, [...types]];
  return [did, tenant, walletDid, entityDid, ...names, body, labels, annotations, createdAt];
}

/** Documents that enter a wallet already issued, in Postgres; their bodies are sealed. */
export function createIssuedStore(connection: Connection, sealer: Sealer): IssuedDocuments {
  const { database } = connection;
  const putFor =
    (tenant: TenantId, { query }: Transaction) =>
    async (kind: ContentKind, record: Document, presented: boolean) =>
      (await query(INSERT[kind], [...columns(sealer, kind, tenant, record), presented])).length === 1;

  /** Puts a copy into a wallet, unless the same document is there already; returns what is there then. */
  const copyFor = (tenant: TenantId, transaction: Transaction) => async (kind: ContentKind, record: Document) => {
    if (await putFor(tenant, transaction)(kind, record, true)) return record;
    const { walletDid, did, body } = record;
    const [row] = await transaction.query<SqlRow>(PRESENT[kind], [tenant, walletDid, did]);
    const present = row && contentRecord(readRow(row), kind, sealer);
    if (present?.state !== 'issued' || !isDeepStrictEqual(present.body, body)) throw exists();
    return present as Document;
  };

  return {
    insertIssued: (tenant, record, answer, repeatable) =>
      createOnce(connection, { tenant, operation: IMPORT, repeatable }, answer, async (transaction) => {
        if (!(await putFor(tenant, transaction)('credential', record, record.isOfStranger))) throw exists();
      }),
    recallIssued: (tenant, repeatable) => recallAnswer(connection, { tenant, operation: IMPORT, repeatable }),
    insertCopies: (tenant, { presentation, credentials }) =>
      intoWallet(
        asTenant(database, tenant, async (transaction) => {
          const copy = copyFor(tenant, transaction);
          // In one order, whatever that of the presentation is: two that bring the same would wait for each other.
          const inOrder = [...credentials].sort((one, other) => (one.did < other.did ? -1 : 1));
          for (const credential of inOrder) await copy('credential', credential);
          return copy('presentation', presentation);
        }),
      ),
    async findCredentials(tenant, { entityDid, walletDid }, dids) {
      const parameters = [tenant, entityDid, walletDid, [...dids]];
      const rows = await asTenant(database, tenant, ({ query }) => query<SqlRow>(FIND, parameters));
      if (rows.some(({ body }) => body === null)) throw tooLarge();
      return rows.map((row) => contentRecord(readRow(row), 'credential', sealer) as Document);
    },
  };
}
