import type { ServiceMigration } from '@vestibule/persistence';
import type { QueryRunner } from 'typeorm';

/**
 * Pages of presentation requests are filled. The end of a request changes columns of two indexes, so that Postgres never
 * writes the new version of the row as a heap-only tuple: the fifth of each page that was left free for it was wasted.
 */
export class FillPages1795700000000 implements ServiceMigration {
  name = 'FillPages1795700000000';
  readonly compatibleWith = 'previous';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE verifier.presentation_request RESET (fillfactor)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE verifier.presentation_request SET (fillfactor = 80)');
  }
}
