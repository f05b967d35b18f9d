import { callbackOverviewSql } from '@vestibule/callbacks';
import type { ServiceMigration } from '@vestibule/persistence';
import type { QueryRunner } from 'typeorm';

/** Operators see the age of events, and their dead letters, among any number of others. Older programs need no such indexes. */
export class AddCallbackOverview1795820000000 implements ServiceMigration {
  name = 'AddCallbackOverview1795820000000';
  readonly compatibleWith = 'previous';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of callbackOverviewSql('issuer')) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const index of ['callback_replayable', 'callback_letter', 'callback_age'])
      await runner.query(`DROP INDEX issuer.${index}`);
  }
}
