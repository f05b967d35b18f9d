import type { FindingEntry } from './finding-entry';

/** The part of the table of findings that is about Postgres. */
export const DATABASE_FINDINGS = {
  database_read_only: {
    level: 'error',
    meaning: 'Postgres takes no writes: it is a standby, or its settings make transactions read-only',
    remedy: 'point the name in `DATABASE_URL` to the primary, or switch `default_transaction_read_only` off',
  },
  database_not_durable: {
    level: 'error',
    meaning: '`fsync`, `full_page_writes` or `synchronous_commit` of Postgres is off: a crash loses committed events',
    remedy: 'switch them on; see [sizing.md](sizing.md)',
  },
  database_reads_whole_tables: {
    level: 'warning',
    meaning:
      'sessions start without `enable_seqscan=off` or `jit=off`: after a rest, Postgres may read the whole outbox for each flow',
    remedy: 'see [database.md](database.md#plans): let the pooler pass `options`, or set both on the role',
  },
  database_isolation_strict: {
    level: 'error',
    meaning:
      'transactions are not `read committed`: what waits for another one fails, or does not see what that one has stored',
    remedy:
      'see [database.md](database.md#settings-of-a-session): let the pooler pass `options`, or set it on the role',
  },
  database_encoding_unsuited: {
    level: 'error',
    meaning: 'the encoding of the database is not UTF8: calls with names or texts that it cannot hold fail',
    remedy: "dump it, make one with `ENCODING 'UTF8'`, and restore it there; see [backup.md](backup.md)",
  },
  database_connections_short: {
    level: 'warning',
    meaning: 'Postgres has fewer free connections than `DATABASE_POOL_SIZE` of one more process',
    remedy: 'raise `max_connections`, or lower `DATABASE_POOL_SIZE`',
  },
  replication_slot_abandoned: {
    level: 'error',
    meaning: 'a replication slot without a consumer holds back more than 1 GB of WAL: the disk fills',
    remedy: 'start the standby again, or drop the slot: `SELECT pg_drop_replication_slot(…)`',
  },
  migrations_pending: {
    level: 'warning',
    meaning: 'the schema lacks migrations of this version',
    remedy: 'run `vestibule migrate`; a process whose role owns the schema does it when it starts',
  },
  sealing_key_missing: {
    level: 'error',
    meaning: 'records are sealed under a key that `SEALING_KEYS` does not have: they cannot be opened',
    remedy: 'add the key back; if it is lost, see [backup.md](backup.md)',
  },
  purge_behind: {
    level: 'error',
    meaning: 'records are kept for more than an hour beyond their time: nothing deletes them',
    remedy: 'look in the log of the service for `a periodic task failed`; at least one replica has to run',
  },
} as const satisfies Readonly<Record<string, FindingEntry>>;
