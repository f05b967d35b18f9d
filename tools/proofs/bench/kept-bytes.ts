import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { BenchFailure } from './failure';
import { copyFinished, REQUEST_TABLES, seedStatusEntries } from './seed';

/** Bytes of tables and indexes, or rows, by table. */
export type Sizes = Readonly<Record<string, number>>;

/** A page is 8 KiB: of so many rows, one more page is less than half a byte of each. */
const COPIES = 20_000;
const ENTRIES = 'issuer.status_entry';

const PURGE_MILLISECONDS = 60_000;
const LOOK_MILLISECONDS = 200;

/** Short-lived data (tokens, used nonces and proofs): the table, and the column with its end. */
const SHORT_LIVED = [
  ['issuer.access_token', 'expires_at'],
  ['issuer.spent', 'expires_at'],
] as const;

/**
 * Tables with their indexes and long values, without the maps of free space and visibility, four pages that an autovacuum
 * may add at any moment.
 */
const TABLES = `
  SELECT format('%I.%I', schemaname, relation.relname) AS name, (
    SELECT sum(pg_relation_size(part.oid)) FROM pg_class AS part
    WHERE part.oid IN (relid, reltoastrelid)
      OR part.oid IN (SELECT indexrelid FROM pg_index WHERE indrelid IN (relid, reltoastrelid)))::float8 AS bytes
  FROM pg_stat_user_tables JOIN pg_class AS relation ON relation.oid = relid ORDER BY 1`;

const OLDER_WRITERS = `
  SELECT count(*)::int AS left FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND age(backend_xid) > age($1::xid)`;

const OLDER_SNAPSHOTS = `
  SELECT count(*)::int AS left FROM pg_stat_activity
  WHERE datname = current_database() AND pid <> pg_backend_pid() AND age(backend_xmin) > age($1::xid)`;

interface TableRow {
  readonly name: string;
  readonly bytes: number;
}

/** The size of each table now. */
export async function sizesOf(client: Client): Promise<Sizes> {
  const { rows } = await client.query<TableRow>(TABLES);
  return Object.fromEntries(rows.map(({ name, bytes }) => [name, bytes]));
}

async function hasColumn(client: Client, table: string, column: string): Promise<boolean> {
  const { rows } = await client.query(
    `SELECT 1 FROM pg_attribute WHERE attrelid = to_regclass($1) AND attname = $2 AND NOT attisdropped`,
    [table, column],
  );
  return rows.length > 0;
}

/** Makes short-lived rows expire and waits until the services' own purge has deleted them. */
async function purge(client: Client): Promise<void> {
  for (const [table, column] of SHORT_LIVED) {
    if (!(await hasColumn(client, table, column))) continue;
    await client.query(`UPDATE ${table} SET ${column} = now() - interval '1 day'`);
    const deadline = performance.now() + PURGE_MILLISECONDS;
    for (;;) {
      const { rows } = await client.query<{ left: number }>(`SELECT count(*)::int AS left FROM ${table}`);
      if (rows[0]?.left === 0) break;
      if (performance.now() > deadline) {
        throw new BenchFailure('not_purged', `${table} still has ${rows[0]?.left} rows, a minute after they expired`);
      }
      await sleep(LOOK_MILLISECONDS);
    }
  }
}

/** Waits until the query counts nothing. */
async function untilNone(client: Client, query: string, horizon: string | undefined): Promise<void> {
  const deadline = performance.now() + PURGE_MILLISECONDS;
  for (;;) {
    const { rows } = await client.query<{ left: number }>(query, [horizon]);
    if (rows[0]?.left === 0) return;
    if (performance.now() > deadline) {
      throw new BenchFailure('not_purged', 'a transaction has kept deleted rows in the tables for a minute');
    }
    await sleep(LOOK_MILLISECONDS);
  }
}

/**
 * Waits for transactions that can still see what has been deleted, such as an ANALYZE of autovacuum: a rewrite would keep
 * those rows for them. First for older writers, of any database: while one runs, every new snapshot reaches back to it.
 */
async function outlastSnapshots(client: Client): Promise<void> {
  const { rows } = await client.query<{ horizon: string }>('SELECT pg_current_xact_id()::xid::text AS horizon');
  for (const query of [OLDER_WRITERS, OLDER_SNAPSHOTS]) await untilNone(client, query, rows[0]?.horizon);
}

/**
 * The size of the tables after the purge: short-lived rows are purged by the services themselves, then every table is
 * rewritten, so that free space and vacuum state do not count and the result is reproducible.
 * @throws BenchFailure `not_purged`
 */
export async function measureKept(adminUrl: string): Promise<Sizes> {
  const client = new Client({ connectionString: adminUrl });
  await client.connect();
  try {
    await purge(client);
    await outlastSnapshots(client);
    for (const name of Object.keys(await sizesOf(client))) await client.query(`VACUUM (FULL) ${name}`);
    return await sizesOf(client);
  } finally {
    await client.end();
  }
}

/** The number of rows of each table. */
export async function countRows(adminUrl: string): Promise<Sizes> {
  const client = new Client({ connectionString: adminUrl });
  await client.connect();
  try {
    const counts: [string, number][] = [];
    for (const name of Object.keys(await sizesOf(client))) {
      const { rows: counted } = await client.query<{ count: number }>(`SELECT count(*)::float8 AS count FROM ${name}`);
      counts.push([name, counted[0]?.count ?? 0]);
    }
    return Object.fromEntries(counts);
  } finally {
    await client.end();
  }
}

async function copyRows(adminUrl: string, tables: readonly string[]): Promise<void> {
  const client = new Client({ connectionString: adminUrl });
  await client.connect();
  try {
    for (const table of tables) {
      if (table === ENTRIES) await seedStatusEntries(client, COPIES, () => undefined);
      else await copyFinished(client, table, COPIES);
    }
  } finally {
    await client.end();
  }
}

/**
 * Bytes of a row, with its part of the indexes, among as many rows as a table has in production: those of these tables that
 * can be filled with copies. `before` is their size now, as {@link measureKept} returns it.
 * @throws BenchFailure `not_purged`, `not_seeded`
 */
export async function measureCopies(adminUrl: string, tables: readonly string[], before: Sizes): Promise<Sizes> {
  const known: readonly string[] = [...REQUEST_TABLES, ENTRIES];
  const copied = tables.filter((table) => known.includes(table));
  await copyRows(adminUrl, copied);
  const after = await measureKept(adminUrl);
  return Object.fromEntries(
    copied.map((table) => [table, ((after[table] ?? 0) - (before[table] ?? 0)) / COPIES] as const),
  );
}

/** The growth of each table per flow; tables that did not grow are left out. */
export function keptPerFlow(before: Sizes, after: Sizes, flows: number): Sizes {
  const grown = Object.entries(after).map(([name, bytes]) => [name, (bytes - (before[name] ?? 0)) / flows] as const);
  return Object.fromEntries(grown.filter(([, bytes]) => bytes > 0));
}

/**
 * The growth of each table per flow, free of the pages that it begins: where the bytes of a row among many are known,
 * they are multiplied with the rows of a flow.
 */
export function keptExactly(growth: Sizes, rowsPerFlow: Sizes, bytesPerRow: Sizes): Sizes {
  return Object.fromEntries(
    Object.entries(growth).map(([table, bytes]) => {
      const perRow = bytesPerRow[table];
      return [table, perRow === undefined ? bytes : perRow * (rowsPerFlow[table] ?? 0)];
    }),
  );
}

/** The sum of the tables. */
export const totalOf = (sizes: Sizes): number => Object.values(sizes).reduce((sum, bytes) => sum + bytes, 0);
