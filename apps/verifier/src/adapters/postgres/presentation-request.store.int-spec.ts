import { createTimedId } from '@vestibule/crypto';
import { randomBytes } from 'node:crypto';
import {
  ANSWER,
  endingOf,
  expiryOf,
  openStoreStage,
  RETENTION_SECONDS,
  type StoreStage,
} from '../../testing/store.fixture-spec';
import { unservedEvent } from '../../domain/presented-credentials-event';
import { at, failsWith, NOW, payment, pendingRequest, pidQuery } from '../../testing/verifier.fixture-spec';

jest.setTimeout(180_000);

let stage: StoreStage;
beforeAll(async () => {
  stage = await openStoreStage();
});
beforeEach(() => stage.clear());
afterAll(() => stage.close());

describe('an open request', () => {
  it('VP:E20 VP:R3 is found as it was stored: query, keys, nonces, times', async () => {
    const request = await stage.insert({
      dcqlQuery: { credentials: [pidQuery({ claims: [{ path: ['a', null, 1] }], vendor_extension: [null, 2.5] })] },
      transactionData: payment(),
      redirectUri: 'https://rp.example/ü',
    });
    const found = await stage.store.findPending(request.state, NOW);
    expect(found).toEqual({ ...request, receiver: null });
  });

  it('VP:P10 is found until its time is over', async () => {
    const request = await stage.insert({ expiresAt: at(10) });
    expect(await stage.store.findPending(request.state, at(9.999))).toBeDefined();
    expect(await stage.store.findPending(request.state, at(10))).toBeUndefined();
  });

  it.each(['', 'unknown', 'a'.repeat(33), '../../etc', "'; DROP TABLE x; --", '\u0000'])(
    'VP:B12 is not found by %j',
    async (state) => {
      await stage.insert();
      expect(await stage.store.findPending(state, NOW)).toBeUndefined();
      expect(await stage.store.findView(state)).toBeUndefined();
      expect(await stage.store.findAccepted(state)).toBeUndefined();
      expect(await stage.store.isExpected(state, NOW)).toBe(false);
    },
  );

  it('has a view without anything of the session', async () => {
    const { state, createdAt, expiresAt } = await stage.insert();
    const times = { created_at: createdAt.toISOString(), expires_at: expiresAt.toISOString() };
    expect(await stage.store.findView(state)).toEqual({ state, status: 'PENDING', ...times });
  });

  it('VP:CM8 cannot be read from the row of another request', async () => {
    const [one, other] = [await stage.insert(), await stage.insert()];
    await stage.database.query(
      `UPDATE verifier.presentation_request SET session = (
         SELECT session FROM verifier.presentation_request WHERE state = $1) WHERE state = $2`,
      [Buffer.from(one.state, 'base64url'), Buffer.from(other.state, 'base64url')],
    );
    await expect(stage.store.findPending(other.state, NOW)).rejects.toBeInstanceOf(Error);
  });
});

