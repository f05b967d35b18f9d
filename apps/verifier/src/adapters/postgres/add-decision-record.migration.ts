import type { ServiceMigration } from '@vestibule/persistence';
import type { QueryRunner } from 'typeorm';

/**
 * Decision records in a compact form. Older programs write and show `checks`, which this version goes on reading; they
 * show a request that this version ended without its checks.
 */
export class AddDecisionRecord1795420800000 implements ServiceMigration {
  name = 'AddDecisionRecord1795420800000';
  readonly compatibleWith = 'previous';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE verifier.presentation_request ADD COLUMN decision_record text');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE verifier.presentation_request DROP COLUMN decision_record');
  }
}
