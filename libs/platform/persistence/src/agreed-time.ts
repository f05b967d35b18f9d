import type { Clock } from '@vestibule/foundation';
import type { Database } from './database';

/** The time by which flows end and rows are deleted. */
export type AgreedTime = () => Promise<Date>;

/**
 * The earlier of the times of this process and of Postgres. What ends or is deleted cannot be brought back, so a clock that
 * is ahead for a moment must not decide it alone.
 */
export function createAgreedTime({ query }: Pick<Database, 'query'>, clock: Clock): AgreedTime {
  return async () => {
    const [row] = await query<{ at: Date }>('SELECT clock_timestamp() AS at');
    const own = clock();
    return row && row.at < own ? row.at : own;
  };
}
