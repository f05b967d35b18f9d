import { undeliveredCallback } from '@vestibule/contracts';
import { createMetrics } from '@vestibule/process';
import { createCallbackOverview, showCallbacks } from '.';
import { openStage, type Stage, status, until } from './outbox.stage';

jest.setTimeout(180_000);

const CANARY = 'canary-claim-value';
const LATER = { firstDelayMilliseconds: 60_000, longestDelayMilliseconds: 60_000 };
let stage: Stage;
let woken: number;
beforeAll(async () => {
  stage = await openStage();
});
beforeEach(() => {
  woken = 0;
});
afterEach(() => stage.reset());
afterAll(() => stage.close());

/** The overview of the stage's own schema, as if it were a service's. */
const overview = () =>
  createCallbackOverview({
    database: stage.database,
    service: 'verifier',
    schema: stage.schema,
    wake: () => void (woken += 1),
  });
const list = async (state: 'waiting' | 'dead' = 'waiting') => (await overview().list({ state, limit: 100 })).items;
const shape = undeliveredCallback.omit({ service: true }).loose();

async function fail(code: number, count = 1): Promise<void> {
  stage.reply = status(code);
  const one = stage.deliverer({ limits: LATER });
  await until(() => stage.posted.length >= count);
  await one.stop();
}

describe('the list', () => {
  it('shows what waits and why, and nothing of what it says', async () => {
    await stage.enqueue('state-1', `{"claim":"${CANARY}"}`, 3600, 'http://127.0.0.1:9/hooks/secret-path');
    await stage.enqueue('state-2', `{"claim":"${CANARY}"}`);
    await fail(503);
    const items = await list();
    const [own, configured] = ['state-1', 'state-2'].map((id) => items.find(({ subject }) => subject === id));
    expect(own).toMatchObject({
      subject: 'state-1',
      target: 'http://127.0.0.1:9',
      last_result: 'target_not_allowed',
      status: 'ENDED',
    });
    expect(configured).toMatchObject({ subject: 'state-2', state: 'waiting', attempts: 1, last_result: 'http_503' });
    expect(configured).not.toHaveProperty('target');
    for (const item of [own, configured]) shape.parse(item);
    expect(JSON.stringify([own, configured])).not.toMatch(new RegExp(`${CANARY}|secret-path`));
    expect(await list('dead')).toEqual([]);
  });

  it('shows dead letters apart, by the id that their attempts had', async () => {
    await stage.enqueue('state-1', '{}');
    await fail(410);
    const [dead] = await list('dead');
    shape.parse(dead);
    expect(dead).toMatchObject({ state: 'dead', subject: 'state-1', attempts: 1, last_result: 'http_410' });
    expect(dead).not.toHaveProperty('next_attempt_at');
    expect(await list()).toEqual([]);
  });

  it('comes in pages, oldest first, each event once', async () => {
    for (let index = 0; index < 5; index += 1) await stage.enqueue(`s${index}`, '{}');
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await overview().list({ state: 'waiting', limit: 2, cursor });
      seen.push(...page.items.map(({ subject }) => subject));
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    expect(seen.sort()).toEqual(['s0', 's1', 's2', 's3', 's4']);
  });

  it('refuses a cursor of its own making', async () => {
    const refusal = overview().list({ state: 'waiting', limit: 2, cursor: 'x' });
    await expect(refusal).rejects.toMatchObject({ code: 'invalid_request', faults: [{ path: 'cursor' }] });
  });
});

describe('a retry', () => {
  const due = async (): Promise<string[]> => {
    const rows = await stage.database.query<{ subject: string }>(
      `SELECT subject FROM ${stage.table} WHERE next_attempt_at <= now() ORDER BY subject`,
    );
    return rows.map(({ subject }) => subject);
  };

  it('of one event makes it and what follows it due at once, and nothing else', async () => {
    for (const subject of ['a', 'a', 'b']) await stage.enqueue(subject, '{}');
    await fail(500, 2);
    expect(await due()).toEqual([]);
    const follower = (await list()).filter(({ subject }) => subject === 'a')[1];
    await expect(overview().retry({ id: follower?.id })).resolves.toEqual({ retried: 2 });
    expect([await due(), woken]).toEqual([['a', 'a'], 1]);
  });

  it('of all makes all due, but leaves those alone that are being posted', async () => {
    for (const subject of ['a', 'b', 'c']) await stage.enqueue(subject, '{}');
    await fail(500, 3);
    await stage.database.query(
      `UPDATE ${stage.table} SET leased_until = now() + interval '1 minute' WHERE subject = 'b'`,
    );
    await expect(overview().retry({})).resolves.toEqual({ retried: 2 });
    expect(await due()).toEqual(['a', 'c']);
  });

  it('waits for nobody: what a deliverer holds at this moment is left to it', async () => {
    for (const subject of ['a', 'b']) await stage.enqueue(subject, '{}');
    await fail(500, 2);
    const retried = await stage.database.transaction(async ({ query }) => {
      await query(`SELECT 1 FROM ${stage.table} WHERE subject = 'a' FOR UPDATE`);
      return overview().retry({});
    });
    expect([retried, await due()]).toEqual([{ retried: 1 }, ['b']]);
  });

  it('of a dead letter, an unknown event or no id is callback_not_found', async () => {
    await stage.enqueue('a', '{}');
    await fail(410);
    const [dead] = await list('dead');
    for (const id of [dead?.id ?? '', `${dead?.id.slice(0, -4)}AAAA`, 'x']) {
      await expect(overview().retry({ id })).rejects.toMatchObject({ kind: 'not_found', code: 'callback_not_found' });
    }
    await expect(overview().retry({})).resolves.toEqual({ retried: 0 });
  });
});

describe('the metrics', () => {
  it('count a dead letter from before the clock of Postgres was set back', async () => {
    await stage.enqueue('a', '{}');
    await stage.database.query(`UPDATE ${stage.table} SET dead_at = now() + interval '1 hour', payload = NULL`);
    const metrics = createMetrics('verifier');
    showCallbacks(metrics, stage.database, stage.schema);
    expect(await metrics.render()).toMatch(/callbacks_dead\{[^}]*\} 1\n/);
  });

  it('count attempts by result, and show what waits, what is dead and how old the oldest is', async () => {
    const metrics = createMetrics('verifier');
    const onAttempt = showCallbacks(metrics, stage.database, stage.schema);
    for (const subject of ['a', 'b', 'c']) await stage.enqueue(subject, `"${subject}"`);
    await stage.database.query(`UPDATE ${stage.table} SET created_at = now() - interval '90 seconds'`);
    stage.reply = (post, response) =>
      status(post.body === '"a"' ? 410 : post.body === '"b"' ? 500 : 204)(post, response);
    const one = stage.deliverer({ limits: LATER, onAttempt });
    await until(() => stage.posted.length === 3);
    await one.stop();
    const text = await metrics.render();
    const figure = (name: string) =>
      new RegExp(`^vestibule_${name}\\{.*service="verifier"\\} (.*)$`, 'm').exec(text)?.[1];
    expect([figure('callbacks_waiting'), figure('callbacks_dead')]).toEqual(['1', '1']);
    expect(Number(figure('callbacks_oldest_waiting_seconds'))).toBeGreaterThan(80);
    for (const result of ['http_410', 'http_500', 'http_204']) {
      expect(text).toContain(`vestibule_callback_attempts_total{result="${result}",service="verifier"} 1`);
    }
  });
});
