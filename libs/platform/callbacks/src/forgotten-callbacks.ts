import { type Clock } from '@vestibule/foundation';
import { type Database } from '@vestibule/persistence';
import { type Logger } from '@vestibule/process';
import { callbackTable, hasEnded, nextAttempt } from './callback-table';
import { type DeliveryLimits } from './delivery-policy';

export interface ForgottenOptions {
  readonly database: Database;
  readonly schema: string;
  /** The origins that events of their own receiver may be posted to. */
  readonly origins: readonly string[];
  readonly limits: DeliveryLimits;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Called for each event that was refused, for metrics. */
  readonly onAttempt?: ((result: string) => void) | undefined;
}

const RESULT = 'target_not_allowed';

/** How many are put off by one statement; many more would hold their locks for long. */
const MOST_AT_ONCE = 500;

const LARGEST_EXPONENT = 30;

/** At rest: such events are not urgent. If there were as many as one statement puts off, the next one comes after one poll. */
const REST_POLLS = 30;

const DELAY = `LEAST($3::integer, $4::integer * 2 ^ LEAST(coalesce(free.attempts_before, event.attempts), ${LARGEST_EXPONENT}))
        * interval '1 millisecond'`;

/**
 * The origins of waiting events are found by one look at `callback_due` for each, and none at the backlog of the configured
 * receiver; of each no more are read than are put off. The last attempt is at the expiry, as for other events.
 *
 * The delay doubles from the shortest on: a replica that knows a new origin already may be about to post its events. Events
 * that follow another one wait about as long as it does, and have no attempt: they begin with short delays when it is their turn.
 */
const putOffSql = (table: string): string => `
  WITH RECURSIVE origin (target) AS (
    SELECT '' UNION ALL SELECT (
      SELECT next.target FROM ${table} AS next WHERE next.dead_at IS NULL AND next.target > origin.target
      ORDER BY next.target LIMIT 1)
    FROM origin WHERE origin.target IS NOT NULL
  ), due AS MATERIALIZED (
    SELECT found.id FROM origin CROSS JOIN LATERAL (
      SELECT id, next_attempt_at FROM ${table}
      WHERE target = origin.target AND dead_at IS NULL AND next_attempt_at <= now()
        AND (leased_until IS NULL OR leased_until <= now())
      ORDER BY next_attempt_at LIMIT $1) AS found
    WHERE origin.target <> '' AND origin.target <> ALL ($2::text[])
    ORDER BY found.next_attempt_at LIMIT $1
  ), free AS MATERIALIZED (
    SELECT id, (
        SELECT max(earlier.attempts) FROM ${table} AS earlier
        WHERE earlier.subject = event.subject AND earlier.sequence < event.sequence AND earlier.payload IS NOT NULL
      ) AS attempts_before
    FROM ${table} AS event WHERE id = ANY (ARRAY(SELECT id FROM due))
      AND payload IS NOT NULL AND next_attempt_at <= now() AND (leased_until IS NULL OR leased_until <= now())
    FOR UPDATE SKIP LOCKED
  ), put_off AS (
    UPDATE ${table} AS event SET
      attempts = event.attempts + (free.attempts_before IS NULL)::integer,
      leased_until = NULL,
      last_result = '${RESULT}',
      next_attempt_at = ${nextAttempt(DELAY)},
      dead_at = CASE WHEN ${hasEnded('$5')} THEN now() END,
      payload = CASE WHEN ${hasEnded('$5')} THEN NULL ELSE payload END
    FROM free WHERE event.id = ANY (ARRAY(SELECT id FROM free)) AND event.id = free.id
    RETURNING event.dead_at)
  SELECT count(*)::int AS count, count(dead_at)::int AS dead FROM put_off`;

/**
 * Puts off the events of origins that are not allowed (any more), in bulk: they are posted nowhere, wait for their origin to
 * be allowed again, and become dead letters when their time ends. Until it is stopped.
 */
export function putOffForgotten(options: ForgottenOptions): { readonly stop: () => Promise<void> } {
  const { database, schema, origins, limits, clock, logger, onAttempt } = options;
  const sql = putOffSql(callbackTable(schema));
  const { longestDelayMilliseconds, firstDelayMilliseconds } = limits;
  const parameters = [MOST_AT_ONCE, origins, longestDelayMilliseconds, firstDelayMilliseconds];
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;
  let isFailing = false;

  async function putOff(): Promise<number> {
    const [row] = await database.queryAnew<{ count: number; dead: number }>(sql, [...parameters, clock()]);
    const { count, dead } = row ?? { count: 0, dead: 0 };
    for (let event = 0; event < count; event += 1) onAttempt?.(RESULT);
    if (count > dead) logger.warn('callbacks wait: their origins are not allowed', { count: count - dead });
    if (dead > 0)
      logger.error('callbacks given up, their origins are not allowed: they are dead letters now', { count: dead });
    return count;
  }

  async function tryToPutOff(): Promise<number> {
    try {
      const count = await putOff();
      isFailing = false;
      return count;
    } catch (error) {
      if (!isFailing && !isStopped)
        logger.warn('callbacks whose origins are not allowed cannot be put off, retrying', { error });
      isFailing = true;
      return 0;
    }
  }

  async function look(): Promise<void> {
    const count = await tryToPutOff();
    const milliseconds = limits.pollMilliseconds * (count === MOST_AT_ONCE ? 1 : REST_POLLS);
    if (!isStopped)
      timer = setTimeout(() => {
        looking = look();
      }, milliseconds);
  }

  let looking = look();
  return {
    async stop() {
      isStopped = true;
      clearTimeout(timer);
      await looking;
    },
  };
}
