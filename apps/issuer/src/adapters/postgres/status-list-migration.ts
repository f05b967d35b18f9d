import type { MigrationInterface, QueryRunner } from 'typeorm';

const TABLES = [
  // `token` is the list as last published, from the statuses of `published_version`: public bytes.
  `CREATE TABLE issuer.status_list (
     list_number integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
     list_id bytea NOT NULL UNIQUE CHECK (octet_length(list_id) = 16),
     size integer NOT NULL CHECK (size > 0 AND size % 8 = 0),
     version bigint NOT NULL DEFAULT 0,
     token text,
     etag text,
     published_version bigint,
     published_at timestamptz,
     closed_at timestamptz,
     CONSTRAINT published_whole CHECK (num_nonnulls(token, etag, published_version, published_at) IN (0, 4))
   )`,
  // At most one list accepts new entries.
  `CREATE UNIQUE INDEX status_list_open ON issuer.status_list ((true)) WHERE closed_at IS NULL`,
  // One row for each index that was ever assigned, until its list is deleted. There is no foreign key to the list,
  // because every issuance would lock the single row of the open list. `offer_id` is removed when the credential has
  // expired.
  `CREATE TABLE issuer.status_entry (
     list_number integer NOT NULL,
     idx integer NOT NULL CHECK (idx >= 0),
     status smallint NOT NULL DEFAULT 0 CHECK (status IN (0, 1, 2)),
     offer_id bytea CHECK (octet_length(offer_id) = 24),
     expires_at timestamptz NOT NULL,
     PRIMARY KEY (list_number, idx)
   ) WITH (fillfactor = 90)`,
  `CREATE INDEX status_entry_offer ON issuer.status_entry (offer_id) WHERE offer_id IS NOT NULL`,
  `CREATE INDEX status_entry_expiry ON issuer.status_entry (list_number, expires_at) WHERE offer_id IS NOT NULL`,
  `CREATE INDEX status_entry_changed ON issuer.status_entry (list_number, idx, status) WHERE status <> 0`,
];

/** Status lists, and which of their entries belong to which offer. */
export class CreateStatusLists1770163200003 implements MigrationInterface {
  name = 'CreateStatusLists1770163200003';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of TABLES) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of ['status_entry', 'status_list']) await runner.query(`DROP TABLE issuer.${table}`);
  }
}
