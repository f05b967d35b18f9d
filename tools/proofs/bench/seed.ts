import type { Client } from 'pg';
import { BenchFailure } from './failure';

/** The tables of finished requests. */
export const REQUEST_TABLES = ['verifier.presentation_request', 'issuer.credential_offer'] as const;
const CHUNK = 100_000;
/** How many finished rows are copied: they differ in length. */
const TEMPLATES = 200;
/** Random bytes at the end of a key; the part before them (a time) is kept. */
const RANDOM_BYTES = 20;
/** One entry in this many is revoked. */
const REVOKED_OF = 100;

export type Progress = (text: string) => void;

interface Column {
  readonly name: string;
  readonly key: boolean;
}

const quote = (name: string) => `"${name.replaceAll('"', '""')}"`;

/** Columns that can be written, and whether they belong to the primary key; empty if there is no such table. */
async function columnsOf(client: Client, table: string): Promise<Column[]> {
  const { rows } = await client.query<Column>(
    `SELECT attname AS name, coalesce(attnum = ANY (SELECT unnest(indkey) FROM pg_index
       WHERE indrelid = attrelid AND indisprimary), false) AS key
     FROM pg_attribute
     WHERE attrelid = to_regclass($1) AND attnum > 0 AND NOT attisdropped AND attidentity = '' AND attgenerated = ''
     ORDER BY attnum`,
    [table],
  );
  if (rows.length > 0) return rows;
  throw new BenchFailure('not_seeded', `this checkout has no table ${table}: it cannot be filled`);
}

const RANDOM_SQL = `decode(substr(md5(random()::text || n) || md5(n || random()::text), 1, ${RANDOM_BYTES * 2}), 'hex')`;

/** How a column is copied: keys get new random bytes, the end is within the last hours, the rest is unchanged. */
export function copiedColumn({ name, key }: Column): string {
  const column = `template.${quote(name)}`;
  if (key) return `substr(${column}, 1, octet_length(${column}) - ${RANDOM_BYTES}) || ${RANDOM_SQL}`;
  return name === 'finished_at' ? `now() - random() * interval '12 hours'` : column;
}

/** The statement that makes `$1` copies of the last finished rows, of each as many. */
export function copySql(table: string, columns: readonly Column[]): string {
  return `
    WITH template AS (
      SELECT *, row_number() OVER () - 1 AS "the place", count(*) OVER () AS "all places"
      FROM (SELECT * FROM ${table} WHERE finished_at IS NOT NULL ORDER BY finished_at DESC LIMIT ${TEMPLATES}) AS last
    )
    INSERT INTO ${table} (${columns.map(({ name }) => quote(name)).join(', ')})
    SELECT ${columns.map(copiedColumn).join(', ')}
    FROM generate_series(1, $1::int) AS n JOIN template ON "the place" = n % "all places"`;
}

/**
 * Adds `count` copies of finished requests to a table, all within their retention.
 * @throws BenchFailure `not_seeded` if there is none, or no such table
 */
export async function copyFinished(client: Client, table: string, count: number): Promise<void> {
  const { rowCount } = await client.query(copySql(table, await columnsOf(client, table)), [count]);
  if (rowCount !== count) throw new BenchFailure('not_seeded', `${table} has no finished request to copy`);
}

/**
 * Fills the tables with `count` finished requests of each kind, copies of those left by flows, all within their
 * retention.
 * @throws BenchFailure `not_seeded` if the checkout keeps them elsewhere
 */
export async function seedRequests(client: Client, count: number, progress: Progress): Promise<void> {
  for (const table of REQUEST_TABLES) {
    for (let done = 0; done < count; done += CHUNK) {
      progress(`seeding ${table}: ${done} of ${count}`);
      await copyFinished(client, table, Math.min(CHUNK, count - done));
    }
    progress(`seeding ${table}: vacuum`);
    await client.query(`VACUUM (ANALYZE) ${table}`);
  }
}

const FILL_LIST = `
  INSERT INTO issuer.status_entry (list_number, idx, status, offer_id, expires_at)
  SELECT list.list_number, free.idx, CASE WHEN random() < 1.0 / ${REVOKED_OF} THEN 1 ELSE 0 END,
    decode(substr(md5(random()::text || free.idx) || md5(free.idx || random()::text), 1, 48), 'hex'),
    now() + interval '300 days'
  FROM (SELECT list_number, size FROM issuer.status_list WHERE closed_at IS NULL) AS list,
    LATERAL (
      SELECT candidate.idx FROM generate_series(0, list.size - 1) AS candidate (idx)
      WHERE NOT EXISTS (
        SELECT FROM issuer.status_entry AS taken
        WHERE taken.list_number = list.list_number AND taken.idx = candidate.idx)
      ORDER BY random() LIMIT $1
    ) AS free`;

/**
 * Takes `count` random entries of the open status list and revokes one in a hundred. Call it before the list is first
 * requested, so that the verifier sees it in this state.
 * @throws BenchFailure `not_seeded` if the list has no room, or the checkout keeps entries elsewhere
 */
export async function seedStatusEntries(client: Client, count: number, progress: Progress): Promise<void> {
  progress(`seeding the status list: ${count} entries`);
  await columnsOf(client, 'issuer.status_entry');
  const { rowCount } = await client.query(FILL_LIST, [count]);
  if (rowCount !== count) {
    throw new BenchFailure('not_seeded', `the status list has room for ${rowCount ?? 0} entries, not for ${count}`);
  }
  await client.query('UPDATE issuer.status_list SET version = version + 1 WHERE closed_at IS NULL');
  await client.query('VACUUM (ANALYZE) issuer.status_entry');
}
