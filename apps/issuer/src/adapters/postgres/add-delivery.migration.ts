import type { ServiceMigration } from '@vestibule/persistence';
import type { QueryRunner } from 'typeorm';

const UP = [
  // What is known about the delivery of an issued credential to its wallet: times, and nothing else.
  `ALTER TABLE issuer.credential_offer
     ADD COLUMN handed_over_at timestamptz,
     ADD COLUMN repeated_at timestamptz,
     ADD COLUMN accepted_at timestamptz`,
  `UPDATE issuer.credential_offer SET accepted_at = notified_at WHERE notification_event = 'credential_accepted'`,
];

/** When an answer reached its wallet, as far as known. Older programs do not record it. */
export class AddDelivery1795406400001 implements ServiceMigration {
  name = 'AddDelivery1795406400001';
  readonly compatibleWith = 'previous';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of UP) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      'ALTER TABLE issuer.credential_offer DROP COLUMN handed_over_at, DROP COLUMN repeated_at, DROP COLUMN accepted_at',
    );
  }
}
