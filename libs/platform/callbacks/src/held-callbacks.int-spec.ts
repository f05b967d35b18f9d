import { createMetrics } from '@vestibule/process';
import { releaseCallbacksSql } from '.';
import { showCallbacks } from './callback-metrics';
import { createCallbackOperations } from './callback-operations';
import { createCallbackOverview } from './callback-overview';
import { openStage, type Stage, status, until } from './outbox.stage';

jest.setTimeout(180_000);

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterEach(() => stage.reset());
afterAll(() => stage.close());

const eventOf = (offerId: string, state: 'OFFER_CREATED' | 'ISSUED') =>
  JSON.stringify({ eventId: offerId, status: state, offerId });
const hold = (offerId: string, seconds = 600) => stage.hold(offerId, eventOf(offerId, 'ISSUED'), seconds);
const posted = () => stage.posted.map(({ body }) => body);
async function release(...subjects: readonly string[]): Promise<number> {
  const released = releaseCallbacksSql({ schema: stage.schema, from: 'named' });
  const sql = `WITH named AS (SELECT unnest($1::text[]) AS subject) ${released}`;
  return (await stage.database.query(sql, [subjects])).length;
}
const common = () => ({
  database: stage.database,
  service: 'issuer' as const,
  schema: stage.schema,
  wake: () => undefined,
});
const overview = () => createCallbackOverview(common());
const operations = () =>
  createCallbackOperations({ ...common(), sealer: stage.context.sealer, lifetimeSeconds: 3_600 });
const list = async (state: 'waiting' | 'dead' = 'waiting') => (await overview().list({ state, limit: 100 })).items;
const idOf = async (subject: string, reported = 'ISSUED') =>
  (await list()).find((item) => item.subject === subject && item.status === reported)?.id ?? '';
/** What is due has been posted when this one, which became due last, has. */
async function deliverUpTo(marker: string): Promise<void> {
  await stage.enqueue(marker, `"${marker}"`);
  const one = stage.deliverer();
  await until(() => posted().includes(`"${marker}"`));
  await one.stop();
}
const secondsLeft = async () =>
  (
    await stage.database.query<{ seconds: number }>(
      `SELECT round(extract(epoch FROM expires_at - now()))::int AS seconds FROM ${stage.table}`,
    )
  ).map(({ seconds }) => seconds);

describe('an event that is held back', () => {
  it('is delivered when it is released, and only that one', async () => {
    await hold('one');
    await hold('two');
    await deliverUpTo('marker');
    expect(posted()).toEqual(['"marker"']);
    expect(await release('one', 'nobody')).toBe(1);
    await deliverUpTo('second marker');
    expect(posted()).toEqual(['"marker"', eventOf('one', 'ISSUED'), '"second marker"']);
  });

  it('is released once, by one of many who say so at the same time', async () => {
    await hold('one');
    const released = await Promise.all(Array.from({ length: 8 }, () => release('one')));
    expect(released.reduce((sum, count) => sum + count)).toBe(1);
  });

  it('is delivered at the end of its time, which no release brings back', async () => {
    await hold('one', 1);
    const one = stage.deliverer();
    await until(() => posted().length === 1);
    await one.stop();
    await hold('two', 1);
    await until(async () => (await list())[0]?.held_until === undefined);
    const [before] = await list();
    expect(await release('two')).toBe(0);
    expect(await list()).toEqual([{ ...before, age_seconds: expect.any(Number) }]);
  });

  it('is tried for as long as any other, from its release or from the end of its time on', async () => {
    await hold('one');
    const [held] = await secondsLeft();
    expect(held).toBeGreaterThan(3_600);
    await release('one');
    const [released] = await secondsLeft();
    expect(released).toBeLessThanOrEqual(3_600);
    expect(released).toBeGreaterThan(3_000);
  });

  it('still follows what comes before it', async () => {
    stage.reply = (post, response) => status(post.body.includes('OFFER_CREATED') ? 500 : 204)(post, response);
    await stage.enqueue('one', eventOf('one', 'OFFER_CREATED'));
    await hold('one');
    await release('one');
    await deliverUpTo('marker');
    expect(posted()).not.toContain(eventOf('one', 'ISSUED'));
    stage.reply = status(204);
    stage.deliverer();
    await until(stage.isEmpty);
    expect(posted().at(-1)).toBe(eventOf('one', 'ISSUED'));
  });

  it('waits for nobody who receives: it is in no figure of what waits', async () => {
    await hold('one');
    const metrics = createMetrics('issuer');
    showCallbacks(metrics, stage.database, stage.schema);
    const text = await metrics.render();
    expect(text).toMatch(/callbacks_waiting\{[^}]*\} 0\n/);
    expect(text).toMatch(/callbacks_oldest_waiting_seconds\{[^}]*\} 0\n/);
  });
});

describe('operators', () => {
  it('see until when it is held, and not any more once it was released', async () => {
    await hold('one');
    const [held] = await list();
    expect(held).toMatchObject({ state: 'waiting', attempts: 0, held_until: held?.next_attempt_at });
    await release('one');
    expect((await list())[0]).not.toHaveProperty('held_until');
  });

  it('leave it waiting when they hurry all events, or what comes before it, and hurry it by its name', async () => {
    await stage.enqueue('one', eventOf('one', 'OFFER_CREATED'));
    await hold('one');
    expect(await overview().retry({})).toEqual({ retried: 1 });
    expect(await overview().retry({ id: await idOf('one', 'OFFER_CREATED') })).toEqual({ retried: 1 });
    await deliverUpTo('marker');
    expect(posted()).not.toContain(eventOf('one', 'ISSUED'));
    expect(await overview().retry({ id: await idOf('one') })).toEqual({ retried: 1 });
    await deliverUpTo('second marker');
    expect(posted()).toContain(eventOf('one', 'ISSUED'));
  });

  it.each(['all', 'what comes before it'])(
    'hurry %s: what is held then goes out at the end of its time',
    async (what) => {
      await stage.enqueue('one', eventOf('one', 'OFFER_CREATED'));
      await stage.database.query(`UPDATE ${stage.table} SET next_attempt_at = now() + interval '1 hour'`);
      await hold('one');
      const id = what === 'all' ? undefined : await idOf('one', 'OFFER_CREATED');
      expect(await overview().retry({ id })).toEqual({ retried: 1 });
      const held = (await list()).find((item) => item.status === 'ISSUED');
      expect(held?.next_attempt_at).toBe(held?.held_until ?? 'none');
      expect(await overview().retry({ id })).toEqual({ retried: 1 });
    },
  );

  it('leave it waiting when they drop what comes before it', async () => {
    await stage.enqueue('one', eventOf('one', 'OFFER_CREATED'));
    await hold('one');
    await operations().drop({ id: await idOf('one', 'OFFER_CREATED') });
    await deliverUpTo('marker');
    expect(posted()).toEqual(['"marker"']);
    await release('one');
    await deliverUpTo('second marker');
    expect(posted()).toContain(eventOf('one', 'ISSUED'));
  });

  it('can drop it, which no release changes, and replay it: then it is due', async () => {
    await hold('one');
    const id = await idOf('one');
    await operations().drop({ id });
    expect(await release('one')).toBe(0);
    expect(await list('dead')).toMatchObject([{ last_result: 'dropped', replayable: true }]);
    expect((await list('dead'))[0]).not.toHaveProperty('held_until');
    expect(await operations().replay({ id })).toEqual({ replayed: 1, more: false });
    await deliverUpTo('marker');
    expect(posted()).toContain(eventOf('one', 'ISSUED'));
  });
});
