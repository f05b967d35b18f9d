import type { MigrationInterface, QueryRunner } from 'typeorm';
import { tenantSecuritySql } from './tenant-scope';

const UP = [
  `CREATE TABLE wallet_store.claims_schema (
     id text PRIMARY KEY,
     tenant_id uuid NOT NULL REFERENCES wallet_store.tenant,
     revision integer NOT NULL CHECK (revision >= 1),
     definition json NOT NULL,
     slug text NOT NULL DEFAULT '',
     version integer NOT NULL DEFAULT 0,
     published boolean NOT NULL DEFAULT false,
     labels jsonb NOT NULL,
     annotations jsonb NOT NULL,
     created_at timestamptz(3) NOT NULL,
     updated_at timestamptz(3) NOT NULL
   )`,
  'CREATE INDEX claims_schema_list ON wallet_store.claims_schema (tenant_id, created_at, id)',
  `CREATE TABLE wallet_store.published_schema (
     tenant_id uuid NOT NULL REFERENCES wallet_store.tenant,
     slug text NOT NULL,
     version integer NOT NULL CHECK (version >= 1),
     id text NOT NULL UNIQUE REFERENCES wallet_store.claims_schema,
     definition json NOT NULL,
     document json NOT NULL,
     owner_did text NOT NULL REFERENCES wallet_store.entity,
     labels jsonb NOT NULL,
     annotations jsonb NOT NULL,
     created_at timestamptz(3) NOT NULL,
     PRIMARY KEY (tenant_id, slug, version)
   )`,
  'CREATE INDEX published_schema_list ON wallet_store.published_schema (tenant_id, created_at, id)',
  ...tenantSecuritySql('wallet_store.claims_schema'),
  ...tenantSecuritySql('wallet_store.published_schema'),
  `CREATE INDEX credential_drafts ON wallet_store.credential (tenant_id, created_at, did)
     WHERE latest AND source IS NOT NULL`,
];

const DOWN = [
  'DROP INDEX wallet_store.credential_drafts',
  'DROP TABLE wallet_store.published_schema',
  'DROP TABLE wallet_store.claims_schema',
];

/** Claims schemas, the published ones, and the order in which drafts are searched. */
export class ClaimsSchemas1767916800000 implements MigrationInterface {
  name = 'ClaimsSchemas1767916800000';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of UP) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const statement of DOWN) await runner.query(statement);
  }
}
