import type { Database } from '@vestibule/persistence';
import { openStage, until, type Stage } from './outbox.stage';

jest.setTimeout(180_000);

const GONE = 'https://gone.example';
/** Later than these tests end. */
const LATER = { firstDelayMilliseconds: 600_000, longestDelayMilliseconds: 600_000 };

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterEach(() => stage.reset());
afterAll(() => stage.close());

/** Many events at once, of subjects of their own. */
const insert = (count: number, url: string): Promise<object[]> =>
  stage.database.query(
    `INSERT INTO ${stage.table} (id, subject, payload, expires_at, url)
     SELECT decode(md5($2 || n), 'hex'), $2 || n, 'sealed', now() + interval '1 hour', $2 FROM generate_series(1, $1::int) AS n`,
    [count, url],
  );

async function countOf(condition: string): Promise<number> {
  const sql = `SELECT count(*)::int AS count FROM ${stage.table} WHERE ${condition}`;
  return (await stage.database.query<{ count: number }>(sql))[0]?.count ?? 0;
}

const MARKED = `last_result = 'target_not_allowed' AND attempts = 1 AND dead_at IS NULL AND next_attempt_at > now()`;

describe('events of an origin that is no longer allowed', () => {
  it('are put off many at a time, with few statements, and counted', async () => {
    await insert(1_200, `${GONE}/hook`);
    let asked = 0;
    const queryAnew: Database['queryAnew'] = (...question) => {
      asked += 1;
      return stage.database.queryAnew(...question);
    };
    const results: string[] = [];
    const onAttempt = (result: string): void => void results.push(result);
    stage.deliverer({ database: { ...stage.database, queryAnew }, limits: LATER, onAttempt });
    await until(async () => (await countOf(MARKED)) === 1_200);
    expect(asked).toBeLessThan(10);
    await until(() => results.length === 1_200);
    expect(new Set(results)).toEqual(new Set(['target_not_allowed']));
  });

  it('do not keep those of another one from being put off', async () => {
    await insert(700, `${GONE}/hook`);
    await stage.database.query(`UPDATE ${stage.table} SET next_attempt_at = now() - interval '1 second'`);
    await insert(1, 'https://other.example/hook');
    await stage.database.query(
      `UPDATE ${stage.table} SET next_attempt_at = now() - interval '1 minute' WHERE target = 'https://other.example'`,
    );
    const one = stage.deliverer({ limits: { ...LATER, pollMilliseconds: 600_000 } });
    await until(async () => (await countOf(MARKED)) === 500);
    await one.stop();
    expect(await countOf(`${MARKED} AND target = 'https://other.example'`)).toBe(1);
  });

  it('are left to the replica that is posting them, and lose their claims when their time ends', async () => {
    await insert(3, `${GONE}/hook`);
    await stage.database.query(
      `UPDATE ${stage.table} SET
         leased_until = CASE WHEN subject LIKE '%1' THEN now() + interval '1 hour' END,
         expires_at = CASE WHEN subject LIKE '%3' THEN expires_at ELSE now() END`,
    );
    const one = stage.deliverer({ limits: LATER });
    await until(async () => (await countOf(MARKED)) === 1);
    await one.stop();
    expect(await stage.rows()).toMatchObject([
      { dead: false, attempts: 0, last_result: null },
      { dead: true, attempts: 1, payload: null, last_result: 'target_not_allowed' },
      { dead: false, attempts: 1, last_result: 'target_not_allowed' },
    ]);
    expect(stage.lines).toEqual(
      expect.arrayContaining([
        { message: 'callbacks wait: their origins are not allowed', fields: { count: 1 } },
        {
          message: 'callbacks given up, their origins are not allowed: they are dead letters now',
          fields: { count: 1 },
        },
      ]),
    );
  });

  it('that follow another one wait as long as it does, with no attempt of their own', async () => {
    for (let event = 0; event < 2; event += 1) await stage.enqueue('a', '"own"', 3600, `${GONE}/hook`);
    await stage.database.query(
      `UPDATE ${stage.table} SET attempts = 3 WHERE sequence = (SELECT min(sequence) FROM ${stage.table})`,
    );
    const one = stage.deliverer({ limits: { ...LATER, firstDelayMilliseconds: 10_000 } });
    await until(async () => (await countOf('attempts = 4')) === 1);
    await one.stop();
    expect(await countOf('attempts = 0')).toBe(1);
    expect(
      await countOf(`next_attempt_at BETWEEN now() + interval '70 seconds' AND now() + interval '80 seconds'`),
    ).toBe(2);
  });

  it('are put off for a short time at first, for the longest in the end', async () => {
    await insert(2, `${GONE}/hook`);
    await stage.database.query(`UPDATE ${stage.table} SET attempts = 100 WHERE subject LIKE '%2'`);
    const one = stage.deliverer({ limits: { ...LATER, firstDelayMilliseconds: 10_000 } });
    await until(async () => (await countOf(`last_result = 'target_not_allowed'`)) === 2);
    await one.stop();
    expect(await countOf(`attempts = 1 AND next_attempt_at <= now() + interval '10 seconds'`)).toBe(1);
    expect(await countOf(`attempts = 101 AND next_attempt_at > now() + interval '500 seconds'`)).toBe(1);
  });

  it('are put off later if that fails, which the log has once until it succeeds', async () => {
    await insert(1, `${GONE}/hook`);
    let left = 2;
    const queryAnew: Database['queryAnew'] = (...question) => {
      left -= 1;
      return left >= 0 ? Promise.reject(new Error('planted')) : stage.database.queryAnew(...question);
    };
    stage.lines.length = 0;
    const limits = { ...LATER, pollMilliseconds: 5 };
    const one = stage.deliverer({ database: { ...stage.database, queryAnew }, limits });
    await until(async () => (await countOf(MARKED)) === 1);
    await one.stop();
    const sentence = 'callbacks whose origins are not allowed cannot be put off, retrying';
    expect(stage.lines.filter(({ message }) => message === sentence)).toEqual([
      { message: sentence, fields: { error: new Error('planted') } },
    ]);
  });

  it('are posted once it is allowed again', async () => {
    const own = new URL(stage.target.url).origin;
    await stage.enqueue('a', '"own"', 3600, `${own}/own`);
    const one = stage.deliverer();
    await until(async () => (await countOf(`last_result = 'target_not_allowed'`)) === 1);
    await one.stop();
    expect(stage.posted).toEqual([]);
    stage.deliverer({ target: { ...stage.target, origins: [own] } });
    await until(stage.isEmpty);
    expect(stage.posted).toMatchObject([{ body: '"own"', path: '/own' }]);
  });
});
