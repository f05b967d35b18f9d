import { randomBytes } from 'node:crypto';
import { createSealer } from '@vestibule/crypto';
import { withRequestContext } from '@vestibule/process';
import { createCallbackOverview } from '.';
import { createCallbackOperations } from './callback-operations';
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

const operations = (service: 'verifier' | 'issuer' = 'issuer', sealer = stage.context.sealer) =>
  createCallbackOperations({
    database: stage.database,
    service,
    schema: stage.schema,
    sealer,
    lifetimeSeconds: 3600,
    wake: () => void (woken += 1),
  });
const overview = () =>
  createCallbackOverview({
    database: stage.database,
    service: 'verifier',
    schema: stage.schema,
    wake: () => undefined,
  });
const list = async (state: 'waiting' | 'dead') => (await overview().list({ state, limit: 1000 })).items;
const idOf = async (state: 'waiting' | 'dead', subject: string) =>
  (await list(state)).find((item) => item.subject === subject)?.id ?? '';

/** The records of the audit trail since the last call: actor, action, target and details. */
let audited = 0;
async function newRecords(): Promise<readonly unknown[]> {
  const rows = await stage.database.query<{ record: string }>(
    `SELECT record FROM "${stage.schema}".audit_record ORDER BY seq OFFSET $1`,
    [audited],
  );
  audited += rows.length;
  return rows.map(({ record }) => {
    const { actor, action, target, details } = JSON.parse(record) as Record<string, unknown>;
    return [actor, action, target, details];
  });
}
const asSupport = <Result>(act: () => Promise<Result>): Promise<Result> =>
  withRequestContext({ requestId: 'request-1', actor: 'key:support' }, act);

describe('the audit trail', () => {
  it('says who dropped, replayed or retried which event, and nothing of calls that changed nothing', async () => {
    await newRecords();
    await stage.enqueue('offer', offerEvent('offer', 'FAILED', 'canary_details'));
    const id = await idOf('waiting', 'offer');
    await asSupport(() => overview().retry({ id }));
    await asSupport(() => overview().retry({}));
    await asSupport(() => operations().drop({ id }));
    await expect(asSupport(() => operations().drop({ id }))).rejects.toMatchObject({ code: 'callback_not_found' });
    await expect(asSupport(() => overview().retry({ id }))).rejects.toMatchObject({ code: 'callback_not_found' });
    await asSupport(() => overview().retry({}));
    await asSupport(() => operations().replay({ id }));
    await asSupport(() => operations().replay({}));
    const records = await newRecords();
    expect(records).toEqual([
      ['key:support', 'callback.retry', id, { retried: 1 }],
      ['key:support', 'callback.retry', undefined, { retried: 1 }],
      ['key:support', 'callback.drop', id, undefined],
      ['key:support', 'callback.replay', id, { replayed: 1 }],
    ]);
    expect(JSON.stringify(records)).not.toContain('canary_details');
  });

  it.each(['all', 'one that is being posted'])('says who brought a held event back by a retry of %s', async (what) => {
    await newRecords();
    await stage.enqueue('offer', offerEvent('offer', 'OFFER_CREATED'));
    await stage.hold('offer', offerEvent('offer', 'ISSUED'), 600);
    await stage.database.query(
      `UPDATE ${stage.table} SET next_attempt_at = now() + interval '1 hour',
         leased_until = CASE WHEN held_until IS NULL THEN now() + interval '1 minute' END`,
    );
    const id = what === 'all' ? undefined : (await list('waiting')).find((item) => !item.held_until)?.id;
    expect(await asSupport(() => overview().retry({ id }))).toEqual({ retried: 0 });
    expect(await asSupport(() => overview().retry({ id }))).toEqual({ retried: 0 });
    expect(await newRecords()).toEqual([['key:support', 'callback.retry', id, { retried: 0, held: 1 }]]);
  });
});

const offerEvent = (id: string, state: string, errorDetails?: string) =>
  JSON.stringify({ eventId: id, status: state, offerId: id, ...(errorDetails ? { errorDetails } : {}) });

async function deliver(code: number, count: number, limits = {}): Promise<void> {
  stage.reply = status(code);
  stage.posted = [];
  const one = stage.deliverer({ limits });
  await until(() => stage.posted.length >= count);
  await one.stop();
}

/** Dead letters of these events, by an outage that lasted until each was given up. */
async function bury(...events: readonly (readonly [subject: string, body: string])[]): Promise<void> {
  for (const [subject, body] of events) await stage.enqueue(subject, body);
  await deliver(410, events.length);
  expect(await list('waiting')).toEqual([]);
}