describe('the end of a request', () => {
  const accepted = { responseDigest: randomBytes(32), answer: { redirectUri: 'https://rp.example/?response_code=c' } };

  it('VP:P11 VP:CM8 takes keys and nonces away, and leaves status, time and checks', async () => {
    const request = await stage.insert();
    const ending = endingOf(request);
    expect(await stage.store.finish(ending)).toBe(true);
    expect(await stage.row(request)).toMatchObject({ status: 'VERIFICATION_FAILED', session: null, answer: null });
    expect(await stage.store.findPending(request.state, NOW)).toBeUndefined();
    expect(await stage.store.findView(request.state)).toMatchObject({
      status: 'VERIFICATION_FAILED',
      finished_at: NOW.toISOString(),
      checks: ending.checks,
    });
  });

  it('keeps its checks in a compact form, and shows those that an earlier version kept as JSON', async () => {
    const request = await stage.insert();
    const checks = [{ check: 'nul \u0000', section: '', outcome: 'passed' as const, milliseconds: 1 }];
    await stage.store.finish(endingOf(request, { checks }));
    expect((await stage.store.findView(request.state))?.checks).toEqual(checks);
    const asBefore = `UPDATE verifier.presentation_request SET decision_record = NULL, checks = '[{"check": "dcql"}]'`;
    await stage.database.query(`${asBefore} WHERE checks IS NULL AND decision_record IS NOT NULL`);
    expect((await stage.store.findView(request.state))?.checks).toEqual([{ check: 'dcql' }]);
  });

  it('writes its event with it', async () => {
    const request = await stage.insert();
    const ending = endingOf(request);
    await stage.store.finish(ending);
    expect(await stage.eventsOf(request)).toEqual([ending.event]);
  });

  it('VP:D12 keeps the answer, with the digest of what it answered', async () => {
    const request = await stage.insert();
    await stage.store.finish(endingOf(request, { accepted }));
    expect(await stage.store.findAccepted(request.state)).toEqual(accepted);
    const other = await stage.insert();
    expect(await stage.store.findAccepted(other.state)).toBeUndefined();
  });

  it('VP:D12 VP:P10 a response is expected while the request is open, and again after one that was accepted', async () => {
    const { store } = stage;
    const [open, good, bad] = [await stage.insert({ expiresAt: at(10) }), await stage.insert(), await stage.insert()];
    await store.finish(endingOf(good, { accepted }));
    await store.finish(endingOf(bad));
    expect(await store.isExpected(open.state, at(9.999))).toBe(true);
    expect(await store.isExpected(open.state, at(10))).toBe(false);
    expect(await store.isExpected(good.state, at(100_000))).toBe(true);
    expect(await store.isExpected(bad.state, NOW)).toBe(false);
  });

  it('VP:D12 keeps no answer of a response that was refused', async () => {
    const request = await stage.insert();
    await stage.store.finish(endingOf(request));
    expect(await stage.store.findAccepted(request.state)).toBeUndefined();
  });

  it('comes once: a second one changes nothing', async () => {
    const request = await stage.insert();
    await stage.store.finish(endingOf(request));
    const before = await stage.row(request);
    const second = endingOf(request, { status: 'REJECTED', finishedAt: at(5), accepted });
    expect(await stage.store.finish(second)).toBe(false);
    expect(await stage.row(request)).toEqual(before);
    expect(await stage.eventsOf(request)).toHaveLength(1);
  });

  it('VP:P10 may come late where no sweep came before', async () => {
    const request = await stage.insert({ expiresAt: at(-1) });
    expect(await stage.store.finish(endingOf(request))).toBe(true);
    expect(await stage.store.expire([expiryOf(request)], NOW)).toBe(0);
  });

  it('of a request that was never stored writes no event', async () => {
    expect(await stage.store.finish(endingOf(pendingRequest()))).toBe(false);
    expect(await stage.count('callback')).toBe(0);
  });
});

