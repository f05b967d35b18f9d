import { createSealer, type Sealer } from '@vestibule/crypto';
import {
  CLOCK_MILLISECONDS,
  clockSentence,
  failureOf,
  finding,
  randomBytes,
  type Check,
  type CheckContext,
  type Configuration,
  type Finding,
  type microserviceVariables,
} from '@vestibule/process';
import { connectWithin, workingConnection, type Connection, type DatabaseOptions } from './data-source';
import { databaseOptionsOf, type ServiceDatabase } from './database.module';
import { quoteIdentifier } from './identifier';
import { PERSISTENCE_ERRORS } from './persistence-errors';
import { compareSchema, mayMigrate, schemaIsOlder } from './schema-version';
import type { SealedColumn } from './sealed-columns';

type Context = CheckContext<Configuration<typeof microserviceVariables>>;
/** Runs one statement. */
export type Rows = (
  sql: string,
  parameters?: readonly unknown[],
) => Promise<readonly Readonly<Record<string, unknown>>[]>;

/** What the check looks for beyond connecting. */
export interface DatabaseCheckOptions<Values> {
  readonly service: ServiceDatabase;
  /** What is found in a schema that is up to date. */
  readonly more?: (rows: Rows, configuration: Values) => Promise<readonly Finding[]>;
  /** How much WAL an abandoned slot may hold back; default 1 GB. */
  readonly slotBytes?: number;
}

const SLOT_BYTES = 1024 ** 3;
const OVERDUE_SECONDS = 3_600;
/** How many records of a column, and how many tenants, are looked at. */
const SEALED_ROWS = 10_000;
const TENANTS = 20;

const DURABILITY = `SELECT name FROM pg_settings
  WHERE name IN ('fsync', 'full_page_writes', 'synchronous_commit') AND setting = 'off' ORDER BY name`;
const PLANNING = `SELECT name FROM pg_settings WHERE name IN ('enable_seqscan', 'jit') AND setting = 'on' ORDER BY name`;
const READ_ONLY = `SELECT current_setting('transaction_read_only') = 'on' AS read_only, pg_is_in_recovery() AS standby`;
const ISOLATION = 'SHOW default_transaction_isolation';
const ENCODING = 'SELECT getdatabaseencoding() AS encoding';
const FREE_CONNECTIONS = `SELECT current_setting('max_connections')::int
  - current_setting('superuser_reserved_connections')::int
  - (SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend')::int AS free`;
const SLOTS = `SELECT slot_name AS name, pg_wal_lsn_diff(pg_current_wal_lsn(), restart_lsn)::float8 AS bytes
  FROM pg_replication_slots WHERE NOT active AND restart_lsn IS NOT NULL AND NOT pg_is_in_recovery()`;

async function clockFindings(rows: Rows, { clock }: Context): Promise<readonly Finding[]> {
  const before = clock().getTime();
  const [row] = await rows('SELECT extract(epoch FROM clock_timestamp())::float8 * 1000 AS now');
  const ahead = (before + clock().getTime()) / 2 - Number(row?.['now']);
  return Math.abs(ahead) <= CLOCK_MILLISECONDS
    ? []
    : [finding('clock_differs_from_postgres', `${clockSentence(ahead)} of Postgres`)];
}

async function durabilityFindings(rows: Rows): Promise<readonly Finding[]> {
  const off = (await rows(DURABILITY)).map(({ name }) => String(name));
  return off.length === 0 ? [] : [finding('database_not_durable', `off: ${off.join(', ')}`)];
}

/** A pooler may drop what a session starts with, and `DATABASE_URL` may replace it. */
async function planningFindings(rows: Rows): Promise<readonly Finding[]> {
  const on = (await rows(PLANNING)).map(({ name }) => String(name));
  return on.length === 0 ? [] : [finding('database_reads_whole_tables', `on: ${on.join(', ')}`)];
}

/** The same is true of this setting. */
async function isolationFindings(rows: Rows): Promise<readonly Finding[]> {
  const level = String((await rows(ISOLATION))[0]?.['default_transaction_isolation']);
  return level === 'read committed' ? [] : [finding('database_isolation_strict', `transactions are ${level}`)];
}

/** SQL_ASCII takes any bytes, but not the escapes of JSON. */
async function encodingFindings(rows: Rows): Promise<readonly Finding[]> {
  const encoding = String((await rows(ENCODING))[0]?.['encoding']);
  return encoding === 'UTF8' ? [] : [finding('database_encoding_unsuited', `the encoding is ${encoding}`)];
}

async function writingFindings(rows: Rows): Promise<readonly Finding[]> {
  const [row] = await rows(READ_ONLY);
  if (row?.['read_only'] !== true) return [];
  const why = row['standby'] === true ? 'it is a standby' : 'default_transaction_read_only is on';
  return [finding('database_read_only', why)];
}

async function connectionFindings(rows: Rows, { configuration }: Context): Promise<readonly Finding[]> {
  const [row] = await rows(FREE_CONNECTIONS);
  const [free, needed] = [Number(row?.['free']), configuration.databasePoolSize];
  return free >= needed
    ? []
    : [finding('database_connections_short', `${free} are free, DATABASE_POOL_SIZE is ${needed}`)];
}

async function slotFindings(rows: Rows, bytes = SLOT_BYTES): Promise<readonly Finding[]> {
  const slots = (await rows(SLOTS)).filter((slot) => Number(slot['bytes']) > bytes);
  return slots.map(({ name, bytes: held }) =>
    finding('replication_slot_abandoned', `slot ${String(name)} holds back ${Math.round(Number(held) / 1e6)} MB`),
  );
}

