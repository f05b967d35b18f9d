import { callbackReceiverSql } from '@vestibule/callbacks';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** An event may have its own receiver, and operators see its status. */
export class AddCallbackReceivers1769904000000 implements MigrationInterface {
  name = 'AddCallbackReceivers1769904000000';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of callbackReceiverSql('issuer')) await runner.query(statement);
    await runner.query('ALTER TABLE issuer.credential_offer ADD COLUMN callback_url text');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE issuer.credential_offer DROP COLUMN callback_url');
    await runner.query('ALTER TABLE issuer.callback DROP COLUMN target, DROP COLUMN url, DROP COLUMN status');
    await runner.query('CREATE INDEX callback_due ON issuer.callback (next_attempt_at) WHERE dead_at IS NULL');
  }
}
