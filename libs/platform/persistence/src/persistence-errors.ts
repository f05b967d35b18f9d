import type { ErrorEntry } from '@vestibule/foundation';

/** Failures of the database, its sealed records and its idempotency keys. */
export const PERSISTENCE_ERRORS = {
  idempotency_conflict: {
    status: 409,
    meaning: 'this `Idempotency-Key` was used for a different request within the last 24 hours',
    remedy: 'use a new key for a new request',
  },
  database_unavailable: {
    status: 503,
    meaning:
      'Postgres is unreachable, is restarting or has no free connection, or no connection of the `DATABASE_POOL_SIZE` of this process became free within 5 s; or a statement twice gave way to concurrent ones (40001, 40P01, 55P03)',
    remedy: 'check Postgres and its load, and compare `DATABASE_POOL_SIZE` of all processes with its `max_connections`',
  },
  database_refused: {
    status: 500,
    meaning:
      'at start: Postgres or its TLS certificate was refused, or Postgres refused the role; the log line names variable, role, host and reason, never the password',
    remedy: 'do what the log line says; see [database.md](database.md#errors-at-start)',
  },
  database_schema_newer: {
    status: 500,
    meaning:
      'at start: a newer version of the service has changed the schema, with a migration that is not marked compatible with this version; the log line names it',
    remedy: 'run the newer version; see [database.md](database.md#versions)',
  },
  database_schema_older: {
    status: 500,
    meaning: 'at start: migrations have to run, and the role in `DATABASE_URL` does not own the schema',
    remedy: 'run `vestibule migrate` with `MIGRATION_DATABASE_URL` first; see [database.md](database.md#roles)',
  },
  database_not_writable: {
    status: 503,
    meaning:
      'Postgres rejects writes: it is a standby or read-only (SQLSTATE 25006), or its disk is full (53100). The replica is not ready for 10 s, and opens new connections',
    remedy: 'let the name in `DATABASE_URL` resolve to the primary, or free disk space; nothing needs a restart',
  },
  database_outcome_unknown: {
    status: 503,
    meaning:
      'the connection to Postgres, or that of a pooler behind it, broke after a COMMIT or a write was sent and before its answer came: the change may have taken effect or not',
    remedy: 'read the state, or repeat the call with the same `Idempotency-Key`',
  },
  database_timeout: {
    status: 503,
    meaning: 'a statement took longer than 3 s',
    remedy: 'check the load of Postgres',
  },
  database_error: {
    status: 500,
    meaning: 'Postgres rejected a statement; the log has the SQLSTATE but no values',
    remedy: 'check that the migrations have run and that the role owns its schema',
  },
  sealed_column_unknown: {
    status: 503,
    meaning: '`vestibule reseal`: the byte columns of the schema do not match the registry of sealed columns',
    remedy: 'run the version of the service that created the schema; if you did, report a bug',
  },
  reseal_incomplete: {
    status: 503,
    meaning:
      '`vestibule reseal`: some records cannot be opened, or replicas still seal with a key other than the first',
    remedy: 'see [key-rotation.md](key-rotation.md#sealing-keys)',
  },
  audit_chain_broken: {
    status: 500,
    meaning:
      '`vestibule audit --verify`: a record of the audit trail was changed, deleted, inserted or moved, or its end was cut off; the message names the first one',
    remedy: 'see [audit.md](audit.md#when-the-chain-is-broken)',
  },
} as const satisfies Readonly<Record<string, ErrorEntry>>;

declare module '@vestibule/foundation' {
  interface ErrorTables {
    readonly persistence: typeof PERSISTENCE_ERRORS;
  }
}
