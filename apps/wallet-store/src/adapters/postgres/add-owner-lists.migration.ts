import type { ServiceMigration } from '@vestibule/persistence';
import type { QueryRunner } from 'typeorm';

const TABLES = ['entity', 'wallet'];

/**
 * Pages of entities and wallets, in the order of their creation. Cursors state instants in milliseconds, so the column
 * has no finer ones. `wallet_entity` still serves those who look for an entity alone.
 */
export class AddOwnerLists1795424400000 implements ServiceMigration {
  name = 'AddOwnerLists1795424400000';
  /** Older programs write milliseconds, too. */
  readonly compatibleWith = 'previous';

  async up(runner: QueryRunner): Promise<void> {
    for (const table of TABLES) {
      await runner.query(`ALTER TABLE wallet_store.${table} ALTER COLUMN created_at TYPE timestamptz(3)`);
      await runner.query(`CREATE INDEX ${table}_list ON wallet_store.${table} (tenant_id, created_at, did)`);
    }
    await runner.query('DROP INDEX wallet_store.wallet_entity');
    await runner.query('CREATE INDEX wallet_entity ON wallet_store.wallet (entity_did, created_at, did)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX wallet_store.wallet_entity');
    await runner.query('CREATE INDEX wallet_entity ON wallet_store.wallet (entity_did)');
    for (const table of TABLES) {
      await runner.query(`DROP INDEX wallet_store.${table}_list`);
      await runner.query(`ALTER TABLE wallet_store.${table} ALTER COLUMN created_at TYPE timestamptz`);
    }
  }
}
