import { quoteIdentifier } from '@vestibule/persistence';

/** The name of a schema's outbox in SQL. */
export function callbackTable(schema: string): string {
  return `${quoteIdentifier(schema)}.callback`;
}

/**
 * Is the time of an event over? What is given up cannot be brought back, so the clock of Postgres must not decide it alone: that of
 * this process (a parameter) has come as far, but for the minute by which clocks may differ.
 */
export const hasEnded = (ownTime: string): string =>
  `expires_at <= least(now(), ${ownTime}::timestamptz + interval '60 seconds')`;

/** When an event is tried again that has this delay: the last time when its own time ends. */
export const nextAttempt = (delay: string): string =>
  `CASE WHEN expires_at > now() THEN LEAST(now() + ${delay}, expires_at) ELSE now() + ${delay} END`;

/**
 * The statements that create a schema's outbox, for a migration of its app. `payload` is sealed and NULL once the event
 * is dead; `sequence` orders the events of one `subject`; `last_result` is a class such as `http_500`, never a body.
 */
export function callbackTableSql(schema: string): readonly string[] {
  const table = callbackTable(schema);
  return [
    `CREATE TABLE ${table} (
       id bytea PRIMARY KEY,
       subject text NOT NULL,
       sequence bigint GENERATED ALWAYS AS IDENTITY,
       payload bytea,
       attempts integer NOT NULL DEFAULT 0,
       next_attempt_at timestamptz NOT NULL DEFAULT now(),
       leased_until timestamptz,
       created_at timestamptz NOT NULL DEFAULT now(),
       expires_at timestamptz NOT NULL,
       dead_at timestamptz,
       last_result text,
       CONSTRAINT callback_payload_gone CHECK ((payload IS NULL) = (dead_at IS NOT NULL))
     ) WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02)`,
    // Sealed data does not compress.
    `ALTER TABLE ${table} ALTER COLUMN payload SET STORAGE EXTERNAL`,
    `CREATE INDEX callback_due ON ${table} (next_attempt_at) WHERE dead_at IS NULL`,
    `CREATE INDEX callback_order ON ${table} (subject, sequence)`,
    `CREATE INDEX callback_dead ON ${table} (dead_at) WHERE dead_at IS NOT NULL`,
  ];
}

/**
 * Adds columns for operators and for other receivers, for a further migration of its app. `status` is the event's, such
 * as `FULFILLED`; `url` is the event's own receiver, and `target` its origin: '' for the configured one.
 */
export function callbackReceiverSql(schema: string): readonly string[] {
  const table = callbackTable(schema);
  return [
    `ALTER TABLE ${table}
       ADD COLUMN status text,
       ADD COLUMN url text,
       ADD COLUMN target text NOT NULL GENERATED ALWAYS AS (coalesce(substring(url FROM '^https?://[^/]+'), '')) STORED`,
    `DROP INDEX ${quoteIdentifier(schema)}.callback_due`,
    `CREATE INDEX callback_due ON ${table} (target, next_attempt_at) WHERE dead_at IS NULL`,
  ];
}

/**
 * Adds what a dead letter can be rebuilt from, for a further migration of its app: `details` is the sealed
 * `errorDetails` of an event without claims, kept until the dead letter is purged.
 */
export function callbackDetailsSql(schema: string): readonly string[] {
  return [`ALTER TABLE ${callbackTable(schema)} ADD COLUMN details bytea`];
}

/**
 * Adds the time until which an event is held at most, for a further migration of its app: what the event reports may be
 * confirmed before then. Older programs hold no events, and leave those of newer ones alone, because of their
 * `next_attempt_at`.
 */
export function callbackHoldSql(schema: string): readonly string[] {
  return [`ALTER TABLE ${callbackTable(schema)} ADD COLUMN held_until timestamptz`];
}

/**
 * Adds an index over the ends of waiting events, for a further migration of its app: those whose time is over are found
 * however many wait. Its condition is implied only by statements that compare `expires_at`: for others Postgres would take
 * it for tiny, and read all of it.
 */
export function callbackExpirySql(schema: string): readonly string[] {
  return [
    `CREATE INDEX callback_expiry ON ${callbackTable(schema)} (expires_at) WHERE dead_at IS NULL AND expires_at IS NOT NULL`,
  ];
}

/** Since when an event waits: one that is held, from the end of its hold on. Statements write it as the index has it. */
export const WAITS_SINCE = 'coalesce(held_until, created_at)';

/**
 * Adds the indexes of what operators see, for a further migration of its app: events in the order in which they began to wait;
 * dead letters by their ids, and those that may be rebuilt, however many others there are. As with `callback_expiry`, only
 * statements that compare {@link WAITS_SINCE} may use the first. They say of live events that they have a payload, so that
 * Postgres cannot use another one instead, of all that wait, as long as it has no statistics.
 */
export function callbackOverviewSql(schema: string): readonly string[] {
  const table = callbackTable(schema);
  return [
    `CREATE INDEX callback_age ON ${table} ((${WAITS_SINCE})) WHERE payload IS NOT NULL AND ${WAITS_SINCE} IS NOT NULL`,
    `CREATE INDEX callback_letter ON ${table} (id) WHERE dead_at IS NOT NULL`,
    `CREATE INDEX callback_replayable ON ${table} (id) WHERE dead_at IS NOT NULL AND details IS NOT NULL`,
  ];
}
