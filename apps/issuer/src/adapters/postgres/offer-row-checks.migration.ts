import type { ServiceMigration } from '@vestibule/persistence';
import type { QueryRunner } from 'typeorm';

const TABLE = 'issuer.credential_offer';
const DOMAIN = 'issuer.credential_offer_row';
const CHECK = 'credential_offer_row_check';

/** The checks of the table until now; `row` comes before each name of a column. */
const checksOf = (row: string): Readonly<Record<string, string>> => ({
  credential_offer_offer_id_check: `octet_length(${row}offer_id) = 24`,
  credential_offer_status_check: `${row}status IN ('OFFER_CREATED', 'ISSUED', 'FAILED', 'EXPIRED')`,
  credential_offer_deferral_check: `${row}deferral IN ('waiting', 'ready')`,
  credential_offer_transaction_digest_check: `octet_length(${row}transaction_digest) = 32`,
  credential_offer_notification_event_check: `${row}notification_event
    IN ('credential_accepted', 'credential_failure', 'credential_deleted')`,
  open_has_session: `CASE ${row}status
    WHEN 'OFFER_CREATED' THEN ${row}session IS NOT NULL WHEN 'ISSUED' THEN true ELSE ${row}session IS NULL END`,
  open_has_code: `(${row}status = 'OFFER_CREATED') = (${row}code_digest IS NOT NULL)`,
  ended_has_no_tx_code: `${row}status = 'OFFER_CREATED' OR ${row}tx_code_digest IS NULL`,
  ended_has_time: `(${row}status = 'OFFER_CREATED') = (${row}finished_at IS NULL)`,
  ended_has_no_keys: `${row}status = 'OFFER_CREATED' OR ${row}transaction_keys IS NULL`,
  only_deferred_has_transaction: `${row}deferral IS NOT NULL OR ${row}transaction_digest IS NULL`,
  notified_has_time: `(${row}notification_event IS NULL) = (${row}notified_at IS NULL)`,
});

const constraintsOf = (row: string): string[] =>
  Object.entries(checksOf(row)).map(([name, expression]) => `CONSTRAINT ${name} CHECK (${expression})`);

/**
 * The checks of an offer move to a domain over its row. For each statement that writes to a table, Postgres reads the
 * expressions of its checks again, which took a tenth of what an issuance costs Postgres; those of a domain it reads
 * once per connection. Until the next migration, both hold.
 */
export class AddOfferRowChecks1795776000000 implements ServiceMigration {
  name = 'AddOfferRowChecks1795776000000';
  /** The same rows are refused. */
  readonly compatibleWith = 'previous';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE DOMAIN ${DOMAIN} AS ${TABLE} ${constraintsOf('(VALUE).').join(' ')}`);
    // Existing rows are read by the next migration: this one locks the table, for a moment.
    await runner.query(`ALTER TABLE ${TABLE} ADD CONSTRAINT ${CHECK}
      CHECK (credential_offer::${DOMAIN} IS DISTINCT FROM NULL) NOT VALID`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE ${TABLE} DROP CONSTRAINT ${CHECK}`);
    await runner.query(`DROP DOMAIN ${DOMAIN}`);
  }
}

/** Reads existing rows while flows continue; the table is locked only for dropping the former checks after that. */
export class DropOfferChecks1795776000001 implements ServiceMigration {
  name = 'DropOfferChecks1795776000001';
  readonly compatibleWith = 'previous';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE ${TABLE} VALIDATE CONSTRAINT ${CHECK}`);
    const drops = Object.keys(checksOf('')).map((name) => `DROP CONSTRAINT ${name}`);
    await runner.query(`ALTER TABLE ${TABLE} ${drops.join(', ')}`);
  }

  async down(runner: QueryRunner): Promise<void> {
    const adds = constraintsOf('').map((constraint) => `ADD ${constraint}`);
    await runner.query(`ALTER TABLE ${TABLE} ${adds.join(', ')}`);
  }
}
