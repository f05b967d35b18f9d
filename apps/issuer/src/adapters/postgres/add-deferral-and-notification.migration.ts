import type { MigrationInterface, QueryRunner } from 'typeorm';

const UP = [
  // `transaction_keys` is sealed: the wallet's keys for a deferred credential. `transaction_digest` is kept after the
  // end.
  `ALTER TABLE issuer.credential_offer
     ADD COLUMN deferral text CHECK (deferral IN ('waiting', 'ready')),
     ADD COLUMN transaction_digest bytea CHECK (octet_length(transaction_digest) = 32),
     ADD COLUMN transaction_keys bytea,
     ADD COLUMN notification_event text
       CHECK (notification_event IN ('credential_accepted', 'credential_failure', 'credential_deleted')),
     ADD COLUMN notified_at timestamptz,
     ADD CONSTRAINT ended_has_no_keys CHECK (status = 'OFFER_CREATED' OR transaction_keys IS NULL),
     ADD CONSTRAINT only_deferred_has_transaction CHECK (deferral IS NOT NULL OR transaction_digest IS NULL),
     ADD CONSTRAINT notified_has_time CHECK ((notification_event IS NULL) = (notified_at IS NULL)),
     DROP CONSTRAINT open_has_session,
     ADD CONSTRAINT open_has_session CHECK (CASE status
       WHEN 'OFFER_CREATED' THEN session IS NOT NULL WHEN 'ISSUED' THEN true ELSE session IS NULL END)`,
  // Issued offers that keep their claims until they expire.
  `CREATE INDEX credential_offer_kept ON issuer.credential_offer (expires_at)
     WHERE status = 'ISSUED' AND session IS NOT NULL`,
];

const DOWN = [
  `DROP INDEX issuer.credential_offer_kept`,
  `UPDATE issuer.credential_offer SET session = NULL WHERE status = 'ISSUED'`,
  `ALTER TABLE issuer.credential_offer
     DROP CONSTRAINT open_has_session,
     ADD CONSTRAINT open_has_session CHECK ((status = 'OFFER_CREATED') = (session IS NOT NULL)),
     DROP COLUMN deferral, DROP COLUMN transaction_digest, DROP COLUMN transaction_keys,
     DROP COLUMN notification_event, DROP COLUMN notified_at`,
];

/** Deferred issuance, notifications, and claims that are kept until an offer expires. */
export class AddDeferralAndNotification1771113600000 implements MigrationInterface {
  name = 'AddDeferralAndNotification1771113600000';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of UP) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const statement of DOWN) await runner.query(statement);
  }
}
