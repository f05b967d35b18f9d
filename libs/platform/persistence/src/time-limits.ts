/*
 * How long a service waits for Postgres. Its callers rely on these limits: what a use case decides before its deadline
 * is committed, or known not to be, at most `CONNECTION_MILLISECONDS + ANSWER_MILLISECONDS` later.
 */

/**
 * Postgres ends a statement after this time (`statement_timeout`), counted from its arrival there. Migrations and the
 * counting of `reseal` have no limit.
 */
export const STATEMENT_MILLISECONDS = 3_000;

/**
 * A connection without an answer to a statement is destroyed after this time, by which Postgres should have ended the
 * statement.
 */
export const ANSWER_MILLISECONDS = 3_500;

/** How long a statement waits for a connection, either newly opened or returned to the pool. */
export const CONNECTION_MILLISECONDS = 5_000;
