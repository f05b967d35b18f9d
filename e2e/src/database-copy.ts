import { DATABASE_SERVICES, provisionDatabase, type ServiceUrls } from '@vestibule/dev-stack';
import { Client } from 'pg';

interface TableCopy {
  readonly table: string;
  /** Without those that Postgres computes. */
  readonly columns: string;
  readonly rows: string;
}

/** Every row of the schemas of the services, outside of Postgres. */
export interface DatabaseCopy {
  readonly tables: readonly TableCopy[];
  readonly sequences: readonly { readonly name: string; readonly last: string | null }[];
}

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

/** Copies all rows in one snapshot, as pg_dump does; the programs of Postgres are not installed everywhere. */
export function copyDatabase(adminUrl: string): Promise<DatabaseCopy> {
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
export async function restoreDatabase(adminUrl: string, { tables, sequences }: DatabaseCopy): Promise<void> {
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
