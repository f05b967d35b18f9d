import { type ServerResponse } from 'node:http';
import { countStatements, openReceiver, openStage, type Posted, type Stage, status, until } from './outbox.stage';

jest.setTimeout(180_000);

let stage: Stage;
/** A second receiver, with what it got. */
let other: { url: string; origin: string; posted: Posted[]; close: () => Promise<void> };
beforeAll(async () => {
  stage = await openStage();
  const posted: Posted[] = [];
  const receiver = await openReceiver((post, response) => {
    posted.push(post);
    status(204)(post, response);
  });
  other = { ...receiver, origin: new URL(receiver.url).origin, posted };
});
afterEach(async () => {
  await stage.reset();
  other.posted.length = 0;
});
afterAll(async () => {
  await stage.close();
  await other.close();
});

const fill = (count: number, url?: string): Promise<void[]> =>
  Promise.all(Array.from({ length: count }, (_, index) => stage.enqueue(`s${index}${url ?? ''}`, '{}', 3600, url)));

describe('an event with a URL of its own', () => {
  it('goes there, and the others to the configured receiver', async () => {
    await stage.enqueue('a', '"own"', 3600, `${other.origin}/hooks/7?x=1`);
    await stage.enqueue('b', '"configured"');
    stage.deliverer({ target: { ...stage.target, origins: [other.origin] } });
    await until(stage.isEmpty);
    expect(other.posted).toMatchObject([{ body: '"own"', path: '/hooks/7?x=1' }]);
    expect(stage.posted).toMatchObject([{ body: '"configured"', path: '/hook?tenant=1' }]);
  });

  it('does not carry the Authorization header of the configured receiver to another origin', async () => {
    await stage.enqueue('a', '{}', 3600, `${other.origin}/`);
    await stage.enqueue('b', '{}', 3600, stage.target.url);
    const origins = [other.origin, new URL(stage.target.url).origin];
    stage.deliverer({ target: { ...stage.target, authorization: 'Basic c2VjcmV0', origins } });
    await until(stage.isEmpty);
    expect(other.posted[0]?.headers).not.toHaveProperty('authorization');
    expect(stage.posted[0]?.headers).toMatchObject({ authorization: 'Basic c2VjcmV0' });
  });

  it('is sent nowhere while its origin is not allowed (any more)', async () => {
    await stage.enqueue('a', '{}', 3600, `${other.origin}/`);
    stage.deliverer({ limits: { firstDelayMilliseconds: 60_000, longestDelayMilliseconds: 60_000 } });
    await until(async () => (await stage.rows())[0]?.last_result === 'target_not_allowed');
    expect([stage.posted, other.posted]).toEqual([[], []]);
    expect(await stage.rows()).toMatchObject([{ dead: false, attempts: 1 }]);
  });
});

describe('a receiver that hangs', () => {
  it('holds up its own events and no others', async () => {
    const hanging: ServerResponse[] = [];
    stage.reply = (_, response) => void hanging.push(response);
    await fill(100);
    const one = stage.deliverer({
      target: { ...stage.target, origins: [other.origin] },
      limits: { concurrency: 4 },
    });
    await until(() => stage.posted.length === 4);
    await fill(50, `${other.origin}/`);
    one.wake();
    await until(() => other.posted.length === 50);
    // No attempt at the first receiver has ended meanwhile: the next event would have followed it.
    expect(stage.posted).toHaveLength(4);
    stage.reply = status(204);
    for (const response of hanging) response.writeHead(204).end();
    await until(stage.isEmpty);
    expect(stage.posted).toHaveLength(100);
  });
});

describe('many receivers', () => {
  it('cost one look at the outbox for an event, not one each', async () => {
    const { database, statements } = countStatements(stage.database);
    const origins = [...Array.from({ length: 40 }, (_, index) => `http://127.0.0.1:${index + 1}`), other.origin];
    const limits = { pollMilliseconds: 60_000 };
    const one = stage.deliverer({
      database,
      target: { ...stage.target, origins },
      limits,
    });
    await until(() => statements.answered >= origins.length + 2);
    const before = statements.asked;
    for (let event = 1; event <= 10; event += 1) {
      await stage.enqueue(`s${event}`, '{}', 3600, event % 2 === 0 ? `${other.origin}/` : undefined);
      one.wake();
      await until(stage.isEmpty);
    }
    expect([stage.posted.length, other.posted.length]).toEqual([5, 5]);
    // A look, a claim or two, and a removal for each.
    expect(statements.asked - before).toBeLessThan(100);
  });

  it('are looked at by themselves, too: nobody has to wake them', async () => {
    const { database, statements } = countStatements(stage.database);
    stage.deliverer({ database, target: { ...stage.target, origins: [other.origin] } });
    await until(() => statements.answered >= 3);
    await stage.enqueue('s', '{}', 3600, `${other.origin}/`);
    await until(() => other.posted.length === 1);
  });
});

describe('the rate', () => {
  it('of one receiver is bounded, whatever waits', async () => {
    await fill(60);
    const began = performance.now();
    stage.deliverer({ limits: { ratePerSecond: 40, pollMilliseconds: 3_600_000 } });
    await until(stage.isEmpty);
    // All but the burst of a tenth of a second take their turn: 56 at 40 in a second. A slow machine only takes longer.
    expect(performance.now() - began).toBeGreaterThanOrEqual(1_400);
    expect(stage.posted).toHaveLength(60);
  });
});

describe('connections', () => {
  it('are kept: a hundred events need no more than the concurrency', async () => {
    const ports = new Set<number | undefined>();
    stage.reply = (post, response) => {
      ports.add(response.req.socket.remotePort);
      status(204)(post, response);
    };
    await fill(100);
    stage.deliverer({ limits: { concurrency: 4 } });
    await until(stage.isEmpty);
    expect(ports.size).toBeLessThanOrEqual(4);
  });
});
