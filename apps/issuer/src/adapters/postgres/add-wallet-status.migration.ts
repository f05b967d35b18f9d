import type { ServiceMigration } from '@vestibule/persistence';
import type { QueryRunner } from 'typeorm';

/**
 * Where the status of the wallet of an offer is. Older programs neither write nor read it: they do not look at it again, and
 * leave it with an offer that they end until its row is deleted. So no check says that an ended offer has none.
 */
export class AddWalletStatus1795786000000 implements ServiceMigration {
  name = 'AddWalletStatus1795786000000';
  readonly compatibleWith = 'previous';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE issuer.credential_offer ADD COLUMN wallet_status bytea');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE issuer.credential_offer DROP COLUMN wallet_status');
  }
}
