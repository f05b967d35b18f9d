import { type Clock } from '@vestibule/foundation';
import { type Database, type Query } from '@vestibule/persistence';
import { callbackTable, hasEnded, nextAttempt } from './callback-table';
import type { Removal } from './delivered-callbacks';

/** An event that this process alone may deliver until its lease ends. */
export interface ClaimedCallback {
  readonly id: Buffer;
  readonly subject: string;
  readonly payload: Buffer;
  /** Its receiver; null: the configured URL. */
  readonly url: string | null;
  /** What it reports; null for events of releases that did not store it. */
  readonly status: string | null;
  /** Including this one. */
  readonly attempts: number;
}

export interface FailedAttempt {
  readonly result: string;
  readonly delayMilliseconds: number;
  /** The receiver has refused it permanently. */
  readonly final: boolean;
}

export interface CallbackStore {
  /** Leases up to `limit` due events of a lane, none of which has an earlier live event of its subject. */
  claim(limit: number): Promise<ClaimedCallback[]>;
  /**
   * Deletes delivered events, unless another process has leased them meanwhile and posts them again: it deletes them.
   * `followed`: events of the same subjects were waiting for deleted ones, and are due. An event that somebody has locked
   * delays none of the others: it is left.
   */
  remove(delivered: readonly Pick<ClaimedCallback, 'id' | 'attempts'>[]): Promise<Removal>;
  /**
   * Schedules the next attempt, or turns the event into a dead letter. Undefined if another process now has the lease.
   */
  fail(callback: ClaimedCallback, attempt: FailedAttempt): Promise<'waiting' | 'dead' | undefined>;
}

/**
 * The database's clock counts, so that replicas with different clocks agree on who holds a lease. Events with a payload are
 * those that are not dead: said in this way, Postgres looks for earlier ones by their subject, and never among all due ones.
 * OFFSET has it look for each due event, rather than join all of the outbox.
 */
function claimSql(table: string): string {
  return `
    WITH due AS MATERIALIZED (
      SELECT waiting.id FROM ${table} AS waiting
      WHERE waiting.dead_at IS NULL AND waiting.next_attempt_at <= now() AND waiting.target = $3::text
        AND (waiting.leased_until IS NULL OR waiting.leased_until <= now())
        AND NOT EXISTS (
          SELECT FROM ${table} AS earlier
          WHERE earlier.subject = waiting.subject AND earlier.sequence < waiting.sequence AND earlier.payload IS NOT NULL
          OFFSET 0)
      ORDER BY waiting.next_attempt_at
      LIMIT $1 FOR UPDATE OF waiting SKIP LOCKED)
    UPDATE ${table} AS claimed
    SET attempts = claimed.attempts + 1, leased_until = now() + $2::integer * interval '1 millisecond'
    WHERE claimed.id = ANY (ARRAY (SELECT due.id FROM due))
    RETURNING claimed.id, claimed.subject, claimed.payload, claimed.url, claimed.status, claimed.attempts`;
}

/** Events with the attempts by which their leases are known. */
const GIVEN = `unnest($1::bytea[], $2::integer[]) AS given (id, attempts)`;

const leftSql = (table: string): string =>
  `SELECT id FROM ${table} AS delivered JOIN ${GIVEN} USING (id, attempts) WHERE delivered.id = ANY ($1)`;

function removeSql(table: string): string {
  return `
    DELETE FROM ${table} AS done
    WHERE done.id = ANY (ARRAY (
      SELECT delivered.id FROM ${table} AS delivered JOIN ${GIVEN} USING (id, attempts) WHERE delivered.id = ANY ($1)
      FOR UPDATE OF delivered SKIP LOCKED))
    RETURNING EXISTS (
      SELECT FROM ${table} AS later
      WHERE later.subject = done.subject AND later.sequence > done.sequence AND later.payload IS NOT NULL
        AND later.next_attempt_at <= now() AND (later.leased_until IS NULL OR later.leased_until <= now())) AS followed`;
}

/**
 * The last attempt is at the expiry. Followers wait as long as the event they follow, so that claims need not consider
 * them.
 */
