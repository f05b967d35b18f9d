import type { Database } from '@vestibule/persistence';
import { figuresSql, MOST_COUNTED } from './callback-metrics';
import { createCallbackOperations } from './callback-operations';
import { createCallbackOverview } from './callback-overview';
import { DELIVERY_LIMITS } from './delivery-policy';
import { putOffForgotten } from './forgotten-callbacks';
import { openStage, type Stage } from './outbox.stage';

jest.setTimeout(180_000);

const BACKLOG = 20_000;
/** Dead letters that no bulk replay revives. */
const UNWANTED = 5_000;
const FEW = 3;

let stage: Stage;
beforeAll(async () => {
  // All statements on one connection, which counts its rows.
  stage = await openStage({ poolSize: 1 });
  await stage.database.query(`ALTER TABLE ${stage.table} SET (autovacuum_enabled = false)`);
  // Later ones have greater ids.
  let last = 0;
  const insert = async (count: number, status: string, columns: string, values: string): Promise<void> => {
    await stage.database.query(
      `INSERT INTO ${stage.table} (id, subject, status, expires_at, ${columns})
       SELECT decode(lpad(to_hex($3::int + n), 48, '0'), 'hex'), $2::text || n, $2::text, now() + interval '1 day', ${values}
       FROM generate_series(1, $1::int) AS n`,
      [count, status, last],
    );
    last += count;
  };
  await insert(BACKLOG, 'FULFILLED', 'payload', `''`);
  await insert(UNWANTED, 'OFFER_CREATED', 'dead_at', 'now()');
  await insert(FEW, 'ISSUED', 'dead_at, details', `now(), 'not sealed'`);
  await insert(FEW, 'EXPIRED', 'payload, url', `'', 'https://' || n || '.example/gone'`);
  await stage.database.query(`VACUUM ANALYZE ${stage.table}`);
});
afterAll(() => stage.close());

const common = () => ({
  database: stage.database,
  service: 'issuer' as const,
  schema: stage.schema,
  wake: () => undefined,
});

async function rowsRead(): Promise<number> {
  await stage.database.query('SELECT pg_stat_force_next_flush()');
  const [row] = await stage.database.query<{ read: string }>(
    `SELECT seq_tup_read + coalesce(idx_tup_fetch, 0) AS read FROM pg_stat_user_tables WHERE relid = $1::regclass`,
    [stage.table],
  );
  return Number(row?.read);
}

/** What `work` has read of the outbox, at least one row. */
async function readBy(work: () => Promise<unknown>): Promise<number> {
  const before = await rowsRead();
  await work();
  const read = (await rowsRead()) - before;
  expect(read).toBeGreaterThan(0);
  return read;
}

describe('while a receiver is away for long, its backlog', () => {
  it('is not read to put off the events of origins that are no longer allowed', async () => {
    const { database, schema, logger } = stage;
    const read = await readBy(async () => {
      const origins = ['https://1.example'];
      const clock = () => new Date();
      await putOffForgotten({ database, schema, origins, limits: DELIVERY_LIMITS, clock, logger }).stop();
    });
    const rows = await database.query<{ url: string }>(
      `SELECT url FROM ${stage.table} WHERE last_result = 'target_not_allowed' ORDER BY url`,
    );
    expect(rows.map(({ url }) => url)).toEqual(['https://2.example/gone', 'https://3.example/gone']);
    expect(read).toBeLessThan(100);
  });

  it('is not read for the figures: they are exact for few rows, and about right for many', async () => {
    await stage.database.query(
      `UPDATE ${stage.table} SET created_at = now() - interval '1 hour' WHERE subject = 'FULFILLED' || $1::int`,
      [BACKLOG / 2],
    );
    let figures: { readonly oldestSeconds: number } | undefined;
    const read = await readBy(async () => {
      [figures] = await stage.database.queryAnew<{ oldestSeconds: number }>(figuresSql(stage.schema));
    });
    expect(figures).toMatchObject({ waiting: BACKLOG + FEW, dead: UNWANTED + FEW });
    expect(figures?.oldestSeconds).toBeGreaterThanOrEqual(3_600);
    expect(figures?.oldestSeconds).toBeLessThan(3_900);
    expect(read).toBeLessThan(2 * MOST_COUNTED + 100);
  });

  it.each([1, 10, UNWANTED])('is not read to list %d dead letters, wherever they are', async (limit) => {
    const overview = createCallbackOverview(common());
    const seen: (string | undefined)[] = [];
    const read = await readBy(async () => {
      const first = await overview.list({ state: 'dead', limit });
      const second = await overview.list({ state: 'dead', limit, cursor: first.nextCursor });
      for (const { items } of [first, second]) seen.push(...items.map(({ status }) => status));
    });
    expect(seen).toHaveLength(Math.min(2 * limit, UNWANTED + FEW));
    expect(read).toBeLessThanOrEqual(2 * (limit + 1) + 10);
  });

  it('and dead letters that nobody wants are not looked through to replay the others', async () => {
    const operations = createCallbackOperations({ ...common(), sealer: stage.context.sealer, lifetimeSeconds: 60 });
    let outcome;
    const read = await readBy(async () => (outcome = await operations.replay({})));
    expect(outcome).toEqual({ replayed: 0, more: false });
    expect(read).toBeLessThan(100);
  });

  it('is made due in parts, each of which Postgres has time for', async () => {
    await stage.database.transaction(
      ({ query }) => query(`UPDATE ${stage.table} SET next_attempt_at = now() + interval '1 hour'`),
      'slow',
    );
    const parts: number[] = [];
    const transaction: Database['transaction'] = async (work, pace) => {
      const result = await stage.database.transaction(work, pace);
      parts.push((result as { readonly retried: number }).retried);
      return result;
    };
    const overview = createCallbackOverview({ ...common(), database: { ...stage.database, transaction } });
    await expect(overview.retry({})).resolves.toEqual({ retried: BACKLOG + FEW });
    expect(Math.max(...parts)).toBe(5_000);
    await expect(overview.retry({})).resolves.toEqual({ retried: BACKLOG + FEW });
    expect(parts).toHaveLength(6);
  });
});

describe('when the backlog has become dead letters', () => {
  it('they are not read to list the few events that wait after them', async () => {
    const bury = `UPDATE ${stage.table} SET dead_at = now(), payload = NULL WHERE payload IS NOT NULL AND url IS NULL`;
    await stage.database.transaction(({ query }) => query(bury), 'slow');
    await stage.database.query(`VACUUM ANALYZE ${stage.table}`);
    const overview = createCallbackOverview(common());
    let items: readonly object[] = [];
    const read = await readBy(async () => ({ items } = await overview.list({ state: 'waiting', limit: 10 })));
    expect(items).toHaveLength(FEW);
    expect(read).toBeLessThan(100);
  });
});
