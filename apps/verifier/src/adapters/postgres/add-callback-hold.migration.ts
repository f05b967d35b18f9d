import { callbackHoldSql } from '@vestibule/callbacks';
import type { ServiceMigration } from '@vestibule/persistence';
import type { QueryRunner } from 'typeorm';

/** Events can be held back. Older programs deliver events that newer ones hold back when the hold ends. */
export class AddCallbackHold1795406400000 implements ServiceMigration {
  name = 'AddCallbackHold1795406400000';
  readonly compatibleWith = 'previous';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of callbackHoldSql('verifier')) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE verifier.callback DROP COLUMN held_until');
  }
}
