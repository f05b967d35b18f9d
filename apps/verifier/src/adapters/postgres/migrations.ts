import { callbackTableSql } from '@vestibule/callbacks';
import { idempotencyTableSql } from '@vestibule/persistence';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { AddAuditTrail1795690000000 } from './add-audit-trail.migration';
import { AddCallbackDetails1795392000000 } from './add-callback-details.migration';
import { AddCallbackExpiry1795810000000 } from './add-callback-expiry.migration';
import { AddCallbackHold1795406400000 } from './add-callback-hold.migration';
import { AddCallbackOverview1795820000000 } from './add-callback-overview.migration';
import { AddCallbackReceivers1769904000000 } from './add-callback-receivers';
import { AddDecisionRecord1795420800000 } from './add-decision-record.migration';
import { AddUnservedWallets1795410000000 } from './add-unserved-wallets.migration';
import { FillPages1795700000000 } from './fill-pages.migration';

export const SCHEMA = 'verifier';

/** Presentation requests, the answers to idempotent calls, and the outbox of callbacks. */
class CreateVerifierTables1767225600000 implements MigrationInterface {
  name = 'CreateVerifierTables1767225600000';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of [...TABLES, ...idempotencyTableSql(SCHEMA), ...callbackTableSql(SCHEMA)])
      await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of ['callback', 'idempotency_key', 'presentation_request']) {
      await runner.query(`DROP TABLE verifier.${table}`);
    }
  }
}

const TABLES = [
  // `session` is sealed: the query, nonces and private keys of an open request. It is deleted when the request ends.
  // `answer` is sealed too: what the wallet received, for a byte-identical repeat of the accepted response.
  `CREATE TABLE verifier.presentation_request (
     state bytea PRIMARY KEY CHECK (octet_length(state) = 24),
     status text NOT NULL DEFAULT 'PENDING'
       CHECK (status IN ('PENDING', 'FULFILLED', 'REJECTED', 'EXPIRED', 'PROCESSING_ERROR', 'VERIFICATION_FAILED')),
     session bytea,
     created_at timestamptz NOT NULL,
     expires_at timestamptz NOT NULL,
     finished_at timestamptz,
     response_digest bytea,
     answer bytea,
     checks jsonb,
     CONSTRAINT open_has_session CHECK ((status = 'PENDING') = (session IS NOT NULL)),
     CONSTRAINT ended_has_time CHECK ((status = 'PENDING') = (finished_at IS NULL))
   ) WITH (fillfactor = 80)`,
  `CREATE INDEX presentation_request_open ON verifier.presentation_request (expires_at) WHERE status = 'PENDING'`,
  `CREATE INDEX presentation_request_ended ON verifier.presentation_request (finished_at) WHERE finished_at IS NOT NULL`,
];

export const MIGRATIONS = [
  CreateVerifierTables1767225600000,
  AddCallbackReceivers1769904000000,
  AddCallbackDetails1795392000000,
  AddCallbackHold1795406400000,
  AddUnservedWallets1795410000000,
  AddDecisionRecord1795420800000,
  AddAuditTrail1795690000000,
  FillPages1795700000000,
  AddCallbackExpiry1795810000000,
  AddCallbackOverview1795820000000,
];
