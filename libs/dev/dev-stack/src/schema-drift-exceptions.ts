import { type DriftException } from './schema-drift';

/** The fill factor and vacuum settings of a table, for which TypeORM has no options. */
export const storageOptions = (table: string, options: string): DriftException => ({
  fact: `${table}: options`,
  migrations: options,
  reason: 'an EntitySchema has no option for fillfactor and autovacuum',
});

/** `GENERATED ALWAYS AS IDENTITY`. */
export const identity = (column: string): DriftException => ({
  fact: `${column}: identity`,
  migrations: 'always',
  reason: 'an EntitySchema knows serial columns only; the entity neither inserts nor updates the column',
});

const DOMAINS = 'an EntitySchema knows no domains; its checks are those of the domain over the rows of the table';

/** A table whose checks are those of a domain over its rows. */
export const rowDomain = (table: string): readonly DriftException[] => [
  {
    fact: `${table}: constraint ${table}_row_check`,
    migrations: `CHECK (((${table}.*)::${table}_row IS DISTINCT FROM NULL))`,
    reason: DOMAINS,
  },
  { fact: `type ${table}_row`, migrations: 'd', reason: DOMAINS },
];

const IN_MIGRATIONS = 'the record of the migrations is TypeORM’s own, and no entity describes it';

/** In every schema that TypeORM migrates. */
export const MIGRATIONS_TABLE: readonly DriftException[] = [
  { fact: 'migrations: kind', migrations: 'table', reason: IN_MIGRATIONS },
  { fact: 'migration_compatibility: kind', migrations: 'table', reason: IN_MIGRATIONS },
  { fact: 'sequence migrations_id_seq', migrations: 'sequence', reason: IN_MIGRATIONS },
];

const TRIGGERS = 'an EntitySchema knows no triggers; these refuse changes of the audit trail';
const refusal = (name: string, when: string): DriftException => ({
  fact: `audit_record: trigger ${name}`,
  migrations: `CREATE TRIGGER ${name} BEFORE ${when} EXECUTE FUNCTION refuse_audit_change()`,
  reason: TRIGGERS,
});

/** In the schema of every service. */
export const AUDIT_TABLE: readonly DriftException[] = [
  refusal('audit_record_kept', 'TRUNCATE ON audit_record FOR EACH STATEMENT'),
  refusal('audit_record_unchanged', 'DELETE OR UPDATE ON audit_record FOR EACH ROW'),
  { fact: 'function refuse_audit_change', migrations: '', reason: TRIGGERS },
];

const GENERATED_COLUMNS = 'typeorm_metadata';

/** In the schema of every service that sends callbacks. */
export const OUTBOX_TABLE: readonly DriftException[] = [
  storageOptions('callback', 'fillfactor=80, autovacuum_vacuum_scale_factor=0.02'),
  identity('callback.sequence'),
  {
    fact: 'callback.payload: storage',
    migrations: 'external',
    reason: 'an EntitySchema has no option for TOAST; sealed data does not compress',
  },
  {
    fact: 'callback: index callback_age',
    migrations:
      'CREATE INDEX callback_age ON callback USING btree (COALESCE(held_until, created_at)) WHERE ((payload IS NOT NULL) AND (COALESCE(held_until, created_at) IS NOT NULL))',
    reason: 'the indexes of an EntitySchema are over columns, and this one is over an expression',
  },
  {
    fact: `${GENERATED_COLUMNS}: kind`,
    reason:
      'TypeORM writes down the expressions of generated columns where it makes tables itself, which only this test lets it do',
  },
];
