import type { ServiceMigration } from '@vestibule/persistence';
import type { QueryRunner } from 'typeorm';

/** When a gateway reported that it could not serve a wallet. Older programs end such offers as EXPIRED, as before. */
export class AddUnservedWallets1795410000000 implements ServiceMigration {
  name = 'AddUnservedWallets1795410000000';
  readonly compatibleWith = 'previous';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE issuer.credential_offer ADD COLUMN unserved_at timestamptz');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE issuer.credential_offer DROP COLUMN unserved_at');
  }
}
