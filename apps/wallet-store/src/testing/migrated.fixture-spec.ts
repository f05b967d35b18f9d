import { createTestDatabase } from '@vestibule/dev-stack';
import { runMigrations, type MigrationClass } from '@vestibule/persistence';
import { createLogger } from '@vestibule/process';
import { Client } from 'pg';
import { WALLET_STORE_DATABASE } from '../adapters/postgres/database';
import { MIGRATIONS } from '../adapters/postgres/migrations';

/** The tenant, and the entity `e` of it, that everything in the database belongs to. */
export const TENANT = '00000000-0000-4000-8000-000000000001';

/** A database as it was before a migration, with empty wallets. */
export async function openBefore(migration: MigrationClass, wallets: readonly string[]) {
  const made = await createTestDatabase();
  const logger = createLogger({ name: 'test', level: 'silent' });
  const migrate = (migrations: readonly MigrationClass[]) =>
    runMigrations({
      ...WALLET_STORE_DATABASE,
      migrations,
      url: made.urls.wallet_store,
      applicationName: 'test',
      logger,
    });
  const all: readonly MigrationClass[] = MIGRATIONS;
  await migrate(all.slice(0, all.indexOf(migration)));
  const client = new Client({ connectionString: made.adminUrl });
  await client.connect();
  for (const statement of [
    `INSERT INTO wallet_store.tenant (id, name) VALUES ('${TENANT}', 'one')`,
    `INSERT INTO wallet_store.entity VALUES ('e', '${TENANT}', '', 1, '{}', '{}', now(), now())`,
    ...wallets.map(
      (wallet) =>
        `INSERT INTO wallet_store.wallet VALUES ('${wallet}', '${TENANT}', 'e', '', 1, '{}', '{}', now(), now())`,
    ),
  ])
    await client.query(statement);
  return {
    client,
    /** Runs this migration and all after it. */
    migrate: () => migrate(all),
    /** The tables of documents whose row-level security holds for their owner too. */
    async forcedTables(): Promise<readonly string[]> {
      const { rows } = await client.query<{ relname: string }>(
        `SELECT relname FROM pg_class WHERE relname IN ('credential', 'presentation') AND relforcerowsecurity ORDER BY 1`,
      );
      return rows.map(({ relname }) => relname);
    },
    async close() {
      await client.end();
      await made.drop();
    },
  };
}

export type EarlierDatabase = Awaited<ReturnType<typeof openBefore>>;
