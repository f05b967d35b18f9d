import type { ServiceMigration } from '@vestibule/persistence';
import type { QueryRunner } from 'typeorm';

/** When an offer could not be signed because the device was away. Older programs end it with the code of other outages. */
export class AddUnsignedOffers1795690000001 implements ServiceMigration {
  name = 'AddUnsignedOffers1795690000001';
  readonly compatibleWith = 'previous';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE issuer.credential_offer ADD COLUMN unsigned_at timestamptz');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE issuer.credential_offer DROP COLUMN unsigned_at');
  }
}