describe('dropping an event', () => {
  it('makes it a dead letter without payload and lets what followed it go', async () => {
    await stage.enqueue('offer', offerEvent('offer', 'OFFER_CREATED'));
    await stage.enqueue('offer', offerEvent('offer', 'ISSUED'));
    await deliver(503, 1, LATER);
    const first = (await list('waiting')).find((item) => item.status === 'OFFER_CREATED');
    expect(await operations().drop({ id: first?.id ?? '' })).toEqual({});
    expect(woken).toBe(1);
    const [dead] = await stage.rows();
    expect(dead).toMatchObject({ payload: null, dead: true, last_result: 'dropped' });
    await deliver(204, 1);
    expect(stage.posted.map(({ body }) => body)).toEqual([offerEvent('offer', 'ISSUED')]);
  });

  it('lets what followed it go also after attempts of its own, but not while it is posted', async () => {
    for (const offer of ['offer', 'posted']) {
      for (const state of ['OFFER_CREATED', 'ISSUED']) await stage.enqueue(offer, offerEvent(offer, state));
    }
    await stage.database.query(
      `UPDATE ${stage.table} SET attempts = 1, next_attempt_at = now() + interval '5 minutes',
         leased_until = CASE WHEN subject = 'posted' AND status = 'ISSUED' THEN now() + interval '1 minute' END`,
    );
    const isFirst = ({ status: reported }: { readonly status?: string | undefined }) => reported === 'OFFER_CREATED';
    for (const { id } of (await list('waiting')).filter(isFirst)) await operations().drop({ id });
    const due = `SELECT subject FROM ${stage.table} WHERE dead_at IS NULL AND next_attempt_at <= now()`;
    expect(await stage.database.query(due)).toEqual([{ subject: 'offer' }]);
  });

  it('holds while an attempt at it is under way: its result changes nothing', async () => {
    await stage.enqueue('offer', offerEvent('offer', 'ISSUED'));
    let answer: () => void = () => undefined;
    stage.reply = (post, response) => void (answer = () => status(500)(post, response));
    const one = stage.deliverer();
    await until(() => stage.posted.length === 1);
    await operations().drop({ id: await idOf('waiting', 'offer') });
    answer();
    await one.stop();
    expect(await stage.rows()).toMatchObject([{ payload: null, dead: true, last_result: 'dropped' }]);
  });

  it('and replaying it while an attempt is under way starts no second one beside it', async () => {
    await stage.enqueue('offer', offerEvent('offer', 'ISSUED'));
    let answer: () => void = () => undefined;
    stage.reply = (post, response) => void (answer = () => status(410)(post, response));
    const [one, other] = [stage.deliverer(), stage.deliverer()];
    await until(() => stage.posted.length === 1);
    const id = await idOf('waiting', 'offer');
    await operations().drop({ id });
    await operations().replay({ id });
    other.wake();
    await until(async () => (await stage.rows())[0]?.dead === false);
    answer();
    await Promise.all([one.stop(), other.stop()]);
    expect(stage.posted).toHaveLength(1);
    expect(await stage.rows()).toMatchObject([{ dead: true, last_result: 'http_410', attempts: 1 }]);
  });

  it('is for events that wait', async () => {
    await bury(['offer', offerEvent('offer', 'ISSUED')]);
    const refused = { code: 'callback_not_found' };
    await expect(operations().drop({ id: await idOf('dead', 'offer') })).rejects.toMatchObject(refused);
    for (const id of ['', 'no id', 'A'.repeat(32)]) {
      await expect(operations().drop({ id })).rejects.toMatchObject(refused);
    }
  });
});

