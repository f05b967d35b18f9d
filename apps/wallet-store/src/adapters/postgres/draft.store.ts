import type { Sealer } from '@vestibule/crypto';
import type { Database, Idempotency } from '@vestibule/persistence';
import type { Draft, DraftChange, DraftContent, Drafts, NewDraft, RepeatableCall } from '../../domain/drafts';
import type { ContentState, TenantId } from '../../domain/records';
import type { ContentKind } from '../../use-cases/read-content';
import {
  bodyContext,
  CONTENT_COLUMNS,
  contentRecord,
  openJson,
  sealJson,
  sourceContext,
  type ContentRow,
} from './content-row';
import { asTenant, createOnce } from './tenant-scope';

interface DraftRow extends ContentRow {
  body: Buffer;
  source: Buffer;
}

const WRITTEN = `did, revision, latest, tenant_id, wallet_did, state, issuer_did, holder_did, types, body, source, labels,
  annotations, updated_at, entity_did, created_at`;
const VALUES = `$1, $2, true, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13`;

const insertSql = (table: string) => `INSERT INTO ${table} (${WRITTEN}) VALUES (${VALUES}, $14, $15)`;

const findSql = (table: string) => `
  SELECT ${CONTENT_COLUMNS}, body, source FROM ${table}
  WHERE tenant_id = $1 AND did = $2 AND latest AND source IS NOT NULL`;

const replaceSql = (table: string) => `
  WITH replaced AS (
    UPDATE ${table} SET latest = false
    WHERE tenant_id = $3 AND wallet_did = $4 AND did = $1 AND revision = $2::int - 1 AND latest AND state = 'draft'
    RETURNING entity_did, created_at
  )
  INSERT INTO ${table} (${WRITTEN}) SELECT ${VALUES}, entity_did, created_at FROM replaced RETURNING revision`;

interface Revision {
  readonly tenant: TenantId;
  readonly did: string;
  readonly revision: number;
  readonly walletDid: string;
  readonly state: ContentState;
  readonly updatedAt: Date;
}

interface Connection {
  readonly database: Database;
  readonly sealer: Sealer;
  readonly idempotency: Idempotency;
}

/** Drafts in Postgres: credentials or presentations with the source that they are made from. Body and source are sealed. */
export class DraftStore implements Drafts {
  readonly #insert: string;
  readonly #find: string;
  readonly #replace: string;

  constructor(
    private readonly connection: Connection,
    private readonly kind: ContentKind,
  ) {
    const table = `wallet_store.${kind}`;
    [this.#insert, this.#find, this.#replace] = [insertSql(table), findSql(table), replaceSql(table)];
  }

  insertDraft<Answer extends object>(draft: NewDraft, answer: Answer, repeatable?: RepeatableCall): Promise<Answer> {
    const { tenant, owner, did, content, createdAt } = draft;
    const { walletDid, entityDid } = owner;
    const revision: Revision = { tenant, did, revision: 1, walletDid, state: 'draft', updatedAt: createdAt };
    return createOnce(this.connection, { tenant, operation: `${this.kind} draft`, repeatable }, answer, (query) =>
      query(this.#insert, [...this.columns(revision, content), entityDid, createdAt]),
    );
  }

  async findDraft(tenant: TenantId, did: string): Promise<Draft | undefined> {
    const [row] = await asTenant(this.connection.database, tenant, (query) =>
      query<DraftRow>(this.#find, [tenant, did]),
    );
    return row && this.draft(row);
  }

  async replaceDraft(tenant: TenantId, { draft, state, content, updatedAt }: DraftChange): Promise<Draft | undefined> {
    const { did, walletDid } = draft;
    const revision: Revision = { tenant, did, revision: draft.revision + 1, walletDid, state, updatedAt };
    const rows = await asTenant(this.connection.database, tenant, (query) =>
      query(this.#replace, this.columns(revision, content)),
    );
    return rows.length === 1 ? { ...draft, ...content, state, revision: revision.revision, updatedAt } : undefined;
  }

  private columns(place: Revision, content: DraftContent): unknown[] {
    const { tenant, did, revision, walletDid, state, updatedAt } = place;
    const { issuerDid, holderDid, types, labels, annotations } = content;
    const body = sealJson(this.connection.sealer, content.body, bodyContext(this.kind, place));
    const source = sealJson(this.connection.sealer, content.source, sourceContext(this.kind, place));
    const names = [issuerDid ?? null, holderDid ?? null, [...types]];
    return [did, revision, tenant, walletDid, state, ...names, body, source, labels, annotations, updatedAt];
  }

  private draft(row: DraftRow): Draft {
    const record = contentRecord(row, this.kind, this.connection.sealer);
    const [body, source] = [
      openJson(this.connection.sealer, row.body, bodyContext(this.kind, record)),
      openJson(this.connection.sealer, row.source, sourceContext(this.kind, record)),
    ];
    return { ...record, body, source };
  }
}