describe('a sweep', () => {
  it('VP:P10 finds what is overdue, the oldest first, and nothing else', async () => {
    const [second, first] = [await stage.insert({ expiresAt: at(-1) }), await stage.insert({ expiresAt: at(-2) })];
    const exactly = await stage.insert({ expiresAt: NOW });
    await stage.insert({ expiresAt: at(1) });
    await stage.store.finish(endingOf(await stage.insert({ expiresAt: at(-3) })));
    const found = [first, second, exactly].map(({ state }) => ({ state, wasUnserved: false }));
    expect(await stage.store.findOverdue(NOW, 10)).toEqual(found);
    expect(await stage.store.findOverdue(NOW, 1)).toEqual(found.slice(0, 1));
  });

  it('marks open requests whose wallet came in time, once, and nothing else', async () => {
    const [open, late, inTime] = [
      await stage.insert(),
      await stage.insert(),
      await stage.insert({ expiresAt: at(-5) }),
    ];
    const tooLate = await stage.insert({ expiresAt: at(-5) });
    const ended = await stage.insert();
    await stage.store.finish(endingOf(ended));
    const wallet = ({ state }: { state: string }, millisecondsAgo = 0) => ({ state, millisecondsAgo });
    const unknown = [wallet({ state: createTimedId(NOW, randomBytes) }), wallet({ state: 'no id' })];
    const report = [
      wallet(open),
      wallet(open),
      wallet(inTime, 6_000),
      wallet(tooLate, 4_000),
      wallet(ended),
      ...unknown,
    ];
    expect(await stage.store.markUnserved(report, NOW)).toBe(2);
    expect(await stage.store.markUnserved(report, at(1))).toBe(0);
    expect(await stage.row(open)).toMatchObject({ unserved_at: NOW, status: 'PENDING' });
    expect((await stage.row(late))['unserved_at']).toBeNull();
    const overdue = await stage.store.findOverdue(NOW, 10);
    expect(overdue).toHaveLength(2);
    expect(overdue).toContainEqual({ state: inTime.state, wasUnserved: true });
    expect(overdue).toContainEqual({ state: tooLate.state, wasUnserved: false });
    expect(await stage.store.findPending(open.state, NOW)).toBeDefined();
    expect(await stage.store.finish(endingOf(open))).toBe(true);
    expect(await stage.row(open)).toMatchObject({ status: 'VERIFICATION_FAILED' });
  });

  it('never waits in a circle when gateways report the same requests in different orders', async () => {
    const requests = await Promise.all(Array.from({ length: 50 }, () => stage.insert()));
    const report = requests.map(({ state }) => ({ state, millisecondsAgo: 0 }));
    const orders = Array.from({ length: 8 }, (_, turn) => (turn % 2 === 0 ? report : [...report].reverse()));
    const marked = await Promise.all(orders.map((order) => stage.store.markUnserved(order, NOW)));
    expect(marked.reduce((sum, count) => sum + count, 0)).toBe(50);
  });

  it('ends a marked request as PROCESSING_ERROR, with details that a dead letter is rebuilt from', async () => {
    const request = await stage.insert({ expiresAt: NOW });
    await stage.store.markUnserved([{ state: request.state, millisecondsAgo: 1 }], NOW);
    const event = unservedEvent(request.state);
    expect(await stage.store.expire([{ state: request.state, event }], NOW)).toBe(1);
    expect(await stage.row(request)).toMatchObject({ status: 'PROCESSING_ERROR', session: null, finished_at: NOW });
    expect(await stage.eventsOf(request)).toEqual([event]);
    const details = await stage.database.query('SELECT 1 AS one FROM verifier.callback WHERE details IS NOT NULL');
    expect(details).toHaveLength(1);
  });

  it('leaves a request that was marked while its end was prepared to the next sweep', async () => {
    const request = await stage.insert({ expiresAt: NOW });
    const [found] = await stage.store.findOverdue(NOW, 10);
    await stage.store.markUnserved([{ state: request.state, millisecondsAgo: 1 }], NOW);
    expect([found?.wasUnserved, await stage.store.expire([expiryOf(request)], NOW)]).toEqual([false, 0]);
    expect(await stage.store.findOverdue(NOW, 10)).toEqual([{ state: request.state, wasUnserved: true }]);
  });

  it('VP:P10 VP:P11 ends what is overdue and still open, with one event each', async () => {
    const overdue = [await stage.insert({ expiresAt: at(-1) }), await stage.insert({ expiresAt: NOW })];
    const open = await stage.insert({ expiresAt: at(1) });
    const answered = await stage.insert({ expiresAt: at(-1) });
    await stage.store.finish(endingOf(answered));
    expect(await stage.store.expire([...overdue, open, answered].map(expiryOf), NOW)).toBe(2);
    for (const request of overdue) {
      expect(await stage.row(request)).toMatchObject({ status: 'EXPIRED', session: null, finished_at: NOW });
      expect(await stage.eventsOf(request)).toEqual([{ status: 'EXPIRED', state: request.state }]);
    }
    expect(await stage.eventsOf(open)).toEqual([]);
    expect((await stage.eventsOf(answered)).map(({ status }) => status)).toEqual(['VERIFICATION_FAILED']);
    expect(await stage.store.findPending(open.state, NOW)).toBeDefined();
  });

  it('of nothing ends nothing', async () => {
    expect(await stage.store.expire([], NOW)).toBe(0);
  });

  it('deletes what ended before the retention, in limited numbers, and never what is open', async () => {
    const old = at(-RETENTION_SECONDS);
    for (const finishedAt of [old, old, at(-RETENTION_SECONDS + 1)]) {
      await stage.store.finish(endingOf(await stage.insert(), { finishedAt }));
    }
    const open = await stage.insert({ createdAt: at(-99_999), expiresAt: at(-9_999) });
    expect(await stage.store.purge(NOW, 1)).toBe(1);
    expect(await stage.store.purge(NOW, 10)).toBe(1);
    expect(await stage.store.purge(NOW, 10)).toBe(0);
    expect(await stage.count('presentation_request')).toBe(2);
    expect(await stage.row(open)).toMatchObject({ status: 'PENDING' });
    expect(await stage.count('callback')).toBe(3);
  });
});

