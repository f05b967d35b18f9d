import { randomBytes } from 'node:crypto';
import { READS_ALL } from '@vestibule/testkit';
import { openStoreStage, type StoreStage } from '../../testing/store.fixture-spec';
import { EXPIRE, FIND_OVERDUE, FINISH, MARK_UNSERVED, PURGE } from './presentation-request.store';

jest.setTimeout(180_000);

/** As many as make reading the whole table the worst choice by far. */
const ROWS = 100_000;
const OVERDUE = 500;

let stage: StoreStage;
beforeAll(async () => {
  stage = await openStoreStage();
  for (const table of ['presentation_request', 'callback'])
    await stage.database.query(`ALTER TABLE verifier.${table} SET (autovacuum_enabled = off)`);
  // The first bytes as in real identifiers; most requests have ended, some are open, a few are overdue.
  await stage.database.query(
    `INSERT INTO verifier.presentation_request (state, status, session, created_at, expires_at, finished_at)
     SELECT decode(lpad(to_hex(n), 8, '0') || repeat('00', 20), 'hex'),
       CASE WHEN n <= $1::int THEN 'EXPIRED' ELSE 'PENDING' END,
       CASE WHEN n > $1::int THEN decode(repeat(md5(n::text), 16), 'hex') END,
       now(), now() + (n - $1::int - $2::int) * interval '1 second',
       CASE WHEN n <= $1::int THEN now() - n * interval '1 second' END
     FROM generate_series(1, $1::int + 10 * $2::int) AS n`,
    [ROWS, OVERDUE],
  );
  await stage.database.query('ANALYZE verifier.presentation_request');
});
afterAll(() => stage.close());

async function planOf(sql: string, parameters: readonly unknown[]): Promise<string> {
  const rows = await stage.database.query<{ 'QUERY PLAN': string }>(`EXPLAIN ${sql}`, parameters);
  return rows.map((row) => row['QUERY PLAN']).join('\n');
}

function expectFew(plan: string): void {
  expect(plan).not.toMatch(READS_ALL);
  expect(plan).not.toContain('Bitmap Heap Scan');
}

describe('with many finished requests, a sweep reads only what it ends or deletes', () => {
  it('finds overdue requests through the index of open ones', async () => {
    const plan = await planOf(FIND_OVERDUE, [new Date(), 250]);
    expect(plan).toContain('Index Scan using presentation_request_open');
    expectFew(plan);
    expect(plan).not.toContain('Sort');
  });

  it('ends a batch by its keys', async () => {
    const states = Array.from({ length: 250 }, () => randomBytes(24));
    const texts = states.map((state) => state.toString('base64url'));
    const statuses = states.map(() => 'EXPIRED');
    const events = [states, texts, states, 86_400, statuses, states.map(() => null)];
    const plan = await planOf(EXPIRE, [new Date(), states, texts, ...events]);
    expect(plan).toContain('Index Scan using presentation_request_pkey');
    expectFew(plan);
  });

  it('marks a batch by its keys', async () => {
    const states = Array.from({ length: 200 }, () => randomBytes(24));
    const plan = await planOf(MARK_UNSERVED, [states, states.map(() => 1), new Date()]);
    expect(plan).toContain('Index Scan using presentation_request_pkey');
    expectFew(plan);
  });

  it('deletes a batch through the index of ended ones, then by place', async () => {
    const plan = await planOf(PURGE, [new Date(Date.now() - 3_600_000), 1_000]);
    expect(plan).toContain('Index Scan using presentation_request_ended');
    expect(plan).toContain('Tid Scan on presentation_request');
    expectFew(plan);
  });
});

describe('with many undelivered events', () => {
  const ADD = (from: number, to: number) =>
    `INSERT INTO verifier.callback (id, subject, payload, expires_at)
     SELECT decode(lpad(to_hex(n), 8, '0'), 'hex'), n::text, '', now() FROM generate_series(${from}, ${to}) AS n`;

  // Also in a burst, before Postgres has looked at the new rows.
  it.each([
    ['nothing', []],
    ['their size', ['VACUUM verifier.callback']],
    ['the first of them', ['ANALYZE verifier.callback', ADD(20_001, 40_000)]],
    ['all of them', ['ANALYZE verifier.callback']],
  ])(
    'the end of a request looks for earlier events of its subject alone where Postgres knows %s',
    async (_known, more) => {
      await stage.database.query('TRUNCATE verifier.callback');
      for (const sql of [ADD(1, 20_000), ...more]) await stage.database.query(sql);
      const [state, id] = [randomBytes(24), randomBytes(24)];
      const event = [id, state.toString('base64url'), Buffer.alloc(0), 86_400, 'FULFILLED', null];
      const plan = await planOf(FINISH, [state, 'FULFILLED', new Date(), null, null, null, ...event, 15_000]);
      expect(plan).toContain('presentation_request_pkey');
      expect(plan).toContain('callback_order');
      expect(plan).not.toMatch(READS_ALL);
      expect(plan).not.toContain('callback_due');
    },
  );
});
