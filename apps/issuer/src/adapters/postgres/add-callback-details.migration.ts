import { callbackDetailsSql } from '@vestibule/callbacks';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A dead letter without claims can be rebuilt and sent again. */
export class AddCallbackDetails1795392000000 implements MigrationInterface {
  name = 'AddCallbackDetails1795392000000';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of callbackDetailsSql('issuer')) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE issuer.callback DROP COLUMN details');
  }
}
