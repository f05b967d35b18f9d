import type { Fault } from '@vestibule/foundation';
import type { Logger } from '@vestibule/process';

const MOST_SHOWN = 10;

/** Tells operators what a request asks for although it is not registered: types and paths of claims, no values. */
export function createUnregisteredReport(logger: Pick<Logger, 'warn'>) {
  return (registration: string | undefined, faults: readonly Fault[]): void => {
    const shown = faults.slice(0, MOST_SHOWN).map(({ path, message }) => `${path} ${message}`);
    logger.warn('a request asks for more than is registered', {
      registration,
      count: faults.length,
      faults: shown.join('; '),
    });
  };
}
