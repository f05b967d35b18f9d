import { randomBytes } from 'node:crypto';
import { Client } from 'pg';

/** An empty database of its own on the server of a stage. */
export interface EmptyDatabase {
  /** For a role that owns the database and is no superuser. */
  readonly url: string;
  /** The tables of a schema, sorted. */
  tables(schema: string): Promise<readonly string[]>;
  close(): Promise<void>;
}

async function run(url: string, ...statements: readonly string[]): Promise<readonly Record<string, string>[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    let rows: readonly Record<string, string>[] = [];
    for (const sql of statements) rows = (await client.query<Record<string, string>>(sql)).rows;
    return rows;
  } finally {
    await client.end();
  }
}

/** Makes an empty database for migrations. `close` drops it and its role. */
export async function openToMigrations(adminUrl: string): Promise<EmptyDatabase> {
  const name = `operator_${randomBytes(6).toString('hex')}`;
  await run(adminUrl, `CREATE ROLE ${name} LOGIN PASSWORD '${name}'`, `CREATE DATABASE ${name} OWNER ${name}`);
  const url = new URL(adminUrl);
  Object.assign(url, { username: name, password: name, pathname: `/${name}` });
  const listTables = (schema: string) =>
    run(url.href, `SELECT tablename FROM pg_tables WHERE schemaname = '${schema}' ORDER BY 1`);
  return {
    url: url.href,
    tables: async (schema) => (await listTables(schema)).map(({ tablename }) => tablename ?? ''),
    close: () => run(adminUrl, `DROP DATABASE ${name} WITH (FORCE)`, `DROP ROLE ${name}`).then(() => undefined),
  };
}
