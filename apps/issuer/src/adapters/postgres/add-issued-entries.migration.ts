import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Tells entries of credentials that exist from those that were reserved and never handed out. Of entries from before, and of
 * those that a replica of the former version makes, nothing is known: they count as issued, as they did.
 */
export class AddIssuedEntries1772582400000 implements MigrationInterface {
  name = 'AddIssuedEntries1772582400000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE issuer.status_entry ADD COLUMN is_issued boolean NOT NULL DEFAULT true');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE issuer.status_entry DROP COLUMN is_issued');
  }
}
