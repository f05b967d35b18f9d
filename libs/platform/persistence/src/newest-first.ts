import { parseTimedId } from '@vestibule/crypto';
import { ApiError } from '@vestibule/foundation';
import { type Database } from './database';

/** Which rows a backend asks for, and from where on. */
export interface NewestFirstQuestion {
  readonly status?: string | undefined;
  /** RFC 3339, from the year 1970; those created at this time are included. */
  readonly createdFrom?: string | undefined;
  /** RFC 3339, from the year 1970; those created at this time are not included. */
  readonly createdBefore?: string | undefined;
  readonly limit: number;
  readonly cursor?: string | undefined;
}

export interface Page<Row> {
  readonly rows: readonly Row[];
  readonly nextCursor?: string;
}

interface NewestFirstOptions {
  readonly database: Database;
  /** Schema and name, from this program. */
  readonly table: string;
  /** The primary key, a timed identifier of 24 bytes. */
  readonly key: string;
  /** What a row of the page consists of, from this program. */
  readonly columns: string;
}

/** However rare a status is, a page reads no more rows than this: it then has fewer items, or none, and a next page. */
const MAX_SCANNED = 10_000;

interface Edge {
  readonly edge: Buffer | null;
  readonly scanned: number;
  readonly key: Buffer | null;
}

/**
 * The rows between two keys, newest first, that match: `$1` from, `$2` before, `$3` status, `$4` and `$5` creation times,
 * `$6` limit, `$7` rows to read. At least one row is returned, with the key at which reading stopped.
 */
export const newestFirstSql = ({ table, key, columns }: Omit<NewestFirstOptions, 'database'>): string => `
  WITH scanned AS MATERIALIZED (
    SELECT ${key} AS key, status AS found_status, ${columns} FROM ${table}
    WHERE ${key} >= $1::bytea AND ${key} < $2::bytea ORDER BY ${key} DESC LIMIT $7
  ), edge AS (
    SELECT (SELECT key FROM scanned ORDER BY key LIMIT 1) AS edge, (SELECT count(*) FROM scanned)::int AS scanned
  ), found AS (
    SELECT * FROM scanned
    WHERE ($3::text IS NULL OR found_status = $3) AND ($4::timestamptz IS NULL OR created_at >= $4)
      AND ($5::timestamptz IS NULL OR created_at < $5)
    ORDER BY key DESC LIMIT $6
  )
  SELECT edge.edge, edge.scanned, found.* FROM edge LEFT JOIN found ON true ORDER BY found.key DESC`;

const LAST_SECOND = 0xffff_ffff;
const BEFORE_ALL = Buffer.alloc(0);
/** Longer than any key of 24 bytes, and greater. */
const AFTER_ALL = Buffer.alloc(25, 0xff);

/** The smallest key of a second. */
function startOf(second: number): Buffer {
  if (second <= 0) return BEFORE_ALL;
  if (second > LAST_SECOND) return AFTER_ALL;
  const key = Buffer.alloc(4);
  key.writeUInt32BE(second);
  return key;
}

const secondOf = (instant: string): number => Math.floor(Date.parse(instant) / 1000);

function refuseCursor(): never {
  const faults = [{ path: 'cursor', message: 'is not a cursor of this list' }];
  throw new ApiError({ kind: 'invalid', code: 'invalid_request', detail: 'the query string is not valid', faults });
}

/** The key before which a page begins. */
function beginning({ cursor, createdBefore }: NewestFirstQuestion): Buffer {
  const latest = createdBefore === undefined ? AFTER_ALL : startOf(secondOf(createdBefore) + 1);
  if (cursor === undefined) return latest;
  const key = parseTimedId(cursor);
  if (!key) return refuseCursor();
  return Buffer.compare(key, latest) < 0 ? Buffer.from(key) : latest;
}

/**
 * Lists a table whose keys begin with their time, newest first, whatever its size: a page reads a bounded part of the
 * primary key, so that it may have fewer rows than `limit`, even none, and still a next page. Throws `invalid_request`
 * for an invalid cursor.
 */
export function createNewestFirst<Row extends object>(options: NewestFirstOptions) {
  const { database } = options;
  const sql = newestFirstSql(options);
  return async function newestFirst(question: NewestFirstQuestion): Promise<Page<Row>> {
    const { status, createdFrom, createdBefore, limit } = question;
    const found = await database.query<Row & Edge>(sql, [
      createdFrom === undefined ? BEFORE_ALL : startOf(secondOf(createdFrom)),
      beginning(question),
      status ?? null,
      createdFrom ?? null,
      createdBefore ?? null,
      limit + 1,
      MAX_SCANNED,
    ]);
    const matching = found.filter(({ key }) => key !== null);
    const rows = matching.slice(0, limit);
    if (matching.length > limit) return withNext(rows, rows.at(-1)?.key);
    return found[0]?.scanned === MAX_SCANNED ? withNext(rows, found[0].edge) : { rows };
  };
}

function withNext<Row>(rows: readonly Row[], key: Buffer | null | undefined): Page<Row> {
  return { rows, ...(key ? { nextCursor: key.toString('base64url') } : {}) };
}
