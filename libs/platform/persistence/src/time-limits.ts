/*
 * How long a service waits for Postgres. Callers of a service count with these: what a use case decides before its
 * deadline is committed, or known not to be, `CONNECTION_MILLISECONDS + ANSWER_MILLISECONDS` later.
 */

/** Postgres ends a statement after this time (`statement_timeout`), counted from its arrival there. Migrations and counting in `reseal` have no limit. */
export const STATEMENT_MILLISECONDS = 3_000;

/** A connection on which a statement has no answer after this time is destroyed: Postgres would have ended the statement by itself. */
export const ANSWER_MILLISECONDS = 3_500;

/** How long a statement waits for a connection, whether it must be opened or becomes free in the pool. */
export const CONNECTION_MILLISECONDS = 5_000;