describe('replaying dead letters', () => {
  const FAILED = offerEvent('offer-b', 'FAILED', 'offer_cancelled');

  it('sends them as they were, byte for byte, under the same id', async () => {
    await bury(['offer-a', offerEvent('offer-a', 'ISSUED')], ['offer-b', FAILED]);
    const ids = stage.posted.map(({ headers }) => headers['webhook-id']).sort();
    expect(await operations().replay({})).toEqual({ replayed: 2, more: false });
    expect(woken).toBe(1);
    await deliver(204, 2);
    expect(stage.posted.map(({ body }) => body).sort()).toEqual([offerEvent('offer-a', 'ISSUED'), FAILED].sort());
    expect(stage.posted.map(({ headers }) => headers['webhook-id']).sort()).toEqual(ids);
    expect(await stage.rows()).toEqual([]);
  });

  it.each([
    ['EXPIRED', '{"status":"EXPIRED","state":"s"}'],
    ['REJECTED', '{"status":"REJECTED","state":"s","errorDetails":"access_denied"}'],
    ['VERIFICATION_FAILED', '{"status":"VERIFICATION_FAILED","state":"s","errorDetails":"expired"}'],
    ['PROCESSING_ERROR', '{"status":"PROCESSING_ERROR","state":"s","errorDetails":"egress_timeout"}'],
  ])('rebuilds %s of a verification', async (_status, body) => {
    await bury(['s', body]);
    expect(await list('dead')).toHaveLength(1);
    await operations('verifier').replay({ id: await idOf('dead', 's') });
    await deliver(204, 1);
    expect(stage.posted.map((posted) => posted.body)).toEqual([body]);
  });

  it('leaves a wallet’s own words out', async () => {
    const body = '{"status":"REJECTED","state":"s","errorDetails":"access_denied","errorDescription":"my name is…"}';
    await bury(['s', body]);
    await operations('verifier').replay({ id: await idOf('dead', 's') });
    await deliver(204, 1);
    expect(JSON.parse(stage.posted[0]?.body ?? '')).toEqual({
      status: 'REJECTED',
      state: 's',
      errorDetails: 'access_denied',
    });
  });

  it('never sends FULFILLED: its claims are gone, and without them it would lie', async () => {
    await bury(['s', `{"status":"FULFILLED","state":"s","credentials":{"pid":"${CANARY}"},"credentialsRaw":{}}`]);
    const refused = { code: 'callback_not_replayable' };
    await expect(operations('verifier').replay({ id: await idOf('dead', 's') })).rejects.toMatchObject(refused);
    expect(await operations('verifier').replay({})).toEqual({ replayed: 0, more: false });
    expect(await stage.rows()).toMatchObject([{ payload: null, dead: true }]);
  });

  it('leaves what is informational alone, unless it is named', async () => {
    await bury(['offer', offerEvent('offer', 'OFFER_CREATED')]);
    expect(await operations().replay({})).toEqual({ replayed: 0, more: false });
    expect(await operations().replay({ id: await idOf('dead', 'offer') })).toEqual({ replayed: 1, more: false });
  });

  it('goes past more of those that cannot be rebuilt than it takes at once', async () => {
    await stage.database.query(
      `INSERT INTO ${stage.table} (id, subject, status, expires_at, dead_at)
       SELECT decode(lpad(to_hex(number), 48, '0'), 'hex'), 's' || number, 'FAILED', now(), now()
       FROM generate_series(1, 1200) AS series (number)`,
    );
    await bury(['offer', offerEvent('offer', 'ISSUED')]);
    expect(await operations().replay({})).toEqual({ replayed: 1, more: false });
  });

  it('takes no event that waits, and no id that is none', async () => {
    await stage.enqueue('offer', offerEvent('offer', 'ISSUED'));
    const refused = { code: 'callback_not_found' };
    for (const id of [await idOf('waiting', 'offer'), '', 'no id', 'A'.repeat(32)]) {
      await expect(operations().replay({ id })).rejects.toMatchObject(refused);
    }
  });

  it('says so where the key of the details is gone', async () => {
    await bury(['offer-b', FAILED]);
    const other = createSealer([randomBytes(32)], randomBytes);
    await expect(operations('issuer', other).replay({ id: await idOf('dead', 'offer-b') })).rejects.toMatchObject({
      code: 'callback_not_replayable',
    });
  });

  it('of two operators one does it', async () => {
    await bury(['offer', offerEvent('offer', 'ISSUED')]);
    const both = await Promise.all([operations().replay({}), operations().replay({})]);
    expect(both.map(({ replayed }) => replayed).sort()).toEqual([0, 1]);
  });
});

describe('what is kept of a dead letter', () => {
  it('has no error details in the clear', async () => {
    await bury(['s', `{"status":"REJECTED","state":"s","errorDetails":"${CANARY.replaceAll('-', '_')}"}`]);
    const rows = await stage.database.query(`SELECT * FROM ${stage.table}`);
    const bytes = rows.flatMap((row) => Object.values(row as object).map((value) => String(value)));
    expect(rows).toHaveLength(1);
    expect(bytes.join()).not.toContain(CANARY.replaceAll('-', '_'));
  });
});
