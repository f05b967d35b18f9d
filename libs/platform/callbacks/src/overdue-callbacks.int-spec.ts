import type { Database } from '@vestibule/persistence';
import { genericPlan, READS_ALL } from '@vestibule/testkit';
import { createCallbackOperations } from './callback-operations';
import { createCallbackOverview } from './callback-overview';
import { openStage, until, type Stage } from './outbox.stage';
import { createOverdue } from './overdue-callbacks';

jest.setTimeout(180_000);

const LIMIT = 100;
/** What a process has worked before it gives anything up. */
const SETTLED_MINUTES = 11;

let stage: Stage;
/** The clock of the process. */
let at: number;
beforeAll(async () => {
  stage = await openStage();
});
beforeEach(() => void (at = Date.now()));
afterEach(() => stage.reset());
afterAll(() => stage.close());

/** Calls it as a timer does, every so many seconds; returns what the calls returned together. */
async function passMinutes(run: (limit: number) => Promise<number>, minutes: number, seconds = 60): Promise<number> {
  let sum = 0;
  for (const end = at + minutes * 60_000; at < end; at += seconds * 1000) sum += await run(LIMIT).catch(() => 0);
  return sum;
}

const open = (database: Database = stage.database) =>
  createOverdue({ database, schema: stage.schema, clock: () => new Date(at), logger: stage.logger });

async function enqueueLate(subjects: readonly string[], lateSeconds = 1_860): Promise<void> {
  for (const subject of subjects) await stage.enqueue(subject, '{"status":"EXPIRED"}');
  await stage.database.query(
    `UPDATE ${stage.table} SET expires_at = now() - $2::integer * interval '1 second' WHERE subject = ANY ($1)`,
    [subjects, lateSeconds],
  );
}

const deadOnes = async () => (await stage.rows()).filter(({ dead }) => dead).map(({ subject }) => subject);

describe('events whose time has ended', () => {
  it('lose their claims although a receiver that hangs never lets them have their turn', async () => {
    let endAttempt = (): void => undefined;
    stage.reply = (_, response) => void (endAttempt = () => response.writeHead(204).end());
    await enqueueLate(['a', 'b', 'c', 'd']);
    const one = stage.deliverer({ limits: { concurrency: 1 } });
    await until(() => stage.posted.length === 1);
    expect(await passMinutes(open(), SETTLED_MINUTES)).toBe(3);
    const rows = await stage.rows();
    expect(rows.filter(({ dead }) => dead)).toHaveLength(3);
    for (const { dead, payload, attempts, last_result: result } of rows)
      expect({ payload: payload === null, attempts, result }).toEqual(
        dead ? { payload: true, attempts: 0, result: 'overdue' } : { payload: false, attempts: 1, result: null },
      );
    const sentence = 'callbacks given up without a last attempt: they are dead letters now';
    expect(stage.lines.filter(({ message }) => message === sentence)).toEqual([
      { message: sentence, fields: { count: 3 } },
    ]);
    endAttempt();
    await one.stop();
  });

  it('are dead letters like others: an operator sees and replays them', async () => {
    await enqueueLate(['a']);
    await passMinutes(open(), SETTLED_MINUTES);
    const common = {
      database: stage.database,
      service: 'verifier',
      schema: stage.schema,
      wake: () => undefined,
    } as const;
    const { items } = await createCallbackOverview(common).list({ state: 'dead', limit: 10 });
    expect(items).toMatchObject([{ subject: 'a', last_result: 'overdue', replayable: true }]);
    const operations = createCallbackOperations({ ...common, sealer: stage.context.sealer, lifetimeSeconds: 60 });
    await expect(operations.replay({})).resolves.toEqual({ replayed: 1, more: false });
    expect(await passMinutes(open(), SETTLED_MINUTES)).toBe(0);
  });

  it('have half an hour for their last attempt, and those that wait keep all', async () => {
    await enqueueLate(['late'], 1_801);
    await enqueueLate(['due'], 1_790);
    await stage.enqueue('early', '{}');
    await stage.hold('held', '{}', 600);
    await passMinutes(open(), SETTLED_MINUTES);
    expect(await deadOnes()).toEqual(['late']);
  });

  it('have it although a clock that was hours ahead has put it off, but not what is held', async () => {
    await enqueueLate(['late', 'held'], 10);
    await stage.enqueue('early', '{}');
    await stage.database.query(
      `UPDATE ${stage.table} SET next_attempt_at = now() + interval '3 hours',
         held_until = CASE WHEN subject = 'held' THEN now() + interval '3 hours' END`,
    );
    expect(await passMinutes(open(), 5)).toBe(0);
    const due = `SELECT subject FROM ${stage.table} WHERE dead_at IS NULL AND next_attempt_at <= now()`;
    expect(await stage.database.query(due)).toEqual([{ subject: 'late' }]);
  });

  it.each([1, 4, 61])(
    'are found by passes that are %d s apart, and Postgres gets two questions a minute',
    async (seconds) => {
      await enqueueLate(['a']);
      let asked = 0;
      const query: Database['query'] = (...question) => {
        asked += 1;
        return stage.database.query(...question);
      };
      expect(await passMinutes(open({ ...stage.database, query }), 12, seconds)).toBe(1);
      expect(asked).toBeLessThanOrEqual(26);
    },
  );

  it('are found at once as long as there are more', async () => {
    const run = open();
    await passMinutes(run, SETTLED_MINUTES);
    await enqueueLate(['a', 'b', 'c']);
    const found: number[] = [];
    for (let call = 0; call < 5; call += 1) found.push(await run(1));
    expect(found).toEqual([1, 1, 1, 0, 0]);
  });

  it('are given up although nothing can be made due', async () => {
    await enqueueLate(['a']);
    const query: Database['query'] = (sql, parameters) =>
      sql.includes('given_up') ? stage.database.query(sql, parameters) : Promise.reject(new Error('cancelled'));
    await passMinutes(open({ ...stage.database, query }), SETTLED_MINUTES);
    expect(await deadOnes()).toEqual(['a']);
  });

  it('are left alone by a process whose clock has not come so far', async () => {
    await enqueueLate(['a']);
    at -= 3_600_000;
    expect(await passMinutes(open(), SETTLED_MINUTES)).toBe(0);
  });
});

