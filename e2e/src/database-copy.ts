import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import {
  DATABASE_SERVICES,
  findProgram,
  provisionDatabase,
  readTestEnvironment,
  type ServiceUrls,
} from '@vestibule/dev-stack';
import { Client } from 'pg';

interface TableCopy {
  readonly table: string;
  /** Without those that Postgres computes. */
  readonly columns: string;
  readonly rows: string;
}

/** Every row of the schemas of the services, outside of Postgres. */
interface RowsCopy {
  readonly tables: readonly TableCopy[];
  readonly sequences: readonly { readonly name: string; readonly last: string | null }[];
}

/**
 * Puts what was copied into an empty database with the roles and schemas of a new installation, once. `migrate` makes the
 * tables, for a copy that does not contain them.
 */
export type Restore = (adminUrl: string, migrate: () => Promise<void>) => Promise<void>;

const TABLES = `
  SELECT format('%I.%I', table_schema, table_name) AS table, columns.columns
  FROM information_schema.tables CROSS JOIN LATERAL (
    SELECT string_agg(quote_ident(column_name), ', ' ORDER BY ordinal_position) AS columns
    FROM information_schema.columns AS one
    WHERE one.table_schema = tables.table_schema AND one.table_name = tables.table_name AND is_generated = 'NEVER'
  ) AS columns
  WHERE table_schema = ANY($1) AND table_type = 'BASE TABLE'`;
const SEQUENCES = `
  SELECT format('%I.%I', schemaname, sequencename) AS name, last_value::text AS last
  FROM pg_sequences WHERE schemaname = ANY($1)`;

async function withClient<Result>(url: string, work: (client: Client) => Promise<Result>): Promise<Result> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** Copies all rows in one snapshot, as pg_dump does. */
function copyRows(adminUrl: string): Promise<RowsCopy> {
  return withClient(adminUrl, async (client) => {
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
    const found = await client.query<{ table: string; columns: string }>(TABLES, [DATABASE_SERVICES]);
    const tables: TableCopy[] = [];
    for (const { table, columns } of found.rows) {
      const sql = `SELECT coalesce(json_agg(one), '[]')::text AS rows FROM ${table} AS one`;
      const { rows } = await client.query<{ rows: string }>(sql);
      tables.push({ table, columns, rows: rows[0]?.rows ?? '[]' });
    }
    const sequences = await client.query<{ name: string; last: string | null }>(SEQUENCES, [DATABASE_SERVICES]);
    await client.query('COMMIT');
    return { tables, sequences: sequences.rows };
  });
}

/** Runs statements as the superuser. */
export const runSql = (adminUrl: string, sql: string) =>
  withClient(adminUrl, async (client) => void (await client.query(sql)));

const passwordOf = (url: string) => decodeURIComponent(new URL(url).password);

/** Drops the database with everything in it, and makes an empty one with the same roles and schemas. */
export async function loseDatabase(adminUrl: string, urls: ServiceUrls): Promise<void> {
  const server = new URL(adminUrl);
  const database = server.pathname.slice(1);
  server.pathname = '/postgres';
  await runSql(server.href, `DROP DATABASE "${database}" WITH (FORCE)`);
  const passwords = {
    verifier: passwordOf(urls.verifier),
    issuer: passwordOf(urls.issuer),
    wallet_store: passwordOf(urls.wallet_store),
  };
  await provisionDatabase({ adminUrl: server.href, database, passwords });
}

/** Puts the rows of a copy into tables that migrations have made. */
async function restoreRows(adminUrl: string, { tables, sequences }: RowsCopy): Promise<void> {
  await withClient(adminUrl, async (client) => {
    // As pg_restore does with triggers off: rows come in any order of their foreign keys.
    await client.query('BEGIN; SET LOCAL session_replication_role = replica');
    await client.query(`TRUNCATE ${tables.map(({ table }) => table).join(', ')}`);
    for (const { table, columns, rows } of tables) {
      const source = `SELECT ${columns} FROM json_populate_recordset(NULL::${table}, $1)`;
      await client.query(`INSERT INTO ${table} (${columns}) OVERRIDING SYSTEM VALUE ${source}`, [rows]);
    }
    for (const { name, last } of sequences) {
      if (last !== null) await client.query('SELECT setval($1::regclass, $2)', [name, last]);
    }
    await client.query('COMMIT');
  });
}

const run = promisify(execFile);

/** The path of pg_dump or pg_restore if it is installed and understands this server. */
async function findClient(name: string, adminUrl: string): Promise<string | undefined> {
  const program = findProgram(name, readTestEnvironment().searchPath);
  if (program === undefined) return undefined;
  const [, version = '0'] = /(\d+)/.exec((await run(program, ['--version'])).stdout) ?? [];
  const { rows } = await withClient(adminUrl, (client) =>
    client.query<{ server_version_num: string }>('SHOW server_version_num'),
  );
  return Number(version) * 10_000 + 9_999 >= Number(rows[0]?.server_version_num) ? program : undefined;
}

/** As docs/backup.md has it. */
async function dumpDatabase(pgDump: string, pgRestore: string, adminUrl: string): Promise<Restore> {
  const folder = mkdtempSync(path.join(tmpdir(), 'vestibule-dump-'));
  const file = path.join(folder, 'vestibule.dump');
  await run(pgDump, ['--format=custom', `--file=${file}`, adminUrl]);
  return async (url) => {
    try {
      await run(pgRestore, ['--clean', '--if-exists', '--exit-on-error', `--dbname=${url}`, file]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  };
}

/**
 * Copies everything: with `pg_dump` where one is installed that understands the server, else all rows. With
 * `PG_DUMP=required`, as in the full run, it throws where there is none.
 */
export async function copyDatabase(adminUrl: string): Promise<Restore> {
  const [pgDump, pgRestore] = [await findClient('pg_dump', adminUrl), await findClient('pg_restore', adminUrl)];
  if (pgDump !== undefined && pgRestore !== undefined) return dumpDatabase(pgDump, pgRestore, adminUrl);
  // eslint-disable-next-line no-restricted-properties -- a switch of the tests
  if (process.env['PG_DUMP'] === 'required') throw new Error('there is no pg_dump that understands this Postgres');
  const rows = await copyRows(adminUrl);
  return async (url, migrate) => {
    await migrate();
    await restoreRows(url, rows);
  };
}
