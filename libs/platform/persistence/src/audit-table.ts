import { EntitySchema } from 'typeorm';
import { quoteIdentifier } from './identifier';

/** One record of the audit trail. */
export interface AuditRow {
  /** A `bigint`, which the driver returns as a string: 1, 2, 3, … without gaps. */
  seq: string;
  /** JSON; its bytes are what the hash covers. */
  record: string;
  hash: Buffer;
}

/** The audit trail, in the schema of each service. */
export const AuditRecordEntity = new EntitySchema<AuditRow>({
  name: 'AuditRecord',
  tableName: 'audit_record',
  columns: {
    seq: { type: 'bigint', primary: true, primaryKeyConstraintName: 'audit_record_pkey' },
    record: { type: 'text' },
    hash: { type: 'bytea' },
  },
  checks: [
    { name: 'audit_record_seq_check', expression: 'seq >= 1' },
    { name: 'audit_record_hash_check', expression: 'octet_length(hash) = 32' },
  ],
});

/** The byte column of that table that is no sealed data. */
export const AUDIT_PLAIN_COLUMNS = ['audit_record.hash'];

/** The name of a schema's audit trail in SQL. */
export function auditTable(schema: string): string {
  return `${quoteIdentifier(schema)}.audit_record`;
}

/** Takes from every role but the owner what default privileges have granted: it may read and append, no more. */
const revokeSql = (schema: string): string => `
  DO $revoke$
  DECLARE holder record;
  BEGIN
    FOR holder IN
      SELECT DISTINCT granted.grantee FROM pg_class, LATERAL aclexplode(relacl) AS granted
      WHERE pg_class.oid = '${auditTable(schema)}'::regclass AND granted.grantee <> relowner
    LOOP
      EXECUTE format('REVOKE UPDATE, DELETE, TRUNCATE, REFERENCES, TRIGGER ON ${auditTable(schema)} FROM %s',
        CASE holder.grantee WHEN 0 THEN 'PUBLIC' ELSE holder.grantee::regrole::text END);
    END LOOP;
  END $revoke$`;

/**
 * The statements that create a schema's audit trail, for a migration of its app. Rows are only appended: other roles
 * than the owner may not change them, and for the owner a trigger refuses it.
 */
export function auditTableSql(schema: string): readonly string[] {
  const table = auditTable(schema);
  const refuse = `${quoteIdentifier(schema)}.refuse_audit_change`;
  return [
    `CREATE TABLE ${table} (
       seq bigint PRIMARY KEY CHECK (seq >= 1),
       record text NOT NULL,
       hash bytea NOT NULL CHECK (octet_length(hash) = 32)
     )`,
    `CREATE FUNCTION ${refuse}() RETURNS trigger LANGUAGE plpgsql SET search_path = '' AS $refuse$
     BEGIN
       RAISE EXCEPTION 'records of the audit trail are neither changed nor deleted' USING ERRCODE = '42501';
     END $refuse$`,
    `CREATE TRIGGER audit_record_unchanged BEFORE UPDATE OR DELETE ON ${table}
       FOR EACH ROW EXECUTE FUNCTION ${refuse}()`,
    `CREATE TRIGGER audit_record_kept BEFORE TRUNCATE ON ${table} FOR EACH STATEMENT EXECUTE FUNCTION ${refuse}()`,
    revokeSql(schema),
  ];
}

/** The statements that remove it again. */
export function dropAuditTableSql(schema: string): readonly string[] {
  return [`DROP TABLE ${auditTable(schema)}`, `DROP FUNCTION ${quoteIdentifier(schema)}.refuse_audit_change()`];
}
