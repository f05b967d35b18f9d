import type { Logger, Metrics } from '@vestibule/process';
import type { Reports } from '../domain/ports';

/** Reports revocations that the database has lost: a line each time the list is built, and a counter. */
export function createLossReport(
  logger: Pick<Logger, 'error'>,
  metrics: Pick<Metrics, 'counter'>,
): Reports['reportLostRevocations'] {
  const help =
    'Status lists that were built although the database had lost revocations of them, which stay in the list';
  const count = metrics.counter('status_lists_altered_total', help);
  return (list, lost) => {
    logger.error('the database has lost revocations of a status list: they stay in the list', { list, lost });
    count();
  };
}
