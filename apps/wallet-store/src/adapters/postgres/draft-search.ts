import type { Sealer } from '@vestibule/crypto';
import type { Database } from '@vestibule/persistence';
import type { SearchDrafts } from '../../domain/ports';
import { CONTENT_COLUMNS, CONTENT_WEIGHT, draftOf, readRow, type SqlRow } from './content-row';
import { foundIn, searchIn, type SearchTable } from './search-sql';

interface FoundRow extends SqlRow {
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

/** Searches credentials that began as drafts, by their latest revision; values are sealed and cannot be searched. */
export function draftSearch(database: Database, sealer: Sealer): SearchDrafts {
  const find = searchIn<FoundRow>(database, DRAFTS);
  return async function searchDrafts(tenant, search) {
    const rows = await find(tenant, search);
    return foundIn(rows, search, ({ source, ...row }) => draftOf({ ...readRow(row), source }, 'credential', sealer));
  };
}
