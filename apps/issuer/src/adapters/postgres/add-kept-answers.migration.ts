import type { ServiceMigration } from '@vestibule/persistence';
import type { QueryRunner } from 'typeorm';

const UP = [
  // Each row is an answer for a wallet that did not receive it, sealed under a secret that only the wallet has. Random
  // bytes do not compress, so compression is disabled; and an answer that fits into a page stays in its row, which
  // costs one insert.
  `CREATE TABLE issuer.kept_answer (
     token_digest bytea NOT NULL REFERENCES issuer.access_token ON DELETE CASCADE,
     request_digest bytea NOT NULL CHECK (octet_length(request_digest) = 32),
     sealed bytea NOT NULL,
     expires_at timestamptz NOT NULL,
     PRIMARY KEY (token_digest, request_digest)
   ) WITH (toast_tuple_target = 8160)`,
  `ALTER TABLE issuer.kept_answer ALTER COLUMN sealed SET STORAGE EXTERNAL`,
  `CREATE INDEX kept_answer_expiry ON issuer.kept_answer (expires_at)`,
  // How a redeemed code is recognised: its SHA-256, and a digest, keyed by the code, of the transaction code sent with
  // it.
  `ALTER TABLE issuer.access_token
     ADD COLUMN code_digest bytea CHECK (octet_length(code_digest) = 32),
     ADD COLUMN tx_code_digest bytea CHECK (octet_length(tx_code_digest) = 32)`,
  `CREATE UNIQUE INDEX access_token_code ON issuer.access_token (code_digest) WHERE code_digest IS NOT NULL`,
];

const DOWN = [
  `DROP INDEX issuer.access_token_code`,
  `ALTER TABLE issuer.access_token DROP COLUMN code_digest, DROP COLUMN tx_code_digest`,
  `DROP TABLE issuer.kept_answer`,
];

/**
 * Answers that can be repeated, and codes that are recognised after they were redeemed. An older program keeps nothing
 * and refuses repetitions, as before; the sweep of a newer one deletes expired answers.
 */
export class AddKeptAnswers1795395600000 implements ServiceMigration {
  name = 'AddKeptAnswers1795395600000';
  readonly compatibleWith = 'previous';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of UP) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const statement of DOWN) await runner.query(statement);
  }
}