/** Are migrations pending that a start would run, or could not run? */
async function migrationFindings({ dataSource }: Connection, options: DatabaseOptions): Promise<readonly Finding[]> {
  const runner = dataSource.createQueryRunner();
  try {
    const { isPending } = await compareSchema(runner, options);
    if (!isPending) return [];
    if (options.migrationUrl === undefined && !(await mayMigrate(runner, options.schema)))
      throw schemaIsOlder(options.schema);
    return [finding('migrations_pending', `schema ${options.schema}`)];
  } finally {
    await runner.release();
  }
}

async function scopesOf({ scope }: SealedColumn, rows: Rows): Promise<readonly (readonly [string, string])[]> {
  if (!scope) return [['row_security', 'on']];
  const values = await rows(`SELECT value FROM (${scope.valuesSql}) AS tenant LIMIT ${TENANTS}`);
  return values.map(({ value }) => [scope.setting, String(value)] as const);
}

/** How many of the records of a column are under none of these keys. */
async function unopenable(column: SealedColumn, { rows, schema, sealers }: SealedPlace): Promise<number> {
  const table = `${quoteIdentifier(schema)}.${quoteIdentifier(column.table)}`;
  const sealed = quoteIdentifier(column.column);
  const bytes = sealers[0]?.currentMark.byteLength ?? 0;
  // The setting lasts for this statement, which is a transaction of its own.
  const sql = `WITH visit AS MATERIALIZED (SELECT set_config($1, $2, true))
    SELECT count(*)::int AS closed FROM visit, LATERAL (
      SELECT substring(${sealed} FOR ${bytes}) AS mark FROM ${table} WHERE ${sealed} IS NOT NULL LIMIT ${SEALED_ROWS}
    ) AS record WHERE mark <> ALL ($3::bytea[])`;
  const marks = sealers.map(({ currentMark }) => currentMark);
  let closed = 0;
  for (const [setting, value] of await scopesOf(column, rows))
    closed += Number((await rows(sql, [setting, value, marks]))[0]?.['closed']);
  return closed;
}

interface SealedPlace {
  readonly rows: Rows;
  readonly schema: string;
  /** One for each configured key. */
  readonly sealers: readonly Sealer[];
}

async function sealingFindings(
  rows: Rows,
  { configuration }: Context,
  { sealed: registry }: ServiceDatabase,
): Promise<readonly Finding[]> {
  const sealers = configuration.sealingKeys.map((key) => createSealer([key], randomBytes));
  const found: Finding[] = [];
  for (const column of registry.sealed) {
    const closed = await unopenable(column, { rows, schema: registry.schema, sealers });
    if (closed > 0) found.push(finding('sealing_key_missing', `${closed} records in ${column.table}.${column.column}`));
  }
  return found;
}

/**
 * How long ago, in seconds, the first record of a table should have been ended (`expires_at`, while its status is `open`) or
 * deleted (`finished_at` and the retention time, which is the only parameter, unless it still has a `session`, or `isOfUse` says so);
 * 0 if all is in time.
 */
export const overdueSql = (table: string, open: string, isOfUse = 'false') => `SELECT greatest(
    extract(epoch FROM now() - (SELECT min(expires_at) FROM ${table} WHERE status = '${open}')),
    extract(epoch FROM now() - (SELECT min(finished_at) FROM ${table}
      WHERE finished_at IS NOT NULL AND session IS NULL AND NOT ${isOfUse})) - $1, 0)::float8 AS seconds`;

/** The finding for a record that should have been deleted so many seconds ago, if that is too long. */
export function overdueFindings(seconds: number): readonly Finding[] {
  if (seconds <= OVERDUE_SECONDS) return [];
  return [finding('purge_behind', `the oldest by ${Math.floor(seconds / 60)} minutes`)];
}

/**
 * Postgres as one service sees it: connection, TLS and role; whether it takes writes; clock, durability, plans, isolation, encoding, connections
 * and slots; migrations; whether its sealed records open with the keys that it has, and whether what has to be deleted is deleted.
 */
export function databaseCheck<Values>({
  service,
  more,
  slotBytes,
}: DatabaseCheckOptions<Values>): Check<Configuration<typeof microserviceVariables> & Values> {
  return {
    name: 'postgres',
    errors: PERSISTENCE_ERRORS,
    async run(context) {
      const options = { ...databaseOptionsOf(service, context), startSeconds: 0, poolSize: 1 };
      const connection = await connectWithin(options, 'DATABASE_URL', () => workingConnection(options));
      try {
        const rows: Rows = (sql, parameters = []) => connection.dataSource.query(sql, [...parameters]);
        const server = [
          ...(await writingFindings(rows)),
          ...(await clockFindings(rows, context)),
          ...(await durabilityFindings(rows)),
          ...(await planningFindings(rows)),
          ...(await isolationFindings(rows)),
          ...(await encodingFindings(rows)),
          ...(await connectionFindings(rows, context)),
          ...(await slotFindings(rows, slotBytes)),
        ];
        // A start ends with such an error, and what is found of the server may be why.
        const failed = (error: unknown) => failureOf(error, PERSISTENCE_ERRORS);
        const pending = await migrationFindings(connection, options).catch(failed);
        if (pending.length > 0) return [...server, ...pending];
        return [
          ...server,
          ...(await sealingFindings(rows, context, service)),
          ...((await more?.(rows, context.configuration)) ?? []),
        ];
      } finally {
        await connection.dataSource.destroy();
      }
    },
  };
}
