import type { ServiceMigration } from '@vestibule/persistence';
import type { QueryRunner } from 'typeorm';

const TABLES = { credential_offer: 80, status_entry: 90 };

/**
 * Pages of offers and status entries are filled. An open offer is five times as long as an ended one: into the space that
 * ended ones left, free pages for new versions of a row included, no open one fits. Postgres prunes a full page before it
 * writes to it, so that as many new versions as before are heap-only tuples. No row is rewritten, and nothing waits.
 */
export class FillPages1795780000000 implements ServiceMigration {
  name = 'FillPages1795780000000';
  readonly compatibleWith = 'previous';

  async up(runner: QueryRunner): Promise<void> {
    for (const table of Object.keys(TABLES)) await runner.query(`ALTER TABLE issuer.${table} RESET (fillfactor)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const [table, factor] of Object.entries(TABLES))
      await runner.query(`ALTER TABLE issuer.${table} SET (fillfactor = ${factor})`);
  }
}
