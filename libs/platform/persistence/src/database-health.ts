import type { Pool } from 'pg';
import type { Query } from './prepared-query';
import type { ServicePool } from './service-pool';

export interface DatabaseHealthDeps {
  readonly pool: ServicePool;
  /** Runs on that pool. */
  readonly query: Query;
  /** Opens another pool to the same database, without any connection yet. */
  readonly openAnother: () => Pool;
}

const ANSWER_MILLISECONDS = 2_000;
/** How long this replica is not ready after a refused write; then it tries again. */
const UNWRITABLE_MILLISECONDS = 10_000;
const SILENCE_MILLISECONDS = 60_000;

/** A standby, or a server with read-only settings, answers but cannot be used. */
const WRITABLE = `SELECT current_setting('transaction_read_only') = 'off' AS writable`;

async function withinTime(answer: Promise<boolean>): Promise<boolean> {
  let timeout: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timeout = setTimeout(() => resolve(false), ANSWER_MILLISECONDS);
  });
  const result = await Promise.race([answer.catch(() => false), late]);
  clearTimeout(timeout);
  return result;
}

/** The readiness and liveness of a replica, as far as its database is concerned. */
export function databaseHealth({ pool, query, openAnother }: DatabaseHealthDeps) {
  let silentSince: number | undefined;

  const answers = (): Promise<boolean> => withinTime(query('SELECT 1').then(() => true));

  async function anotherAnswers(): Promise<boolean> {
    const another = openAnother();
    another.on('error', () => undefined);
    const answer = await withinTime(another.query('SELECT 1').then(() => true));
    void another.end();
    return answer;
  }

  return {
    async isReady(): Promise<boolean> {
      const writable = query<{ writable: boolean }>(WRITABLE).then(([row]) => {
        // Otherwise the pool would stay with a server that is no longer the primary.
        if (row?.writable !== true) pool.renew();
        return row?.writable === true;
      });
      return (await withinTime(writable)) && !pool.refusedToWriteWithin(UNWRITABLE_MILLISECONDS);
    },

    async isAlive(): Promise<boolean> {
      if (await answers()) {
        silentSince = undefined;
        return true;
      }
      silentSince ??= performance.now();
      if (performance.now() - silentSince < SILENCE_MILLISECONDS) return true;
      return !(await anotherAnswers());
    },
  };
}