function failSql(table: string): string {
  return `
    WITH failed AS (
      UPDATE ${table} SET
        leased_until = NULL,
        last_result = $3::text,
        next_attempt_at = ${nextAttempt("$4::integer * interval '1 millisecond'")},
        dead_at = CASE WHEN $5::boolean OR ${hasEnded('$6')} THEN now() END,
        payload = CASE WHEN $5::boolean OR ${hasEnded('$6')} THEN NULL ELSE payload END
      WHERE id = $1::bytea AND attempts = $2::integer AND payload IS NOT NULL
      RETURNING subject, sequence, next_attempt_at, dead_at),
    followers AS (
      UPDATE ${table} AS later SET next_attempt_at = failed.next_attempt_at
      FROM failed
      WHERE failed.dead_at IS NULL AND later.subject = ANY (ARRAY(SELECT subject FROM failed))
        AND later.subject = failed.subject AND later.sequence > failed.sequence
        AND later.payload IS NOT NULL AND later.next_attempt_at < failed.next_attempt_at)
    SELECT dead_at IS NOT NULL AS dead FROM failed`;
}

export interface StoreOptions {
  readonly database: Database;
  readonly schema: string;
  /** Must exceed the time that one attempt may take. */
  readonly leaseMilliseconds: number;
  /** The lane has the events of this origin; `''`: those for the configured URL. */
  readonly origin: string;
  readonly clock: Clock;
}

/** One lane of a schema's outbox. */
export function createCallbackStore(options: StoreOptions): CallbackStore {
  const { database, schema, leaseMilliseconds, origin, clock } = options;
  const table = callbackTable(schema);
  const claim = claimSql(table);
  const [remove, left] = [removeSql(table), leftSql(table)];
  const fail = failSql(table);
  // Behind a pooler that passes no `enable_seqscan=off`, the plan of a prepared statement, made for an outbox that is nearly
  // empty, as it usually is, may read all of a sudden backlog for each event; the next ANALYZE is a minute away.
  let isBacklog = false;
  const run: Query = (sql, parameters) => (isBacklog ? database.queryAnew : database.query)(sql, parameters);
  return {
    async claim(limit) {
      const claiming = run<ClaimedCallback>(claim, [limit, leaseMilliseconds, origin]);
      isBacklog = true;
      const claimed = await claiming;
      isBacklog = claimed.length === limit;
      return claimed;
    },
    async remove(delivered) {
      const parameters = [delivered.map(({ id }) => id), delivered.map(({ attempts }) => attempts)];
      const rows = await run<{ followed: boolean }>(remove, parameters);
      // The rest is locked, or has another lease by now.
      const rest = rows.length < delivered.length ? await run<{ id: Buffer }>(left, parameters) : [];
      return { followed: rows.some(({ followed }) => followed), locked: rest.map(({ id }) => id) };
    },
    async fail({ id, attempts }, { result, delayMilliseconds, final }) {
      const [row] = await run<{ dead: boolean }>(fail, [id, attempts, result, delayMilliseconds, final, clock()]);
      return row && (row.dead ? 'dead' : 'waiting');
    },
  };
}

/** The origins that have due events: one statement, however many there are. */
export async function findDueOrigins(
  database: Database,
  schema: string,
  origins: readonly string[],
): Promise<readonly string[]> {
  const rows = await database.query<{ origin: string }>(
    `SELECT origin FROM unnest($1::text[]) AS given (origin)
     WHERE EXISTS (
       SELECT FROM ${callbackTable(schema)} AS waiting
       WHERE waiting.target = given.origin AND waiting.dead_at IS NULL AND waiting.next_attempt_at <= now()
         AND (waiting.leased_until IS NULL OR waiting.leased_until <= now()))`,
    [origins],
  );
  return rows.map(({ origin }) => origin);
}

/**
 * Deletes up to `limit` dead letters that are older than `olderThanSeconds` by the clock of Postgres and at `now`; returns their
 * number. To be called by a timer.
 */
export async function purgeDeadCallbacks(
  database: Database,
  options: { readonly schema: string; readonly olderThanSeconds: number; readonly now: Date; readonly limit: number },
): Promise<number> {
  const table = callbackTable(options.schema);
  const rows = await database.query<object>(
    `DELETE FROM ${table} WHERE id = ANY(ARRAY(
       SELECT id FROM ${table} WHERE dead_at < least($3::timestamptz, now()) - $1::integer * interval '1 second'
       ORDER BY dead_at LIMIT $2 FOR UPDATE SKIP LOCKED))
     RETURNING 1 AS purged`,
    [options.olderThanSeconds, options.limit, options.now],
  );
  return rows.length;
}
