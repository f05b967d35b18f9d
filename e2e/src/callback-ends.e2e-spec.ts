import type { ReceivedCallback } from '@vestibule/dev-stack';
import type { Wallet } from '@vestibule/demo-wallet';
import { until } from '@vestibule/testkit';
import { Webhook } from 'standardwebhooks';
import { issueTo, offerCredential, requestPresentation } from './flows';
import { FLOWS, startStage, type Stage } from './stage';

const SECRET = `whsec_${Buffer.alloc(32, 5).toString('base64')}`;

interface Undelivered {
  readonly id: string;
  readonly subject: string;
  readonly status: string;
  readonly state: string;
  readonly last_result: string;
  readonly replayable?: boolean;
}

/** What the backend answers; the default is to take the event. */
let answer: (body: Readonly<Record<string, string>>) => number = () => 204;
let stage: Stage;
let wallet: Wallet;

beforeAll(async () => {
  const signing = { CALLBACK_SECRETS: SECRET };
  stage = await startStage({
    apps: FLOWS,
    environment: { verifier: signing, issuer: signing },
    respond: ({ body }) => answer(body as Readonly<Record<string, string>>),
  });
  wallet = stage.createWallet();
  await issueTo(stage, wallet);
});
afterEach(() => {
  answer = () => 204;
});
afterAll(() => stage?.stop());

const about = (id: string): readonly ReceivedCallback[] =>
  stage.backend.received.filter(({ text }) => text.includes(id));
const statusesOf = (id: string) => about(id).map(({ body }) => (body as { status: string }).status);

async function listed(service: 'verifier' | 'issuer', state: 'waiting' | 'dead', subject: string) {
  const { body } = await stage.management('GET', `/callbacks/${service}?state=${state}`);
  return (body as unknown as Undelivered[]).filter((event) => event.subject === subject);
}

/** The dead letter about a flow, once there is one. */
async function deadLetterOf(service: 'verifier' | 'issuer', subject: string): Promise<Undelivered> {
  await until(async () => (await listed(service, 'dead', subject)).length === 1);
  return (await listed(service, 'dead', subject))[0] as Undelivered;
}

/** A request that the wallet denies while the backend is gone. */
async function deniedInVain(): Promise<{ readonly state: string; readonly dead: Undelivered }> {
  answer = () => 410;
  const { state, crossDevice } = await requestPresentation(stage);
  expect((await wallet.present(crossDevice, { deny: true, errorDescription: 'not today' })).status).toBe(200);
  const dead = await deadLetterOf('verifier', state);
  answer = () => 204;
  return { state, dead };
}

describe('15.4 an event that a backend refuses', () => {
  it.each([400, 404, 422])(
    'OFFER_CREATED with %i is a dead letter at once, and holds the end of its offer back no more',
    async (status) => {
      answer = (body) => (body['status'] === 'OFFER_CREATED' ? status : 204);
      const { offerId } = await offerCredential(stage, { expires_in: 1 });
      await until(() => statusesOf(offerId).includes('EXPIRED'));
      expect(statusesOf(offerId)).toEqual(['OFFER_CREATED', 'EXPIRED']);
      expect(await deadLetterOf('issuer', offerId)).toMatchObject({
        status: 'OFFER_CREATED',
        last_result: `http_${status}`,
      });
    },
  );

  it.each([408, 425, 429, 503])(
    'OFFER_CREATED with %i waits, and so does the end of its offer, until an operator drops it',
    async (status) => {
      answer = (body) => (body['status'] === 'OFFER_CREATED' ? status : 204);
      const { offerId } = await offerCredential(stage, { expires_in: 1 });
      await until(async () => (await listed('issuer', 'waiting', offerId)).length === 2);
      const first = (await listed('issuer', 'waiting', offerId)).find((event) => event.status === 'OFFER_CREATED');
      expect(statusesOf(offerId)).not.toContain('EXPIRED');
      expect((await stage.management('DELETE', `/callbacks/issuer/${first?.id}`)).status).toBe(204);
      await until(() => statusesOf(offerId).includes('EXPIRED'));
      expect(await deadLetterOf('issuer', offerId)).toMatchObject({ id: first?.id, status: 'OFFER_CREATED' });
      const again = await stage.management('DELETE', `/callbacks/issuer/${first?.id}`);
      expect([again.status, again.body['code']]).toEqual([404, 'callback_not_found']);
    },
  );
});

