import { callbackDetailsSql } from '@vestibule/callbacks';
import type { ServiceMigration } from '@vestibule/persistence';
import type { QueryRunner } from 'typeorm';

/** Makes it possible to rebuild a dead letter without claims and send it again. Older programs store no details. */
export class AddCallbackDetails1795392000000 implements ServiceMigration {
  name = 'AddCallbackDetails1795392000000';
  readonly compatibleWith = 'previous';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of callbackDetailsSql('issuer')) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE issuer.callback DROP COLUMN details');
  }
}
