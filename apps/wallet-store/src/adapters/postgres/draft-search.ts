import type { Sealer } from '@vestibule/crypto';
import type { Database } from '@vestibule/persistence';
import type { Draft } from '../../domain/drafts';
import type { TenantId } from '../../domain/records';
import type { Rows, Search } from '../../domain/search';
import {
  bodyContext,
  CONTENT_COLUMNS,
  CONTENT_WEIGHT,
  contentRecord,
  openJson,
  sourceContext,
  type ContentRow,
} from './content-row';
import { foundIn, searchSql, type SearchRow, type SearchTable } from './search-sql';
import { asTenant } from './tenant-scope';

interface FoundRow extends ContentRow {
  body: Buffer;
  source: Buffer;
}

const text = (sql: string) => ({ sql, type: 'text' }) as const;
const instant = (sql: string) => ({ sql, type: 'timestamptz' }) as const;

const DRAFTS: SearchTable = {
  name: 'wallet_store.credential',
  columns: `${CONTENT_COLUMNS}, body, source`,
  weight: `${CONTENT_WEIGHT} + octet_length(source)`,
  fields: {
    id: text('did'),
    state: text('state'),
    entity_did: text('entity_did'),
    wallet_did: text('wallet_did'),
    type: { sql: 'types', type: 'text[]' },
    created_at: instant('created_at'),
    modified_at: instant('updated_at'),
  },
  where: 'latest AND source IS NOT NULL',
};

function draftOf(row: FoundRow, sealer: Sealer): Draft {
  const record = contentRecord(row, 'credential', sealer);
  const body = openJson(sealer, row.body, bodyContext('credential', record));
  return { ...record, body, source: openJson(sealer, row.source, sourceContext('credential', record)) };
}

/** Searches credentials that began as drafts, in their latest revision; values are sealed and not searched. */
export const draftSearch =
  (database: Database, sealer: Sealer) =>
  async (tenant: TenantId, search: Search): Promise<Rows<Draft>> => {
    const { sql, parameters } = searchSql(DRAFTS, tenant, search);
    const rows = await asTenant(database, tenant, (query) => query<SearchRow<FoundRow>>(sql, parameters));
    return foundIn(rows, search, (row) => draftOf(row, sealer));
  };