describe('after an outage, in which nothing could be posted', () => {
  it('of a week, there are two minutes for it', async () => {
    await enqueueLate(['a'], 7 * 86_400 + 3_600);
    const run = open();
    expect(await passMinutes(run, 2)).toBe(0);
    expect(await passMinutes(run, 1)).toBe(1);
  });

  it('and another one every nine minutes, nothing stays for longer than a week', async () => {
    await enqueueLate(['late'], 7 * 86_400 + 1);
    await enqueueLate(['later'], 7 * 86_400 - 60);
    for (let start = 0; start < 3; start += 1) await passMinutes(open(), 9);
    expect(await deadOnes()).toEqual(['late']);
  });

  it('of all processes, there are ten minutes for it', async () => {
    await enqueueLate(['a']);
    const run = open();
    expect(await passMinutes(run, 10)).toBe(0);
    expect(await passMinutes(run, 1)).toBe(1);
  });

  it.each<[string, number]>([
    ['of Postgres', 4],
    ['of this process, which was suspended', 0],
  ])('%s, there are ten minutes for it', async (_what, failures) => {
    let left = 0;
    const query: Database['query'] = (...question) => {
      left -= 1;
      return left >= 0 ? Promise.reject(new Error('Postgres is away')) : stage.database.query(...question);
    };
    const run = open({ ...stage.database, query });
    await passMinutes(run, SETTLED_MINUTES);
    await enqueueLate(['a']);
    left = failures;
    if (failures === 0) at += 240_000;
    expect(await passMinutes(run, failures + 10)).toBe(0);
    expect(await passMinutes(run, 1)).toBe(1);
  });

  it('in whose place a clock was ahead for a moment, there are ten minutes from then on', async () => {
    const run = open();
    await passMinutes(run, SETTLED_MINUTES);
    at += 9 * 86_400_000;
    expect(await run(LIMIT)).toBe(0);
    at -= 9 * 86_400_000;
    await enqueueLate(['a']);
    expect(await passMinutes(run, 10)).toBe(0);
    expect(await passMinutes(run, 1)).toBe(1);
  });

  it('a single failure is none', async () => {
    let isAway = false;
    const query: Database['query'] = (...question) =>
      isAway ? Promise.reject(new Error('a timeout')) : stage.database.query(...question);
    const run = open({ ...stage.database, query });
    await passMinutes(run, SETTLED_MINUTES);
    await enqueueLate(['a']);
    isAway = true;
    await passMinutes(run, 1);
    isAway = false;
    expect(await passMinutes(run, 1)).toBe(1);
  });
});

it('are found by when their time ends, however many wait', async () => {
  const asked: string[] = [];
  const query: Database['query'] = (sql, parameters) => {
    asked.push(sql);
    return stage.database.query(sql, parameters);
  };
  await open({ ...stage.database, query })(LIMIT);
  for (const statistics of ['SELECT 1', `VACUUM ANALYZE ${stage.table}`]) {
    await stage.database.query(statistics);
    expect(asked).toHaveLength(2);
    for (const sql of asked) {
      const plan = await stage.database.transaction(({ manager }) => genericPlan((one) => manager.query(one), sql));
      expect(plan).toContain('callback_expiry');
      expect(plan).not.toMatch(READS_ALL);
    }
  }
});
