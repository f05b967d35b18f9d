import { type Database } from '@vestibule/persistence';
import { type Metrics } from '@vestibule/process';
import { callbackTable } from './callback-table';

interface Figures {
  readonly waiting: number;
  readonly dead: number;
  readonly oldestSeconds: number;
}

const FIGURES_MILLISECONDS = 1_000;

/** A held event is not waiting for its receiver. */
const IS_WAITING = 'dead_at IS NULL AND (held_until IS NULL OR held_until <= now())';

/** The figures of an outbox, in one row: `waiting`, `dead`, `oldestSeconds`. */
export const figuresSql = (table: string): string => `
  SELECT count(*) FILTER (WHERE ${IS_WAITING})::int AS waiting, count(dead_at)::int AS dead,
    coalesce(extract(epoch FROM now() - min(coalesce(held_until, created_at)) FILTER (WHERE ${IS_WAITING})), 0)::float8
      AS "oldestSeconds"
  FROM ${table}`;

/** The three figures of one request to `/metrics` take one statement. */
function createFigures(database: Database, schema: string, stopwatch: () => number): () => Promise<Figures> {
  const sql = figuresSql(callbackTable(schema));
  let read: Promise<Figures> | undefined;
  let readAt = -Infinity;
  return () => {
    if (read && stopwatch() - readAt < FIGURES_MILLISECONDS) return read;
    readAt = stopwatch();
    read = database.query<Figures>(sql, []).then(([row]) => row ?? { waiting: 0, dead: 0, oldestSeconds: 0 });
    return read;
  };
}

/**
 * Exposes an outbox in metrics: waiting events, dead letters, the age of the oldest waiting event, and attempts by the
 * class of their result. Returns a function that counts an attempt.
 */
export function showCallbacks(metrics: Metrics, database: Database, schema: string): (result: string) => void {
  const figures = createFigures(database, schema, () => performance.now());
  const gauges = [
    ['callbacks_waiting', 'Events not yet delivered', async () => (await figures()).waiting],
    ['callbacks_dead', 'Events given up whose dead letters are kept', async () => (await figures()).dead],
    [
      'callbacks_oldest_waiting_seconds',
      'Age of the oldest pending event; 0 if there is none',
      async () => (await figures()).oldestSeconds,
    ],
  ] as const;
  for (const [name, help, read] of gauges) metrics.gauge(name, help, read);
  const attempts = metrics.counter('callback_attempts_total', 'Delivery attempts by result class', 'result');
  return (result) => attempts(result);
}
