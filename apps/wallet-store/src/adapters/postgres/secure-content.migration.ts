import type { MigrationInterface, QueryRunner } from 'typeorm';
import { tenantSecuritySql } from './tenant-scope';

const TABLES = ['entity', 'wallet', 'credential', 'presentation'];

const UP = [
  // Of the same document in several wallets, only the one that was drafted there has a source.
  ...['credential', 'presentation'].flatMap((kind) => [
    `ALTER TABLE wallet_store.${kind} ADD COLUMN source bytea`,
    `CREATE UNIQUE INDEX ${kind}_draft ON wallet_store.${kind} (tenant_id, did) WHERE latest AND source IS NOT NULL`,
  ]),
  'ALTER TABLE wallet_store.wallet ADD COLUMN is_default boolean NOT NULL DEFAULT false',
  'CREATE UNIQUE INDEX wallet_default ON wallet_store.wallet (tenant_id) WHERE is_default',
  ...TABLES.flatMap((table) => tenantSecuritySql(`wallet_store.${table}`)),
];

const DOWN = [
  ...TABLES.flatMap((table) => [
    `DROP POLICY of_tenant ON wallet_store.${table}`,
    `ALTER TABLE wallet_store.${table} NO FORCE ROW LEVEL SECURITY`,
    `ALTER TABLE wallet_store.${table} DISABLE ROW LEVEL SECURITY`,
  ]),
  'DROP INDEX wallet_store.wallet_default',
  'ALTER TABLE wallet_store.wallet DROP COLUMN is_default',
  ...['credential', 'presentation'].flatMap((kind) => [
    `DROP INDEX wallet_store.${kind}_draft`,
    `ALTER TABLE wallet_store.${kind} DROP COLUMN source`,
  ]),
];

/** Sources of drafts, default wallets, and row-level security on everything that belongs to a tenant. */
export class SecureContent1767830400000 implements MigrationInterface {
  name = 'SecureContent1767830400000';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of UP) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const statement of DOWN) await runner.query(statement);
  }
}
