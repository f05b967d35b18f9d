import { callbackTableSql } from '@vestibule/callbacks';
import { idempotencyTableSql } from '@vestibule/persistence';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { AddAuditTrail1795690000000 } from './add-audit-trail.migration';
import { AddCallbackDetails1795392000000 } from './add-callback-details.migration';
import { AddCallbackExpiry1795810000000 } from './add-callback-expiry.migration';
import { AddCallbackHold1795406400000 } from './add-callback-hold.migration';
import { AddCallbackOverview1795820000000 } from './add-callback-overview.migration';
import { AddCallbackReceivers1769904000000 } from './add-callback-receivers';
import { AddDeferralAndNotification1771113600000 } from './add-deferral-and-notification.migration';
import { AddDelivery1795406400001 } from './add-delivery.migration';
import { AddIssuedEntries1772582400000 } from './add-issued-entries.migration';
import { AddKeptAnswers1795395600000 } from './add-kept-answers.migration';
import { AddListCertificates1772582400001 } from './add-list-certificates.migration';
import { AddListIssuers1795420000000 } from './add-list-issuers.migration';
import { AddUnsignedOffers1795690000001 } from './add-unsigned-offers.migration';
import { AddUnservedWallets1795410000000 } from './add-unserved-wallets.migration';
import { AddWalletStatus1795786000000 } from './add-wallet-status.migration';
import { FillPages1795780000000 } from './fill-pages.migration';
import { AddOfferRowChecks1795776000000, DropOfferChecks1795776000001 } from './offer-row-checks.migration';
import { CreateStatusLists1770163200003 } from './status-list-migration';
import { AddWalletAttestation1767312000000 } from './wallet-attestation.migration';

export const SCHEMA = 'issuer';

const TABLES = [
  // `session` is sealed: claims, code and transaction code rules of an open offer. It is deleted when the offer ends.
  `CREATE TABLE issuer.credential_offer (
     offer_id bytea PRIMARY KEY CHECK (octet_length(offer_id) = 24),
     configuration_id text NOT NULL,
     status text NOT NULL DEFAULT 'OFFER_CREATED' CHECK (status IN ('OFFER_CREATED', 'ISSUED', 'FAILED', 'EXPIRED')),
     session bytea,
     code_digest bytea,
     tx_code_digest bytea,
     tx_code_attempts smallint NOT NULL DEFAULT 0,
     redeemed_at timestamptz,
     created_at timestamptz NOT NULL,
     expires_at timestamptz NOT NULL,
     finished_at timestamptz,
     CONSTRAINT open_has_session CHECK ((status = 'OFFER_CREATED') = (session IS NOT NULL)),
     CONSTRAINT open_has_code CHECK ((status = 'OFFER_CREATED') = (code_digest IS NOT NULL)),
     CONSTRAINT ended_has_no_tx_code CHECK (status = 'OFFER_CREATED' OR tx_code_digest IS NULL),
     CONSTRAINT ended_has_time CHECK ((status = 'OFFER_CREATED') = (finished_at IS NULL))
   ) WITH (fillfactor = 80)`,
  `CREATE UNIQUE INDEX credential_offer_code ON issuer.credential_offer (code_digest) WHERE code_digest IS NOT NULL`,
  `CREATE INDEX credential_offer_open ON issuer.credential_offer (expires_at) WHERE status = 'OFFER_CREATED'`,
  `CREATE INDEX credential_offer_ended ON issuer.credential_offer (finished_at) WHERE finished_at IS NOT NULL`,
  `CREATE TABLE issuer.access_token (
     token_digest bytea PRIMARY KEY CHECK (octet_length(token_digest) = 32),
     offer_id bytea NOT NULL REFERENCES issuer.credential_offer ON DELETE CASCADE,
     thumbprint text NOT NULL,
     granted jsonb NOT NULL,
     expires_at timestamptz NOT NULL
   )`,
  `CREATE INDEX access_token_offer ON issuer.access_token (offer_id)`,
  `CREATE INDEX access_token_expiry ON issuer.access_token (expires_at)`,
  // Used nonces and DPoP proofs: only the first insert of a digest succeeds.
  `CREATE TABLE issuer.spent (
     kind text NOT NULL CHECK (kind IN ('c_nonce', 'dpop_proof')),
     digest bytea NOT NULL,
     expires_at timestamptz NOT NULL,
     PRIMARY KEY (kind, digest)
   )`,
  `CREATE INDEX spent_expiry ON issuer.spent (expires_at)`,
];

/** Credential offers, access tokens, spent nonces and proofs, the answers to idempotent calls, and the outbox. */
class CreateIssuerTables1767225600000 implements MigrationInterface {
  name = 'CreateIssuerTables1767225600000';

  async up(runner: QueryRunner): Promise<void> {
    const statements = [...TABLES, ...idempotencyTableSql(SCHEMA), ...callbackTableSql(SCHEMA)];
    for (const statement of statements) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of ['callback', 'idempotency_key', 'spent', 'access_token', 'credential_offer']) {
      await runner.query(`DROP TABLE issuer.${table}`);
    }
  }
}

export const MIGRATIONS = [
  CreateIssuerTables1767225600000,
  AddWalletAttestation1767312000000,
  AddCallbackReceivers1769904000000,
  CreateStatusLists1770163200003,
  AddDeferralAndNotification1771113600000,
  AddIssuedEntries1772582400000,
  AddListCertificates1772582400001,
  AddCallbackDetails1795392000000,
  AddKeptAnswers1795395600000,
  AddCallbackHold1795406400000,
  AddDelivery1795406400001,
  AddUnservedWallets1795410000000,
  AddListIssuers1795420000000,
  AddAuditTrail1795690000000,
  AddUnsignedOffers1795690000001,
  AddOfferRowChecks1795776000000,
  DropOfferChecks1795776000001,
  FillPages1795780000000,
  AddWalletStatus1795786000000,
  AddCallbackExpiry1795810000000,
  AddCallbackOverview1795820000000,
];
