import { idempotencyTableSql } from '@vestibule/persistence';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { AddAuditTrail1795690000000 } from './add-audit-trail.migration';
import { AddOwnerLists1795424400000 } from './add-owner-lists.migration';
import { AddPresented1795413600000 } from './add-presented.migration';
import { AddStatusLists1795510800000 } from './add-status-lists.migration';
import { ClaimsSchemas1767916800000 } from './claims-schemas.migration';
import { HoldersWithBareDids1795710000000, HoldersWithDids1795700000000 } from './holders-with-dids.migration';
import { SecureContent1767830400000 } from './secure-content.migration';
import { TenantKeys1795392000000 } from './tenant-keys.migration';

export const SCHEMA = 'wallet_store';

/**
 * One row per revision; reads want the latest, which the flag and its partial indexes provide. Bodies are sealed. Pages
 * are ordered by `created_at`, whose precision is that of JavaScript's dates: a cursor must hold the exact position.
 */
function contentTable(kind: 'credential' | 'presentation'): readonly string[] {
  return [
    `CREATE TABLE wallet_store.${kind} (
       did text NOT NULL,
       revision integer NOT NULL CHECK (revision >= 1),
       latest boolean NOT NULL,
       tenant_id uuid NOT NULL REFERENCES wallet_store.tenant,
       wallet_did text NOT NULL REFERENCES wallet_store.wallet,
       entity_did text NOT NULL REFERENCES wallet_store.entity,
       state text NOT NULL CHECK (state IN ('draft', 'issued', 'abandoned')),
       issuer_did text,
       holder_did text,
       types text[] NOT NULL,
       body bytea NOT NULL,
       labels jsonb NOT NULL DEFAULT '{}',
       annotations jsonb NOT NULL DEFAULT '{}',
       created_at timestamptz(3) NOT NULL,
       updated_at timestamptz NOT NULL,
       PRIMARY KEY (wallet_did, did, revision)
     )`,
    `CREATE UNIQUE INDEX ${kind}_latest ON wallet_store.${kind} (wallet_did, did) WHERE latest`,
    `CREATE INDEX ${kind}_list ON wallet_store.${kind} (wallet_did, created_at, did) WHERE latest`,
  ];
}

const TABLES = [
  `CREATE TABLE wallet_store.tenant (
     id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
     name text NOT NULL UNIQUE,
     created_at timestamptz NOT NULL DEFAULT now()
   )`,
  `CREATE TABLE wallet_store.api_key (
     key_digest bytea PRIMARY KEY CHECK (octet_length(key_digest) = 32),
     tenant_id uuid NOT NULL REFERENCES wallet_store.tenant,
     created_at timestamptz NOT NULL DEFAULT now(),
     revoked_at timestamptz
   )`,
  `CREATE TABLE wallet_store.entity (
     did text PRIMARY KEY,
     tenant_id uuid NOT NULL REFERENCES wallet_store.tenant,
     private_key bytea NOT NULL,
     revision integer NOT NULL,
     labels jsonb NOT NULL DEFAULT '{}',
     annotations jsonb NOT NULL DEFAULT '{}',
     created_at timestamptz NOT NULL,
     updated_at timestamptz NOT NULL
   )`,
  `CREATE TABLE wallet_store.wallet (
     did text PRIMARY KEY,
     tenant_id uuid NOT NULL REFERENCES wallet_store.tenant,
     entity_did text NOT NULL REFERENCES wallet_store.entity,
     private_key bytea NOT NULL,
     revision integer NOT NULL,
     labels jsonb NOT NULL DEFAULT '{}',
     annotations jsonb NOT NULL DEFAULT '{}',
     created_at timestamptz NOT NULL,
     updated_at timestamptz NOT NULL
   )`,
  `CREATE INDEX wallet_entity ON wallet_store.wallet (entity_did)`,
];

/** Tenants and their API keys, entities, wallets, and the content of wallets. */
class CreateWalletStoreTables1767225600000 implements MigrationInterface {
  name = 'CreateWalletStoreTables1767225600000';

  async up(runner: QueryRunner): Promise<void> {
    const content = [...contentTable('credential'), ...contentTable('presentation')];
    for (const statement of [...TABLES, ...content, ...idempotencyTableSql(SCHEMA)]) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of ['idempotency_key', 'presentation', 'credential', 'wallet', 'entity', 'api_key', 'tenant']) {
      await runner.query(`DROP TABLE wallet_store.${table}`);
    }
  }
}

export const MIGRATIONS = [
  CreateWalletStoreTables1767225600000,
  SecureContent1767830400000,
  ClaimsSchemas1767916800000,
  TenantKeys1795392000000,
  AddPresented1795413600000,
  AddOwnerLists1795424400000,
  AddStatusLists1795510800000,
  AddAuditTrail1795690000000,
  HoldersWithDids1795700000000,
  HoldersWithBareDids1795710000000,
];
