import { DomainError, type ErrorCode } from '@vestibule/foundation';
import type { Logger } from '@vestibule/process';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { quoteIdentifier } from './identifier';

/** A migration of a service. */
export interface ServiceMigration extends MigrationInterface {
  /**
   * Declares that programs that do not know this migration work correctly with the resulting schema: they start, and
   * log it. Without this mark they refuse to start. The mark is stored in the database, because an older program cannot
   * read this source.
   */
  readonly compatibleWith?: 'previous';
}

export type MigrationClass = new () => ServiceMigration;

interface Applied {
  readonly name: string;
  readonly compatible: boolean | null;
}

interface Known {
  readonly name: string;
  readonly isCompatible: boolean;
}

export interface SchemaVersion {
  readonly schema: string;
  readonly migrations: readonly MigrationClass[];
  readonly logger: Logger;
}

const marksOf = (schema: string): string => `${quoteIdentifier(schema)}.migration_compatibility`;

function known(migrations: readonly MigrationClass[]): readonly Known[] {
  return migrations.map((Migration) => {
    const { name = Migration.name, compatibleWith } = new Migration();
    return { name, isCompatible: compatibleWith === 'previous' };
  });
}

const refusal = (code: ErrorCode, detail: string) => new DomainError({ kind: 'internal', code, detail });

async function exists(runner: QueryRunner, table: string): Promise<boolean> {
  const rows = (await runner.query('SELECT to_regclass($1) IS NOT NULL AS found', [table])) as { found: boolean }[];
  return rows[0]?.found === true;
}

/** The applied migrations with their marks; null for a migration without one. */
async function readApplied(runner: QueryRunner, schema: string): Promise<readonly Applied[]> {
  const own = quoteIdentifier(schema);
  if (!(await exists(runner, `${own}.migrations`))) return [];
  const mark = (await exists(runner, marksOf(schema)))
    ? `(SELECT compatible FROM ${marksOf(schema)} AS mark WHERE mark.name = done.name)`
    : 'NULL::boolean';
  const sql = `SELECT done.name, ${mark} AS compatible FROM ${own}.migrations AS done ORDER BY done.timestamp, done.id`;
  return (await runner.query(sql)) as Applied[];
}

/**
 * Compares the migrations that this program knows with those of the schema. Returns whether some are pending. Throws
 * `database_schema_newer` if a newer program has run one without the mark, or if a newer schema lacks migrations of
 * this program; if all newer ones have the mark, a log line names them.
 */
export async function compareSchema(
  runner: QueryRunner,
  version: SchemaVersion,
): Promise<{ readonly isPending: boolean }> {
  const { schema, logger } = version;
  const own = known(version.migrations).map(({ name }) => name);
  const applied = await readApplied(runner, schema);
  const pending = own.filter((name) => !applied.some((done) => done.name === name));
  const newer = applied.filter(({ name }) => !own.includes(name));
  if (newer.length === 0) return { isPending: pending.length > 0 };
  const incompatible = newer.filter(({ compatible }) => compatible !== true).map(({ name }) => name);
  if (incompatible.length > 0) {
    const what = `schema ${schema} has migrations that this version does not know and that are not marked compatible with it`;
    throw refusal('database_schema_newer', `${what}: ${incompatible.join(', ')}; run the newer version`);
  }
  if (pending.length > 0) {
    const what = `schema ${schema} is newer, but lacks migrations of this version: ${pending.join(', ')}`;
    throw refusal('database_schema_newer', `${what}; run the newer version`);
  }
  logger.warn('the schema is newer than this version, and is marked compatible with it', {
    schema,
    migrations: newer.map(({ name }) => name).join(', '),
  });
  return { isPending: false };
}

/** Throws `database_schema_older`: migrations are pending, and this program's role cannot run them. */
export function schemaIsOlder(schema: string): DomainError {
  const remedy = 'run `vestibule migrate` with MIGRATION_DATABASE_URL first';
  return refusal(
    'database_schema_older',
    `schema ${schema} lacks migrations, and the role may not run them: ${remedy}`,
  );
}

/** May the role create tables in the schema? */
export async function mayMigrate(runner: QueryRunner, schema: string): Promise<boolean> {
  const sql = `SELECT CASE WHEN to_regnamespace($1) IS NULL THEN true
    ELSE has_schema_privilege(to_regnamespace($1), 'CREATE') END AS may`;
  const rows = (await runner.query(sql, [quoteIdentifier(schema)])) as { may: boolean }[];
  return rows[0]?.may === true;
}

/**
 * Stores the marks of this program's migrations before any of them runs, because the process may end after any of them.
 */
export async function markMigrations(runner: QueryRunner, { schema, migrations }: SchemaVersion): Promise<void> {
  const table = marksOf(schema);
  if (!(await exists(runner, table)))
    await runner.query(`CREATE TABLE ${table} (name text PRIMARY KEY, compatible boolean NOT NULL)`);
  const all = known(migrations);
  await runner.query(
    `INSERT INTO ${table} SELECT * FROM unnest($1::text[], $2::boolean[]) ON CONFLICT (name) DO NOTHING`,
    [all.map(({ name }) => name), all.map(({ isCompatible }) => isCompatible)],
  );
}

/** No other role may change the record of migrations, whatever its rights on other tables of the schema. */
export async function guardRecords(runner: QueryRunner, schema: string): Promise<void> {
  const own = quoteIdentifier(schema);
  const sql = `SELECT DISTINCT format('REVOKE INSERT, UPDATE, DELETE, TRUNCATE ON %s FROM %I', entry.oid::regclass, role.rolname) AS revoke
    FROM pg_class AS entry, aclexplode(entry.relacl) AS acl JOIN pg_roles AS role ON role.oid = acl.grantee
    WHERE entry.oid = ANY ($1::regclass[]) AND role.rolname <> current_user AND acl.privilege_type <> 'SELECT'`;
  const rows = (await runner.query(sql, [[`${own}.migrations`, marksOf(schema)]])) as { revoke: string }[];
  for (const { revoke } of rows) await runner.query(revoke);
}
