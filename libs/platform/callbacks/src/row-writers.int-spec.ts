import { randomBytes } from 'node:crypto';
import { createCallbackOperations } from './callback-operations';
import { callbackParameters, detailsContext, insertCallbackSql } from './enqueue-callback';
import { openStage, status, until, type Stage } from './outbox.stage';

jest.setTimeout(180_000);

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterEach(() => stage.reset());
afterAll(() => stage.close());

const { stringify } = JSON;
const issued = (id: string) => stringify({ eventId: id, status: 'ISSUED', offerId: id });
const failed = (id: string) =>
  stringify({ eventId: id, status: 'FAILED', offerId: id, errorDetails: 'signing_failed' });
const operations = () =>
  createCallbackOperations({
    database: stage.database,
    service: 'issuer',
    schema: stage.schema,
    sealer: stage.context.sealer,
    lifetimeSeconds: 3_600,
    wake: () => undefined,
  });
const bodies = () => stage.posted.map(({ body }) => body).sort();

async function deliver(code: number, count: number): Promise<void> {
  stage.reply = status(code);
  stage.posted = [];
  const one = stage.deliverer();
  await until(() => stage.posted.length >= count);
  await one.stop();
}

/** Dead letters of these events. */
async function bury(...events: readonly (readonly [subject: string, body: string])[]): Promise<void> {
  for (const [subject, body] of events) await stage.enqueue(subject, body);
  await deliver(410, events.length);
}

const INSERT = (table: string) =>
  `INSERT INTO ${table} (id, subject, status, expires_at, dead_at) VALUES ($1, 'victim', 'ISSUED', now(), now())`;

describe('whoever writes rows of the outbox', () => {
  it('has no dead letter of their own replayed with the others', async () => {
    await bury(['offer', issued('offer')]);
    await stage.database.query(INSERT(stage.table), [randomBytes(24)]);
    expect(await operations().replay({})).toEqual({ replayed: 1, more: false });
    await deliver(204, 1);
    expect(bodies()).toEqual([issued('offer')]);
  });

  it.each([
    ['status', `status = 'ISSUED'`],
    ['subject', `subject = 'victim'`],
  ])('does not change the %s of an event that is replayed', async (_column, change) => {
    await bury(['offer', failed('offer')]);
    await stage.database.query(`UPDATE ${stage.table} SET ${change}`);
    expect(await operations().replay({})).toEqual({ replayed: 1, more: false });
    await deliver(204, 1);
    expect(bodies()).toEqual([failed('offer')]);
  });

  it('does not move what an event is rebuilt from to another', async () => {
    await bury(['offer', issued('offer')], ['other', failed('other')]);
    await stage.database.query(`UPDATE ${stage.table} SET details = (
      SELECT details FROM ${stage.table} WHERE subject = 'offer') WHERE subject = 'other'`);
    expect(await operations().replay({})).toEqual({ replayed: 1, more: false });
    await deliver(204, 1);
    expect(bodies()).toEqual([issued('offer')]);
  });
});

describe('an event with claims, for one receiver', () => {
  const own = () => `${new URL(stage.target.url).origin}/own`;

  async function queue(receiver: string | null): Promise<void> {
    const event = { subject: 'state', body: '"claims"', status: 'FULFILLED', receiver };
    const insert = insertCallbackSql({ schema: stage.schema, from: 'ended', firstParameter: 1 });
    const parameters = [...callbackParameters(event, stage.context), receiver];
    await stage.database.query(`WITH ended AS (SELECT $7::text AS callback_url) ${insert}`, parameters);
  }
  const open = () => stage.deliverer({ target: { ...stage.target, origins: [new URL(stage.target.url).origin] } });
  const resultOf = async () => (await stage.rows())[0]?.last_result;

  it.each([
    ['the configured one', () => null, own],
    ['one of its own', own, () => null],
    ['one of its own, at another path', own, () => `${own()}er`],
  ])('that is %s is posted to no other, and to that again', async (_which, receiver, stolen) => {
    await queue(receiver());
    await stage.database.query(`UPDATE ${stage.table} SET url = $1`, [stolen()]);
    open();
    await until(async () => (await resultOf()) === 'receiver_altered');
    expect(stage.posted).toEqual([]);
    expect(JSON.stringify(stage.lines)).toContain('receiver_altered');
    await stage.database.query(`UPDATE ${stage.table} SET url = $1`, [receiver()]);
    await until(stage.isEmpty);
    const path = receiver() === null ? '/hook?tenant=1' : '/own';
    expect(stage.posted.map((posted) => [posted.body, posted.path])).toEqual([['"claims"', path]]);
  });
});

describe('a dead letter of an earlier version', () => {
  it.each([
    ['ISSUED', issued('offer')],
    ['FAILED', failed('offer')],
  ])('is replayed by its name alone: %s', async (state, body) => {
    await bury(['offer', body]);
    const [row] = await stage.database.query<{ id: Buffer }>(`SELECT id FROM ${stage.table}`);
    const id = row?.id ?? Buffer.alloc(0);
    const text = Buffer.from('signing_failed');
    const details = state === 'FAILED' ? stage.context.sealer.seal(text, detailsContext(stage.schema, id)) : null;
    await stage.database.query(`UPDATE ${stage.table} SET details = $1`, [details]);
    expect(await operations().replay({})).toEqual({ replayed: 0, more: false });
    expect(await operations().replay({ id: id.toString('base64url') })).toEqual({ replayed: 1, more: false });
    await deliver(204, 1);
    expect(bodies()).toEqual([body]);
  });
});
