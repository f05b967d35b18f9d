import type { ServiceMigration } from '@vestibule/persistence';
import type { QueryRunner } from 'typeorm';

const UP = [
  // The name of the issuer identifier that the list is published below; empty for that of the installation.
  `ALTER TABLE issuer.status_list ADD COLUMN issuer text NOT NULL DEFAULT ''`,
  `DROP INDEX issuer.status_list_open`,
  // At most one list per certificate and issuer accepts new entries.
  `CREATE UNIQUE INDEX status_list_open ON issuer.status_list ((coalesce(certificate, ''::bytea)), issuer)
     WHERE closed_at IS NULL`,
];

const DOWN = [
  `UPDATE issuer.status_list SET closed_at = now() WHERE closed_at IS NULL AND issuer <> ''`,
  `DROP INDEX issuer.status_list_open`,
  `CREATE UNIQUE INDEX status_list_open ON issuer.status_list ((coalesce(certificate, ''::bytea))) WHERE closed_at IS NULL`,
  `ALTER TABLE issuer.status_list DROP COLUMN issuer`,
];

/**
 * Issuer identifiers have status lists of their own. Older programs know only the identifier of the installation, whose
 * lists stay as they are: upgrade every replica before other identifiers are configured.
 */
export class AddListIssuers1795420000000 implements ServiceMigration {
  name = 'AddListIssuers1795420000000';
  readonly compatibleWith = 'previous';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of UP) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const statement of DOWN) await runner.query(statement);
  }
}
