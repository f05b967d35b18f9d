import { figuresSql, MOST_COUNTED } from './callback-metrics';
import { createCallbackOverview } from './callback-overview';
import { createCallbackStore, type ClaimedCallback } from './callback-store';
import { openStage, type Stage } from './outbox.stage';

jest.setTimeout(180_000);

const BACKLOG = 20_000;
const PART = 5_000;
const CLAIMED = 16;
/** Postgres plans a prepared statement for good after five executions. */
const EXECUTIONS = 8;
const FAILED = { result: 'http_500', delayMilliseconds: 1_000, final: false };

let stage: Stage;
beforeEach(async () => {
  // All statements on one connection, which has its plans and counts its rows.
  stage = await openStage({ poolSize: 1 });
  await stage.database.query(`ALTER TABLE ${stage.table} SET (autovacuum_enabled = false)`);
});
afterEach(() => stage.close());

/** In parts, for each of which a busy machine has time. */
async function insert(count: number, prefix: string): Promise<void> {
  for (let from = 1; from <= count; from += PART)
    await stage.database.query(
      `INSERT INTO ${stage.table} (id, subject, payload, expires_at)
       SELECT decode(md5($3::text || n), 'hex'), $3::text || n, decode(repeat(md5(n::text), 10), 'hex'), now() + interval '1 day'
       FROM generate_series($1::int, $2::int) AS n`,
      [from, Math.min(count, from + PART - 1), prefix],
    );
}

async function rowsRead(): Promise<number> {
  await stage.database.query('SELECT pg_stat_force_next_flush()');
  const [row] = await stage.database.query<{ read: string }>(
    `SELECT seq_tup_read + coalesce(idx_tup_fetch, 0) AS read FROM pg_stat_user_tables WHERE relid = $1::regclass`,
    [stage.table],
  );
  return Number(row?.read);
}

async function readBy(work: () => Promise<unknown>): Promise<number> {
  const before = await rowsRead();
  await work();
  return (await rowsRead()) - before;
}

// A session has `on` behind a pooler that passes no options.
describe.each(['off', 'on'])('a backlog that Postgres has no statistics about, with enable_seqscan=%s', (setting) => {
  beforeEach(() => stage.database.query(`SET enable_seqscan = ${setting}`));

  it.each<[string, number]>([
    ['the outbox was always empty', 0],
    ['the outbox was analyzed when it had few events', 5],
  ])('is worked off without reading all of it for each step, once it is known: %s', async (_what, few) => {
    await insert(few, 'few');
    if (few > 0) await stage.database.query(`ANALYZE ${stage.table}`);
    const { database, schema } = stage;
    const store = createCallbackStore({
      database,
      schema,
      leaseMilliseconds: 60_000,
      origin: '',
      clock: () => new Date(),
    });
    for (let execution = 0; execution < EXECUTIONS; execution += 1) {
      const claimed = await store.claim(1);
      await store.remove(claimed);
      for (const one of claimed) await store.fail(one, FAILED);
    }
    await insert(BACKLOG, `many${few}-`);
    // Until a claim is full, the lane does not know of the backlog.
    await store.claim(CLAIMED);
    let claimed: ClaimedCallback[] = [];
    const read = [
      await readBy(async () => (claimed = await store.claim(CLAIMED))),
      await readBy(() => store.remove(claimed.slice(0, CLAIMED / 2))),
      await readBy(() => store.fail(claimed.at(-1) as ClaimedCallback, FAILED)),
    ];
    expect(claimed).toHaveLength(CLAIMED);
    expect(Math.min(...read)).toBeGreaterThan(0);
    expect(Math.max(...read)).toBeLessThan(CLAIMED * 20);
  });

  it('is counted up to a limit, and listed in pages, without reading all of it', async () => {
    await insert(2 * BACKLOG, 'many');
    const { database, schema, table } = stage;
    await database.query(
      `UPDATE ${table} SET dead_at = now(), payload = NULL WHERE subject = ANY (ARRAY['many1', 'many2', 'many3'])`,
    );
    const overview = createCallbackOverview({ database, service: 'issuer', schema, wake: () => undefined });
    let figures: object | undefined;
    const read = [
      await readBy(async () => ([figures] = await database.queryAnew(figuresSql(schema)))),
      await readBy(() => overview.list({ state: 'waiting', limit: 10 })),
      await readBy(() => overview.list({ state: 'dead', limit: 10 })),
    ];
    // Nobody has estimated them yet.
    expect(figures).toMatchObject({ waiting: MOST_COUNTED + 1, dead: 3 });
    expect(read[0]).toBeLessThan(MOST_COUNTED + 20);
    expect(Math.max(...read.slice(1))).toBeLessThan(20);
  });
});