describe('an idempotent call', () => {
  const call = (body: object = { dcql_query: {} }) => ({ key: 'k'.repeat(32), body: { ...body } });
  const answerOf = (state: string) => ({ ...ANSWER, state });
  const insert = (body?: object) => {
    const request = pendingRequest();
    return stage.store.insert(request, answerOf(request.state), call(body));
  };

  it('gets the first answer again, and makes no second request', async () => {
    const first = await insert({ a: 1, b: [1, 2] });
    expect(await insert({ b: [1, 2], a: 1 })).toEqual(first);
    expect(await stage.count('presentation_request')).toBe(1);
  });

  it('with another body is idempotency_conflict, and makes no request', async () => {
    await insert({ a: 1 });
    await expect(insert({ a: 2 })).rejects.toEqual(failsWith('idempotency_conflict'));
    expect(await stage.count('presentation_request')).toBe(1);
  });

  it('can be answered as before without a new request, unless its body or key is another one', async () => {
    const first = await insert({ a: 1 });
    expect(await stage.store.recall(call({ a: 1 }))).toEqual(first);
    expect(await stage.store.recall(call({ a: 2 }))).toBeUndefined();
    expect(await stage.store.recall({ ...call({ a: 1 }), key: 'l'.repeat(32) })).toBeUndefined();
    expect(await stage.count('presentation_request')).toBe(1);
  });

  it('of ten at the same time makes one request, and all get its answer', async () => {
    const answers = await Promise.all(Array.from({ length: 10 }, () => insert({ a: 1 })));
    expect(new Set(answers.map(({ state }) => state)).size).toBe(1);
    expect(await stage.count('presentation_request')).toBe(1);
    expect(await stage.store.findPending(answers[0]?.state ?? '', NOW)).toBeDefined();
  });

  it('that could not store its request is forgotten with it', async () => {
    const taken = await stage.insert();
    await expect(stage.store.insert(taken, ANSWER, call())).rejects.toEqual(failsWith('database_error'));
    expect(await stage.count('idempotency_key')).toBe(0);
    await insert();
    expect(await stage.count('presentation_request')).toBe(2);
  });
});

it('VP:B4 a state is 24 bytes, or Postgres refuses it', async () => {
  const request = pendingRequest({ state: createTimedId(NOW, randomBytes).slice(4) });
  await expect(stage.store.insert(request, ANSWER, undefined)).rejects.toEqual(failsWith('database_error'));
});
