import type { Sealer } from '@vestibule/crypto';
import type { Database } from '@vestibule/persistence';
import type { SelectQueryBuilder } from 'typeorm';
import type { ContentKind, ContentQuery, DocumentQuery } from '../../domain/content';
import type { LabelRequirement } from '../../domain/label-selector';
import type { Contents } from '../../domain/ports';
import type { TenantId } from '../../domain/records';
import { CONTENT_COLUMNS, CONTENT_WEIGHT, contentRecord, readRow, type SqlRow } from './content-row';
import { CONTENT_ENTITIES, type ContentRow } from './content.entity';
import { cutPage, pageOfBytes, type CountedRow } from './page-of-bytes';
import { asTenant, searchAsTenant } from './tenant-scope';

/**
 * `Held`: the holder is the wallet's owner; `Presented`: it is not. A document without a holder belongs to the wallet's
 * owner, unless another wallet presented it or its holder has no DID.
 */
const OWNERSHIP = `($4::text = 'All' OR coalesce(holder_did = entity_did, NOT presented) = ($4::text = 'Held'))`;

/** The requirements of a label selector. Equalities, the usual case, are tested together and not one by one. */
const LABELS = `labels @> $11::jsonb AND ($10::jsonb = '[]' OR NOT EXISTS (
        SELECT FROM jsonb_to_recordset($10::jsonb) AS required (key text, operator text, "values" text[])
        WHERE NOT CASE required.operator
          WHEN 'in' THEN coalesce(labels ->> required.key = ANY (required."values"), false)
          WHEN 'notin' THEN coalesce(labels ->> required.key <> ALL (required."values"), true)
          WHEN 'exists' THEN labels ? required.key
          ELSE NOT labels ? required.key END))`;

/** Separates equalities, as the labels that a row must have, from all other requirements. */
function splitLabels(labels: readonly LabelRequirement[]): [others: string, equalities: string] {
  const keys = labels.map(({ key }) => key);
  const isEquality = ({ key, operator, values }: LabelRequirement) =>
    operator === 'in' && values.length === 1 && keys.indexOf(key) === keys.lastIndexOf(key);
  const equalities = labels.filter(isEquality).map(({ key, values: [value] }) => [key, value] as const);
  const others = labels.filter((requirement) => !isEquality(requirement));
  return [JSON.stringify(others), JSON.stringify(Object.fromEntries(equalities))];
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

/** A given revision, or the latest, if the mode of the query includes it. */
function oneOf(rows: SelectQueryBuilder<ContentRow>, tenantId: TenantId, query: DocumentQuery) {
  const { entityDid, walletDid, queryMode, did, revision } = query;
  const which = revision === undefined ? { latest: true } : { revision };
  const one = rows.where({ tenantId, entityDid, walletDid, did, ...which });
  if (queryMode === 'All') return one;
  const isHeld = 'coalesce(content.holderDid = content.entityDid, NOT content.presented)';
  return one.andWhere(queryMode === 'Held' ? isHeld : `NOT ${isHeld}`);
}

/** The parameters of the statement for a page, which refers to them by position. */
function pageParameters(tenant: TenantId, query: ContentQuery): readonly unknown[] {
  const { entityDid, walletDid, queryMode, state, labels, withBodies, after, limit } = query;
  const position = [after?.createdAt ?? null, after?.did ?? null];
  const filter = [entityDid, walletDid, queryMode, state ?? null];
  return [tenant, ...filter, withBodies, ...position, limit + 1, ...splitLabels(labels)];
}

/**
 * Credentials or presentations in Postgres, for one tenant at a time. A page takes one SQL statement, because its size
 * is limited in bytes.
 */
export function createContentStore(database: Database, sealer: Sealer, kind: ContentKind): Contents {
  const findPage = findPageSql(`wallet_store.${kind}`);
  return {
    async findOne(tenant, query) {
      const row = await asTenant(database, tenant, ({ manager }) =>
        oneOf(manager.createQueryBuilder(CONTENT_ENTITIES[kind], 'content'), tenant, query).getOne(),
      );
      return row ? contentRecord(row, kind, sealer) : undefined;
    },
    async findPage(tenant, query) {
      const rows = await searchAsTenant(database, tenant, (transaction) =>
        transaction.query<SqlRow & CountedRow>(findPage, pageParameters(tenant, query)),
      );
      const { items, hasMore } = cutPage(rows, query.limit);
      return { records: items.map((row) => contentRecord(readRow(row), kind, sealer)), hasMore };
    },
  };
}
