import type { ServiceMigration } from '@vestibule/persistence';
import type { QueryRunner } from 'typeorm';

// What is known about the delivery of an issued credential to its wallet: times, and nothing else. No row is rewritten while
// the table is locked: an earlier `credential_accepted` is read from the notification.
const UP = `
  ALTER TABLE issuer.credential_offer
    ADD COLUMN handed_over_at timestamptz,
    ADD COLUMN repeated_at timestamptz,
    ADD COLUMN accepted_at timestamptz`;

/** When an answer reached its wallet, as far as known. Older programs do not record it. */
export class AddDelivery1795406400001 implements ServiceMigration {
  name = 'AddDelivery1795406400001';
  readonly compatibleWith = 'previous';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(UP);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      'ALTER TABLE issuer.credential_offer DROP COLUMN handed_over_at, DROP COLUMN repeated_at, DROP COLUMN accepted_at',
    );
  }
}
