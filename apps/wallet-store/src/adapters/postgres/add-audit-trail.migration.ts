import { auditTableSql, dropAuditTableSql, type ServiceMigration } from '@vestibule/persistence';
import type { QueryRunner } from 'typeorm';

/** The audit trail of what backends and operators do. */
export class AddAuditTrail1795690000000 implements ServiceMigration {
  name = 'AddAuditTrail1795690000000';
  /** Older programs append no records. */
  readonly compatibleWith = 'previous';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of auditTableSql('wallet_store')) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const statement of dropAuditTableSql('wallet_store')) await runner.query(statement);
  }
}
