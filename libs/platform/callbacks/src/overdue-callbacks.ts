import type { Clock } from '@vestibule/foundation';
import type { Database } from '@vestibule/persistence';
import type { Logger } from '@vestibule/process';
import { callbackTable } from './callback-table';

/**
 * The last attempt is due when the time of an event ends. One that is this late has no turn: others use up the lane. A receiver
 * that is back, and answers in 200 ms, takes 144,000 events in this time.
 */
const LATE_SECONDS = 1_800;
/** One that is this late has no turn either, if there were at least two minutes for it. */
const LATEST_SECONDS = 7 * 86_400;
/** How often it looks. */
const PAUSE_MILLISECONDS = 60_000;
/** After an outage: how long events whose time has ended meanwhile may still be posted. */
const SETTLING_MILLISECONDS = 600_000;
/** The same for what is a week late, which a process that is restarted every few minutes must not keep. */
const SHORT_SETTLING_MILLISECONDS = 120_000;
/** Longer than from one look to the next. What ends in a shorter outage has the rest of `LATE_SECONDS`. */
const OUTAGE_MILLISECONDS = 180_000;

const giveUpSql = (table: string): string => `
  WITH given_up AS (
    UPDATE ${table}
    SET dead_at = now(), payload = NULL, leased_until = NULL, last_result = coalesce(last_result, 'overdue')
    WHERE id = ANY (ARRAY(
      SELECT id FROM ${table}
      WHERE dead_at IS NULL AND expires_at <= least($1::timestamptz, now()) - $3::integer * interval '1 second'
        AND (leased_until IS NULL OR leased_until <= now())
      ORDER BY expires_at LIMIT $2 FOR UPDATE SKIP LOCKED))
    RETURNING 1)
  SELECT count(*)::int AS count FROM given_up`;

/** So many of the oldest events whose time is over are looked at. */
const LOOKED_AT = 10_000;

/**
 * An event may have been written, or have failed, while the clock of Postgres was far ahead, so that its last attempt would come
 * after it is given up. It is due when its time is over.
 */
const makeDueSql = (table: string): string => `
  UPDATE ${table} SET next_attempt_at = now()
  WHERE id = ANY (ARRAY(
    SELECT id FROM ${table}
    WHERE id = ANY (ARRAY(
        SELECT id FROM ${table} WHERE dead_at IS NULL AND expires_at <= least($1::timestamptz, now())
        ORDER BY expires_at LIMIT ${LOOKED_AT}))
      AND dead_at IS NULL AND next_attempt_at > now()
      AND (leased_until IS NULL OR leased_until <= now()) AND (held_until IS NULL OR held_until <= now())
    FOR UPDATE SKIP LOCKED))`;

export interface OverdueOptions {
  readonly database: Database;
  readonly schema: string;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * Turns events into dead letters whose time has long ended without a last attempt, because a receiver that hangs leaves room
 * for few: their claims must not stay as long as it takes to try them all. By the clocks of this process and of Postgres;
 * not while an attempt is under way, and not until ten minutes after an outage of this process or of Postgres, in which
 * nothing could be posted; those that are a week late after two minutes. Before that, makes due what a clock that was ahead has put
 * off beyond its time. Returns how many became dead letters, at most `limit`.
 * To be called by a timer, as often as it likes: it looks once a minute, and again immediately after it has found some. By
 * time and not by calls, because these are far apart while what else the timer does takes long: a gap between two looks
 * would pass for an outage.
 */
export function createOverdue({ database, schema, clock, logger }: OverdueOptions): (limit: number) => Promise<number> {
  const table = callbackTable(schema);
  const [sql, dueSql] = [giveUpSql(table), makeDueSql(table)];
  let ranAt = Number.NEGATIVE_INFINITY;
  let workingSince = Number.POSITIVE_INFINITY;
  let hasFound = false;
  return async (limit) => {
    const now = clock();
    const since = now.getTime() - ranAt;
    if (!hasFound && since >= 0 && since < PAUSE_MILLISECONDS) return 0;
    // A clock that was ahead passed for an outage, whose end must not lie ahead when the clock is right again.
    if (since > OUTAGE_MILLISECONDS || workingSince > now.getTime()) workingSince = now.getTime();
    const working = now.getTime() - workingSince;
    const lateness = working >= SETTLING_MILLISECONDS ? LATE_SECONDS : LATEST_SECONDS;
    // Without a limit it changes nothing, and shows that Postgres answers.
    const parameters = [now, working >= SHORT_SETTLING_MILLISECONDS ? limit : 0, lateness];
    const [row] = await database.query<{ count: number }>(sql, parameters);
    ranAt = now.getTime();
    const count = row?.count ?? 0;
    hasFound = count > 0;
    if (hasFound) logger.error('callbacks given up without a last attempt: they are dead letters now', { count });
    await database.query(dueSql, [now]);
    return count;
  };
}
