import { encodeBase64url } from '@vestibule/foundation';
import { createNewestFirst, type Database } from '@vestibule/persistence';
import type { ListedRequest, RequestList } from '../../domain/ports';
import { timesOf, type TimesRow } from './request-times';

interface ListRow extends TimesRow {
  readonly key: Buffer;
  readonly status: ListedRequest['status'];
}

const REQUEST_LIST = {
  table: 'verifier.presentation_request',
  key: 'state',
  columns: 'status, created_at, expires_at, finished_at',
};

/** The presentation requests in Postgres, newest first: status and times, no other column is read. */
export function createRequestList(database: Database): RequestList {
  const newestFirst = createNewestFirst<ListRow>({ database, ...REQUEST_LIST });
  return async (question) => {
    const { rows, ...page } = await newestFirst(question);
    const items = rows.map((row) => ({ state: encodeBase64url(row.key), status: row.status, ...timesOf(row) }));
    return { items, ...page };
  };
}
