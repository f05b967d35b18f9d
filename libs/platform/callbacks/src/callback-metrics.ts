import { quoteIdentifier, type Database } from '@vestibule/persistence';
import { type Metrics } from '@vestibule/process';
import { callbackTable, WAITS_SINCE } from './callback-table';

/** What is known of an outbox without reading all of it. */
interface Figures {
  /** Exact up to {@link MOST_COUNTED}, and beyond it about as many; events that are held do not wait for their receiver. */
  readonly waiting: number;
  /** As exact as `waiting`. */
  readonly dead: number;
  readonly oldestSeconds: number;
}

const FIGURES_MILLISECONDS = 1_000;

/** Beyond this number, rows are not counted: their number is that of the last ANALYZE or VACUUM, which is late for a sudden backlog. */
export const MOST_COUNTED = 1_000;

const IS_WAITING = `payload IS NOT NULL AND ${WAITS_SINCE} <= now()`;

/** The figures of an outbox, in one row, as {@link Figures} has them. Looks at no more rows than it counts, through their indexes. */
export function figuresSql(schema: string): string {
  const table = callbackTable(schema);
  const estimate = (index: string) =>
    `coalesce((SELECT reltuples FROM pg_class WHERE oid = to_regclass('${quoteIdentifier(schema)}.${index}')), 0)`;
  // The order leaves Postgres only the index, also while it knows nothing of the rows.
  const count = (index: string, condition: string, order: string) => `(
    SELECT CASE WHEN count(*) <= ${MOST_COUNTED} THEN count(*) ELSE greatest(count(*), ${estimate(index)}) END
    FROM (SELECT FROM ${table} WHERE ${condition} ORDER BY ${order} LIMIT ${MOST_COUNTED + 1}) AS counted)::float8`;
  return `
  SELECT ${count('callback_age', IS_WAITING, WAITS_SINCE)} AS waiting,
    ${count('callback_dead', 'dead_at IS NOT NULL', 'dead_at')} AS dead,
    coalesce(extract(epoch FROM now() - (
      SELECT ${WAITS_SINCE} FROM ${table} WHERE ${IS_WAITING} ORDER BY ${WAITS_SINCE} LIMIT 1)), 0)::float8 AS "oldestSeconds"`;
}

/** The three figures of one request to `/metrics` take one statement. */
function createFigures(database: Database, schema: string, stopwatch: () => number): () => Promise<Figures> {
  const sql = figuresSql(schema);
  let read: Promise<Figures> | undefined;
  let readAt = -Infinity;
  return () => {
    if (read && stopwatch() - readAt < FIGURES_MILLISECONDS) return read;
    readAt = stopwatch();
    read = database.queryAnew<Figures>(sql, []).then(([row]) => row ?? { waiting: 0, dead: 0, oldestSeconds: 0 });
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
    ['callbacks_waiting', 'Events not yet delivered; above 1,000 estimated', async () => (await figures()).waiting],
    [
      'callbacks_dead',
      'Events given up whose dead letters are kept; above 1,000 estimated',
      async () => (await figures()).dead,
    ],
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
