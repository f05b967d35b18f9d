import { callbackExpirySql } from '@vestibule/callbacks';
import type { ServiceMigration } from '@vestibule/persistence';
import type { QueryRunner } from 'typeorm';

/** Events whose time is over are found among any number of waiting ones. Older programs need no such index. */
export class AddCallbackExpiry1795810000000 implements ServiceMigration {
  name = 'AddCallbackExpiry1795810000000';
  readonly compatibleWith = 'previous';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of callbackExpirySql('issuer')) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX issuer.callback_expiry');
  }
}