describe('15.4 a dead letter after an outage of the backend', () => {
  it('is replayed under its webhook-id, rebuilt from the record', async () => {
    const { state, dead } = await deniedInVain();
    expect(dead).toMatchObject({ status: 'REJECTED', state: 'dead', last_result: 'http_410', replayable: true });
    const replayed = await stage.management('POST', `/callbacks/verifier/${dead.id}/replay`);
    expect([replayed.status, replayed.body['replayed']]).toEqual([200, 1]);
    await until(() => about(state).length === 2);
    await stage.untilDelivered([state]);
    const [first, second] = about(state);
    expect(second?.headers['webhook-id']).toBe(first?.headers['webhook-id']);
    // The wallet's own words are in no record.
    const { errorDescription, ...kept } = first?.body as Record<string, unknown>;
    expect([typeof errorDescription, second?.body]).toEqual(['string', kept]);
    expect(await listed('verifier', 'dead', state)).toEqual([]);
    const again = await stage.management('POST', `/callbacks/verifier/${dead.id}/replay`);
    expect([again.status, again.body['code']]).toEqual([404, 'callback_not_found']);
  });

  it('is replayed with all others of its service', async () => {
    const { state, dead } = await deniedInVain();
    const replayed = await stage.management('POST', '/callbacks/verifier/replay');
    expect([replayed.status, replayed.body['more']]).toEqual([200, false]);
    expect(Number(replayed.body['replayed'])).toBeGreaterThan(0);
    await until(() => about(state).length === 2);
    expect(new Set(about(state).map(({ headers }) => headers['webhook-id']))).toEqual(new Set([dead.id]));
  });

  it('is gone for good where it carried claims', async () => {
    answer = () => 410;
    const { state, crossDevice } = await requestPresentation(stage);
    expect((await wallet.present(crossDevice)).status).toBe(200);
    const dead = await deadLetterOf('verifier', state);
    expect(dead).toMatchObject({ status: 'FULFILLED', replayable: false });
    answer = () => 204;
    const refused = await stage.management('POST', `/callbacks/verifier/${dead.id}/replay`);
    expect([refused.status, refused.body['code']]).toEqual([409, 'callback_not_replayable']);
    expect((await stage.management('POST', '/callbacks/verifier/replay')).status).toBe(200);
    expect(await listed('verifier', 'dead', state)).toHaveLength(1);
    expect(about(state)).toHaveLength(1);
  });
});

describe('15.4 POST /callbacks/test', () => {
  const test = async (body?: object) => {
    const { status, body: results } = await stage.management('POST', '/callbacks/test', body);
    return { status, results: results as unknown as Readonly<Record<string, unknown>>[] };
  };

  it('posts a signed event with the status TEST to the receiver of each service, and says what became of it', async () => {
    const { status, results } = await test();
    expect([status, results.map(({ service, delivered, result }) => [service, delivered, result])]).toEqual([
      200,
      [
        ['verifier', true, 'http_204'],
        ['issuer', true, 'http_204'],
      ],
    ]);
    for (const { webhook_id: id } of results) {
      const [callback] = stage.backend.received.filter(({ headers }) => headers['webhook-id'] === id);
      const headers = callback?.headers as Record<string, string>;
      expect(new Webhook(SECRET).verify(callback?.text ?? '', headers)).toMatchObject({ status: 'TEST' });
    }
  });

  it('says that a backend does not take it, and does not try again', async () => {
    answer = (body) => (body['status'] === 'TEST' ? 500 : 204);
    const { results } = await test({ service: 'issuer' });
    expect(results).toEqual([expect.objectContaining({ service: 'issuer', delivered: false, result: 'http_500' })]);
    const id = results[0]?.['webhook_id'];
    expect(stage.backend.received.filter(({ headers }) => headers['webhook-id'] === id)).toHaveLength(1);
    const { body } = await stage.management('GET', '/callbacks/issuer');
    expect((body as unknown as Undelivered[]).filter((event) => event.id === id)).toEqual([]);
  });
});
