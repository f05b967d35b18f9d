import { randomBytes } from 'node:crypto';
import { createSealer } from '@vestibule/crypto';
import { parseWebhookKey, purgeDeadCallbacks, type WebhookKey } from '.';
import { countStatements, openStage, type Stage, status, until } from './outbox.stage';

jest.setTimeout(180_000);

const CANARY = 'canary-claim-value';
const HOUR = 3_600_000;
let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterEach(() => stage.reset());
afterAll(() => stage.close());

describe('delivery', () => {
  it('posts the event byte for byte, forgets it after a 2xx and leaves no claim in the log', async () => {
    const body = `{"claim":"${CANARY}",  "ü":1}`;
    await stage.enqueue('subject-1', body);
    stage.deliverer({ target: { ...stage.target, authorization: 'Basic c2VjcmV0' } });
    await until(stage.isEmpty);
    expect(stage.posted.map(({ body }) => body)).toEqual([body]);
    expect(stage.posted[0]?.headers).toMatchObject({
      'content-type': 'application/json',
      authorization: 'Basic c2VjcmV0',
    });
    expect(stage.posted[0]?.headers).not.toHaveProperty('webhook-id');
    expect(JSON.stringify(stage.lines)).not.toMatch(new RegExp(`${CANARY}|subject-1|an answer`));
  });

  it('tries again after an error under the same webhook-id, with a new timestamp and signature', async () => {
    const key = parseWebhookKey(`whsec_${randomBytes(32).toString('base64')}`) as WebhookKey;
    stage.reply = (post, response) => status(stage.posted.length < 3 ? 500 : 200)(post, response);
    await stage.enqueue('s', '{}');
    stage.deliverer({ target: { ...stage.target, keys: [key] } });
    await until(stage.isEmpty);
    expect(new Set(stage.posted.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    expect(stage.posted).toHaveLength(3);
    expect(stage.posted[0]?.headers['webhook-signature']).toMatch(/^v1,/);
  });

  it.each([301, 302, 307, 400, 404, 429, 503])(
    'keeps the event after status %i, and follows no redirect',
    async (code) => {
      stage.reply = status(code, { location: '/elsewhere' });
      await stage.enqueue('s', '{}');
      stage.deliverer({ limits: { firstDelayMilliseconds: 60_000, longestDelayMilliseconds: 60_000 } });
      await until(async () => (await stage.rows())[0]?.last_result === `http_${code}`);
      expect(stage.posted).toHaveLength(1);
      expect((await stage.rows())[0]).toMatchObject({ dead: false, attempts: 1 });
    },
  );

  it('gives up at once on 410: a dead letter without payload', async () => {
    stage.reply = status(410);
    await stage.enqueue('s', '{}');
    stage.deliverer();
    await until(async () => (await stage.rows())[0]?.dead === true);
    expect(await stage.rows()).toMatchObject([{ payload: null, dead: true, last_result: 'http_410', attempts: 1 }]);
    const purge = (olderThanSeconds: number, now = new Date()) =>
      purgeDeadCallbacks(stage.database, { schema: stage.schema, olderThanSeconds, now, limit: 10 });
    expect(await purge(60)).toBe(0);
    expect(await purge(0, new Date(Date.now() - HOUR))).toBe(0);
    expect(await purge(0)).toBe(1);
  });

  it('gives up when the time to live is over, after one more attempt', async () => {
    stage.reply = status(500);
    await stage.enqueue('s', '{}', 1);
    stage.deliverer({ limits: { firstDelayMilliseconds: 400, longestDelayMilliseconds: 60_000 } });
    await until(async () => (await stage.rows())[0]?.dead === true);
    expect(await stage.rows()).toMatchObject([{ payload: null, last_result: 'http_500' }]);
    expect(stage.posted.length).toBeGreaterThanOrEqual(2);
  });

  it.each([
    ['the configured receiver', undefined],
    ['an origin that is no longer allowed', 'https://gone.example/hook'],
  ])('gives nothing for %s up because the clock of Postgres is ahead', async (_whom, url) => {
    stage.reply = status(500);
    await stage.enqueue('s', '{}', -600, url);
    const right = { clock: () => new Date(Date.now() - HOUR) };
    const one = stage.deliverer({
      ...right,
      limits: { firstDelayMilliseconds: 60_000, longestDelayMilliseconds: 60_000 },
    });
    await until(async () => (await stage.rows())[0]?.last_result !== null);
    await one.stop();
    expect(await stage.rows()).toMatchObject([{ dead: false, payload: expect.any(Buffer), attempts: 1 }]);
    const [event] = await stage.database.query(`SELECT next_attempt_at > now() AS later FROM ${stage.table}`);
    expect(event).toEqual({ later: true });
  });

  it('waits as long as Retry-After says', async () => {
    stage.reply = status(503, { 'retry-after': '600' });
    await stage.enqueue('s', '{}');
    stage.deliverer();
    await until(async () => (await stage.rows())[0]?.last_result === 'http_503');
    const [wait] = await stage.database.query<{ seconds: string }>(
      `SELECT extract(epoch FROM next_attempt_at - now()) AS seconds FROM ${stage.table}`,
    );
    expect(Number(wait?.seconds)).toBeGreaterThan(500);
  });

  it('ends an attempt that takes too long', async () => {
    stage.reply = () => undefined;
    await stage.enqueue('s', '{}');
    stage.deliverer({
      limits: { timeoutMilliseconds: 100, firstDelayMilliseconds: 60_000, longestDelayMilliseconds: 60_000 },
    });
    await until(async () => (await stage.rows())[0]?.last_result === 'timeout');
  });

  it('believes a 2xx whose body never ends', async () => {
    stage.reply = (_, response) => void response.writeHead(200).write('x');
    await stage.enqueue('s', '{}');
    stage.deliverer({ limits: { timeoutMilliseconds: 200 } });
    await until(stage.isEmpty);
    expect(stage.posted).toHaveLength(1);
  });

  it('keeps an event while nobody listens or no key opens it', async () => {
    await stage.enqueue('a', '{}');
    const limits = { firstDelayMilliseconds: 60_000, longestDelayMilliseconds: 60_000 };
    stage.deliverer({ target: { url: 'http://127.0.0.1:9/' }, limits });
    await until(async () => (await stage.rows())[0]?.last_result === 'connection_refused');
    await stage.enqueue('b', '{}');
    stage.deliverer({ sealer: createSealer([randomBytes(32)], randomBytes), limits });
    await until(async () => (await stage.rows())[1]?.last_result !== null);
    expect((await stage.rows())[1]).toMatchObject({ dead: false, payload: expect.any(Buffer) as Buffer });
  });

  it('delivers on waking, without waiting for the next poll', async () => {
    const { database, statements } = countStatements(stage.database);
    const one = stage.deliverer({ database, limits: { pollMilliseconds: 60_000 } });
    // Its own lane and the one of forgotten origins have looked, and found nothing.
    await until(() => statements.answered >= 2);
    await stage.enqueue('s', '{}');
    one.wake();
    await until(stage.isEmpty);
  });
});
