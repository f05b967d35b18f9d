/*
 * How long a service waits for Postgres. Its callers rely on these limits: what a use case decides before its deadline
 * is committed, or known not to be, at most `CONNECTION_MILLISECONDS + ANSWER_MILLISECONDS` later.
 */

/**
 * Postgres ends a statement after this time (`statement_timeout`), counted from its arrival there. Migrations have
 * a limit of their own, and the counting of `reseal` has none.
 */
export const STATEMENT_MILLISECONDS = 3_000;

/**
 * A connection without an answer to a statement is destroyed after this time, by which Postgres should have ended the
 * statement.
 */
export const ANSWER_MILLISECONDS = 3_500;

/**
 * A transaction has the time of so many statements altogether, up to its COMMIT. Then its connection is destroyed, and
 * Postgres rolls back. The counting of `reseal` has no limit.
 */
export const TRANSACTION_STATEMENTS = 3;

/** How long a process that starts waits for the lock of the migrations of its schema. */
export const LOCK_MILLISECONDS = 120_000;

/** How much longer an answer may be in transit than Postgres lets a migration wait for its lock. */
const LOCK_MARGIN_MILLISECONDS = 10_000;

/** The limit of the statements around migrations: the lock is what they may wait for. */
export const PREPARATION_MILLISECONDS = LOCK_MILLISECONDS + LOCK_MARGIN_MILLISECONDS;

/** The default limit of a statement of a migration, in seconds: building an index may take hours. */
export const MIGRATION_SECONDS = 21_600;

/** How long a statement waits for a connection, either newly opened or returned to the pool. */
export const CONNECTION_MILLISECONDS = 5_000;
