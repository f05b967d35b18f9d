import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Distinguishes entries of issued credentials from those that were reserved and never used. For entries from before,
 * and from replicas of the previous version, this is unknown: they still count as issued.
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
