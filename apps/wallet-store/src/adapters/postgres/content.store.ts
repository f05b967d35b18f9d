import type { Sealer } from '@vestibule/crypto';
import type { Database } from '@vestibule/persistence';
import type { LabelRequirement } from '../../domain/label-selector';
import type { ContentRecord, Owner, TenantId } from '../../domain/records';
import type { ContentKind, ContentPage, ContentQuery, QueryMode } from '../../use-cases/read-content';
import { CONTENT_COLUMNS, CONTENT_WEIGHT, contentRecord, type ContentRow } from './content-row';
import { cutPage, pageOfBytes, type CountedRow } from './page-of-bytes';
import { asTenant } from './tenant-scope';

/** `Held`: the holder is the wallet's owner; `Presented`: it is not. A document without a holder is its owner's. */
const OWNERSHIP = `($4::text = 'All' OR (coalesce(holder_did, entity_did) = entity_did) = ($4::text = 'Held'))`;

/** The requirements of a label selector; equality, the usual one, without a look at each of them for each row. */
const LABELS = `labels @> $11::jsonb AND ($10::jsonb = '[]' OR NOT EXISTS (
        SELECT FROM jsonb_to_recordset($10::jsonb) AS required (key text, operator text, "values" text[])
        WHERE NOT CASE required.operator
          WHEN 'in' THEN coalesce(labels ->> required.key = ANY (required."values"), false)
          WHEN 'notin' THEN coalesce(labels ->> required.key <> ALL (required."values"), true)
          WHEN 'exists' THEN labels ? required.key
          ELSE NOT labels ? required.key END))`;

/** Equalities as the labels that a row must have, and all other requirements. */
function splitLabels(labels: readonly LabelRequirement[]): [others: string, equalities: string] {
  const keys = labels.map(({ key }) => key);
  const isEquality = ({ key, operator, values }: LabelRequirement) =>
    operator === 'in' && values.length === 1 && keys.indexOf(key) === keys.lastIndexOf(key);
  const equalities = labels.filter(isEquality).map(({ key, values: [value] }) => [key, value] as const);
  const others = labels.filter((requirement) => !isEquality(requirement));
  return [JSON.stringify(others), JSON.stringify(Object.fromEntries(equalities))];
}

function findOneSql(table: string): string {
  return `
    SELECT ${CONTENT_COLUMNS}, body FROM ${table}
    WHERE tenant_id = $1 AND entity_did = $2 AND wallet_did = $3 AND ${OWNERSHIP} AND did = $5
      AND CASE WHEN $6::int IS NULL THEN latest ELSE revision = $6::int END`;
}

function findPageSql(table: string): string {
  const rows = `
    SELECT ${CONTENT_COLUMNS}, CASE WHEN $6::boolean THEN body END AS body FROM ${table}
    WHERE tenant_id = $1 AND entity_did = $2 AND wallet_did = $3 AND latest AND ${OWNERSHIP}
      AND ($5::text IS NULL OR state = $5::text) AND ${LABELS}
      AND ($7::timestamptz IS NULL OR (created_at, did) > ($7::timestamptz, $8::text))
    ORDER BY created_at, did LIMIT $9`;
  return pageOfBytes({ rows, columns: `${CONTENT_COLUMNS}, body`, order: 'created_at, did', weight: CONTENT_WEIGHT });
}

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
    const [row] = await asTenant(this.database, tenant, (run) => run<ContentRow>(this.#findOne, parameters));
    return row && contentRecord(row, this.kind, this.sealer);
  }

  async findPage(tenant: TenantId, query: ContentQuery): Promise<ContentPage> {
    const { entityDid, walletDid, queryMode, state, labels, withBodies, after, limit } = query;
    const position = [after?.createdAt ?? null, after?.did ?? null];
    const filter = [entityDid, walletDid, queryMode, state ?? null];
    const parameters = [tenant, ...filter, withBodies, ...position, limit + 1, ...splitLabels(labels)];
    const rows = await asTenant(this.database, tenant, (run) =>
      run<ContentRow & CountedRow>(this.#findPage, parameters),
    );
    const { items, hasMore } = cutPage(rows, limit);
    return { records: items.map((row) => contentRecord(row, this.kind, this.sealer)), hasMore };
  }
}
