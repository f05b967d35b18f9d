import type { Sealer } from '@vestibule/crypto';
import type { JsonObject } from '@vestibule/foundation';
import type { Database } from '@vestibule/persistence';
import type { ContentRecord, ContentState, TenantId } from '../../domain/records';
import type { ContentKind, ContentQuery, Owner, QueryMode } from '../../use-cases/read-content';

interface ContentRow {
  did: string;
  revision: number;
  entity_did: string;
  wallet_did: string;
  state: ContentState;
  issuer_did: string | null;
  holder_did: string | null;
  types: string[];
  body: Buffer | null;
  labels: Record<string, string>;
  annotations: Record<string, string>;
  created_at: Date;
  updated_at: Date;
}

const COLUMNS = `did, revision, entity_did, wallet_did, state, issuer_did, holder_did, types, labels, annotations, created_at, updated_at`;

/** `Held`: the holder is the wallet's owner; `Presented`: it is not. A document without a holder is its owner's. */
const OWNERSHIP = `($4::text = 'All' OR (coalesce(holder_did, entity_did) = entity_did) = ($4::text = 'Held'))`;

function findOneSql(table: string): string {
  return `
    SELECT ${COLUMNS}, body FROM ${table}
    WHERE tenant_id = $1 AND entity_did = $2 AND wallet_did = $3 AND ${OWNERSHIP} AND did = $5
      AND CASE WHEN $6::int IS NULL THEN latest ELSE revision = $6::int END`;
}

function findPageSql(table: string): string {
  return `
    SELECT ${COLUMNS}, CASE WHEN $6::boolean THEN body END AS body FROM ${table}
    WHERE tenant_id = $1 AND entity_did = $2 AND wallet_did = $3 AND latest AND ${OWNERSHIP}
      AND ($5::text IS NULL OR state = $5::text)
      AND ($7::timestamptz IS NULL OR (created_at, did) > ($7::timestamptz, $8::text))
    ORDER BY created_at, did LIMIT $9`;
}

/** What the sealed body of a revision is bound to: copied to another wallet or revision, it does not open. */
export const bodyContext = (
  kind: ContentKind,
  { walletDid, did, revision }: Pick<ContentRecord, 'walletDid' | 'did' | 'revision'>,
) => `wallet_store.${kind}.body/${walletDid}/${did}/${revision}`;

/** Credentials or presentations in Postgres, for one tenant at a time. */
export class ContentStore {
  readonly #findOne: string;
  readonly #findPage: string;

  constructor(
    private readonly database: Database,
    private readonly sealer: Sealer,
    private readonly kind: ContentKind,
  ) {
    this.#findOne = findOneSql(`wallet_store.${kind}`);
    this.#findPage = findPageSql(`wallet_store.${kind}`);
  }

  async findOne(
    tenant: TenantId,
    query: Owner & { readonly did: string; readonly queryMode: QueryMode; readonly revision?: number | undefined },
  ): Promise<ContentRecord | undefined> {
    const { entityDid, walletDid, queryMode, did, revision } = query;
    const parameters = [tenant, entityDid, walletDid, queryMode, did, revision ?? null];
    const [row] = await this.database.query<ContentRow>(this.#findOne, parameters);
    return row && this.record(row);
  }

  async findPage(tenant: TenantId, query: ContentQuery): Promise<readonly ContentRecord[]> {
    const { entityDid, walletDid, queryMode, state, withBodies, after, limit } = query;
    const position = [after?.createdAt ?? null, after?.did ?? null];
    const parameters = [tenant, entityDid, walletDid, queryMode, state ?? null, withBodies, ...position, limit];
    const rows = await this.database.query<ContentRow>(this.#findPage, parameters);
    return rows.map((row) => this.record(row));
  }

  private record(row: ContentRow): ContentRecord {
    const place = { did: row.did, revision: row.revision, walletDid: row.wallet_did };
    const body = row.body && this.sealer.open(row.body, bodyContext(this.kind, place)).toString('utf8');
    return {
      ...place,
      entityDid: row.entity_did,
      state: row.state,
      ...(row.issuer_did === null ? {} : { issuerDid: row.issuer_did }),
      ...(row.holder_did === null ? {} : { holderDid: row.holder_did }),
      types: row.types,
      labels: row.labels,
      annotations: row.annotations,
      createdAt: row.created_at,
      updatedAt: row.updated_at,
      ...(body === null ? {} : { body: JSON.parse(body) as JsonObject }),
    };
  }
}
