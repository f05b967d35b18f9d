import type { ServiceMigration } from '@vestibule/persistence';
import type { QueryRunner } from 'typeorm';
import { tenantSecuritySql } from './tenant-scope';

const PURPOSE = `purpose text NOT NULL CHECK (purpose IN ('revocation', 'suspension'))`;

const UP = [
  // `document` is the list as it was signed last, from the entries of `published_version`: public text.
  `CREATE TABLE wallet_store.status_list (
     list_id bytea PRIMARY KEY CHECK (octet_length(list_id) = 16),
     tenant_id uuid NOT NULL REFERENCES wallet_store.tenant,
     entity_did text NOT NULL,
     ${PURPOSE},
     size integer NOT NULL CHECK (size >= 131072 AND size % 8 = 0),
     version bigint NOT NULL DEFAULT 0,
     document text,
     etag text,
     published_version bigint,
     published_at timestamptz,
     closed_at timestamptz,
     CONSTRAINT status_list_entity_did_fkey FOREIGN KEY (entity_did, tenant_id)
       REFERENCES wallet_store.entity (did, tenant_id),
     CONSTRAINT status_list_published_whole CHECK (num_nonnulls(document, etag, published_version, published_at) IN (0, 4))
   )`,
  // At most one list of an entity accepts new entries for a purpose.
  `CREATE UNIQUE INDEX status_list_open ON wallet_store.status_list (entity_did, purpose) WHERE closed_at IS NULL`,
  // One row for each index that was ever assigned. There is no foreign key to the list, because every issuance would
  // lock the single row of the open list.
  `CREATE TABLE wallet_store.status_entry (
     list_id bytea NOT NULL,
     idx integer NOT NULL CHECK (idx >= 0),
     tenant_id uuid NOT NULL REFERENCES wallet_store.tenant,
     ${PURPOSE},
     credential_did text NOT NULL,
     is_set boolean NOT NULL DEFAULT false,
     PRIMARY KEY (list_id, idx),
     CONSTRAINT status_entry_credential UNIQUE (tenant_id, credential_did, purpose)
   )`,
  `CREATE INDEX status_entry_set ON wallet_store.status_entry (list_id, idx) WHERE is_set`,
  ...tenantSecuritySql('wallet_store.status_list'),
  ...tenantSecuritySql('wallet_store.status_entry'),
];

/** Status lists of credentials that were made from drafts, and which of their entries belong to which credential. */
export class AddStatusLists1795510800000 implements ServiceMigration {
  name = 'AddStatusLists1795510800000';
  /** Older programs issue credentials without a status. */
  readonly compatibleWith = 'previous';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of UP) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of ['status_entry', 'status_list']) await runner.query(`DROP TABLE wallet_store.${table}`);
  }
}
