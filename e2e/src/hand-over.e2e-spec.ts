import { connect } from 'node:net';
import { until } from '@vestibule/testkit';
import { CLAIMS } from './flows';
import { startIssuanceBench, type HandmadeWallet, type IssuanceBench, type OpenedOffer } from './issuance-bench';
import { createPool, type RowSource } from './look-into-database';
import type { Stage } from './stage';

/** Longer than the test: whatever waits for its end waits in vain. */
const REDELIVERY_SECONDS = 600;

let bench: IssuanceBench<Stage>;
let rows: RowSource;
/** The backend takes nothing. */
let isAway = false;
beforeAll(async () => {
  const issuer = { REDELIVERY_SECONDS: String(REDELIVERY_SECONDS), DEFERRED_SECONDS: '600' };
  bench = await startIssuanceBench({ environment: { issuer }, respond: () => (isAway ? 503 : 204) });
  rows = createPool(bench.stage.database.adminUrl);
});
afterAll(async () => {
  await rows?.close();
  await bench?.stop();
});

type Members = Record<string, unknown>;

async function viewOf({ offerId }: OpenedOffer): Promise<Members> {
  return (await bench.stage.management('GET', `/offers/${offerId}`)).body as Members;
}
const deliveryOf = async (offer: OpenedOffer) => (await viewOf(offer))['delivery'] as Members | undefined;
const untilState = (offer: OpenedOffer, state: string) =>
  until(async () => (await deliveryOf(offer))?.['state'] === state, 30);
const told = ({ offerId }: OpenedOffer) =>
  bench.stage.backend.received
    .map(({ body }) => body as Members)
    .filter((body) => body['offerId'] === offerId)
    .map(({ status }) => status);
const untilTold = (offer: OpenedOffer) => until(() => told(offer).length === 2, 30);
const BOTH = ['OFFER_CREATED', 'ISSUED'];

/** Sends a request whose sender is gone before there can be an answer. */
async function hangUp(
  wallet: HandmadeWallet,
  endpoint: 'credential' | 'deferred_credential',
  token: string,
  body: unknown,
) {
  const url = new URL(`${bench.stage.stack.issuerUrl}/oidc4vci/${endpoint}`);
  const text = JSON.stringify(body);
  const head = [
    `POST ${url.pathname} HTTP/1.1`,
    `host: ${url.host}`,
    'content-type: application/json',
    `authorization: DPoP ${token}`,
    `dpop: ${wallet.dpop(endpoint, token)}`,
    `content-length: ${Buffer.byteLength(text)}`,
  ];
  const socket = connect(Number(url.port), url.hostname);
  await new Promise<void>((resolve, reject) => {
    socket.on('error', reject);
    socket.write(`${head.join('\r\n')}\r\n\r\n${text}`, () => resolve());
  });
  socket.destroy();
}

/** An offer that is issued though its wallet has heard nothing. */
async function lost(extra: object = {}) {
  const [wallet, offer] = [bench.createWallet(), await bench.offer(extra)];
  const token = await wallet.token(offer);
  const body = await wallet.body();
  await hangUp(wallet, 'credential', token, body);
  await until(async () => (await viewOf(offer))['status'] === 'ISSUED', 30);
  await untilDeleted(offer, 'OFFER_CREATED');
  return { wallet, offer, token, body };
}

/** Events stay listed until a batch deletes them, a moment after the backend took them. */
const untilDeleted = ({ offerId }: OpenedOffer, status: string) =>
  until(async () => {
    const left = await rows.query<Members>(`SELECT status FROM issuer.callback WHERE subject = '${offerId}'`);
    return left.every((row) => row['status'] !== status);
  }, 30);

/** An offer whose wallet has its credential. */
async function issued(extra: object = {}) {
  const [wallet, offer] = [bench.createWallet(), await bench.offer(extra)];
  const token = await wallet.token(offer);
  const body = await wallet.body();
  const answer = await wallet.post('credential', token, body);
  expect(answer.status).toBe(200);
  return { wallet, offer, token, body, answer };
}

/** Whatever was to be told by now has been told. */
async function untilOthersAreTold(): Promise<void> {
  const { offer } = await issued();
  await untilTold(offer);
}

/** Lets the database refuse reports from now on; what was refused is counted where no rollback takes it back. */
async function refuseReports() {
  await rows.query('CREATE SEQUENCE issuer.refused');
  await rows.query('GRANT USAGE ON SEQUENCE issuer.refused TO PUBLIC');
  await rows.query(`CREATE FUNCTION issuer.refuse() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN PERFORM nextval('issuer.refused'); RAISE EXCEPTION 'no hand-over is written'; END $$`);
  await rows.query(`CREATE TRIGGER refuse BEFORE UPDATE ON issuer.credential_offer FOR EACH ROW
    WHEN (NEW.notification_event IS NULL AND NEW.handed_over_at IS NOT NULL) EXECUTE FUNCTION issuer.refuse()`);
  return {
    untilRefused: () =>
      until(async () => (await rows.query('SELECT FROM issuer.refused WHERE is_called')).length > 0, 30),
    accept: async () => {
      await rows.query('DROP FUNCTION issuer.refuse() CASCADE');
      await rows.query('DROP SEQUENCE issuer.refused');
    },
  };
}

const HANDED_OVER = { state: 'handed_over', handed_over_at: expect.any(String) as string };

describe('a wallet that has its credential', () => {
  it.each([
    ['VCI:P9 a credential', {}],
    ['VCI:P9 VCI:P3 a batch', { batch: 4 }],
    ['VCI:P9 VCI:E5 an encrypted credential', { encrypt: true }],
  ])('%s: the backend hears ISSUED, and sees that it was handed over', async (_what, options) => {
    const offer = await bench.offer();
    expect(await deliveryOf(offer)).toBeUndefined();
    await bench.stage.createWallet().redeemOffer(offer.uri, { notify: false, ...options });
    await untilTold(offer);
    expect(told(offer)).toEqual(BOTH);
    const view = await viewOf(offer);
    expect(view['delivery']).toEqual(HANDED_OVER);
    const { handed_over_at: at } = view['delivery'] as { handed_over_at: string };
    expect(Date.parse(at)).toBeGreaterThanOrEqual(Date.parse(view['finished_at'] as string));
  });

  it('VCI:P9 VCI:F1 the same for a promised credential: not for the promise', async () => {
    const [wallet, offer] = [bench.createWallet(), await bench.offer({ deferred: true, claims: {} })];
    const token = await wallet.token(offer);
    const { json } = await wallet.post('credential', token, await wallet.body());
    expect(await deliveryOf(offer)).toBeUndefined();
    await bench.stage.management('PATCH', `/offers/${offer.offerId}`, { claims: CLAIMS });
    const transaction = { transaction_id: json['transaction_id'] };
    await hangUp(wallet, 'deferred_credential', token, transaction);
    await until(async () => (await viewOf(offer))['status'] === 'ISSUED', 30);
    await untilOthersAreTold();
    expect(told(offer)).toEqual(['OFFER_CREATED']);
    expect((await wallet.post('deferred_credential', token, transaction)).status).toBe(200);
    await untilTold(offer);
    expect(await deliveryOf(offer)).toMatchObject({ state: 'repeated' });
  });

  it('VCI:P9 VCI:P8 gets nothing of how its answer is named, and an answer that is asked for again is repeated', async () => {
    const { wallet, offer, token, body, answer } = await issued();
    expect(Object.keys(answer.json).sort()).toEqual(['credentials', 'notification_id']);
    await untilState(offer, 'handed_over');
    const first = (await deliveryOf(offer))?.['handed_over_at'];
    expect((await wallet.post('credential', token, body)).text).toBe(answer.text);
    await untilState(offer, 'repeated');
    const twice = { state: 'repeated', handed_over_at: first, repeated_at: expect.any(String) as string };
    expect(await deliveryOf(offer)).toEqual(twice);
    expect(told(offer)).toEqual(BOTH);
  });

  it.each([
    ['credential_accepted', { state: 'accepted', accepted_at: expect.any(String) as string }],
    ['credential_failure', { state: 'handed_over' }],
    ['credential_deleted', { state: 'handed_over' }],
  ])('VCI:F7 VCI:P9 and says %s: the backend sees that, too', async (event, seen) => {
    const { wallet, offer, token, answer } = await issued();
    await untilState(offer, 'handed_over');
    const notification = { notification_id: answer.json['notification_id'], event };
    expect((await wallet.post('notification', token, notification)).status).toBe(204);
    const { delivery, notification: shown } = await viewOf(offer);
    expect(delivery).toEqual({ ...HANDED_OVER, ...seen });
    expect(shown).toEqual({ event, received_at: expect.any(String) as string });
  });
});

describe('a wallet of which nobody knows whether it has its credential', () => {
  it('VCI:P9 VCI:P8 has ISSUED told when an answer was handed over, not when it was signed', async () => {
    const { wallet, offer, token, body } = await lost();
    await untilOthersAreTold();
    expect(told(offer)).toEqual(['OFFER_CREATED']);
    expect(await deliveryOf(offer)).toEqual({ state: 'unconfirmed' });
    expect((await wallet.post('credential', token, body)).status).toBe(200);
    await untilTold(offer);
    expect(told(offer)).toEqual(BOTH);
    expect(await deliveryOf(offer)).toEqual({ state: 'repeated', repeated_at: expect.any(String) as string });
  });

  it('VCI:P9 has it told when its answer cannot be given again any more, and stays unconfirmed', async () => {
    const { offer } = await lost();
    await untilOthersAreTold();
    expect(told(offer)).toEqual(['OFFER_CREATED']);
    const held = await rows.query<{ seconds: number }>(
      `SELECT extract(epoch FROM next_attempt_at - created_at)::int AS seconds FROM issuer.callback WHERE subject = '${offer.offerId}'`,
    );
    expect(held).toEqual([{ seconds: REDELIVERY_SECONDS }]);
    await rows.query(
      `UPDATE issuer.callback SET next_attempt_at = now(), held_until = now() WHERE subject = '${offer.offerId}'`,
    );
    await untilTold(offer);
    expect(told(offer)).toEqual(BOTH);
    expect(await deliveryOf(offer)).toEqual({ state: 'unconfirmed' });
  });

  it('operators see that its event waits, and leave it waiting when they hurry others', async () => {
    const { offer } = await lost();
    const list = async () => (await bench.stage.management('GET', '/callbacks/issuer')).body as unknown as Members[];
    const own = async () => (await list()).find(({ subject }) => subject === offer.offerId);
    const seen = await own();
    expect(seen).toMatchObject({ status: 'ISSUED', state: 'waiting', attempts: 0, held_until: expect.any(String) });
    expect((await bench.stage.management('POST', '/callbacks/issuer/retry')).status).toBe(200);
    await untilOthersAreTold();
    expect(await own()).toEqual({ ...seen, age_seconds: expect.any(Number) });
    await bench.stage.management('POST', `/callbacks/issuer/${seen?.['id'] as string}/retry`);
    await untilTold(offer);
  });
});

describe('a report that is lost', () => {
  it('VCI:P9 with its gateway: the wallet is not heard of until it says that it has its credential', async () => {
    const { untilRefused, accept } = await refuseReports();
    const { wallet, offer, token, answer } = await issued();
    await untilRefused();
    const gateway = bench.stage.stack.process('gateway');
    await gateway.kill('SIGKILL');
    await accept();
    await gateway.restart();
    await untilOthersAreTold();
    expect([told(offer), await deliveryOf(offer)]).toEqual([['OFFER_CREATED'], { state: 'unconfirmed' }]);
    const notification = { notification_id: answer.json['notification_id'], event: 'credential_accepted' };
    expect((await wallet.post('notification', token, notification)).status).toBe(204);
    await untilTold(offer);
    expect(await deliveryOf(offer)).toMatchObject({ state: 'accepted' });
  });

  it('VCI:P9 by an issuer that cannot write comes again', async () => {
    const { untilRefused, accept } = await refuseReports();
    const { offer } = await issued();
    await untilRefused();
    expect(told(offer)).toEqual(['OFFER_CREATED']);
    await accept();
    await untilTold(offer);
    expect(await deliveryOf(offer)).toEqual(HANDED_OVER);
  });

  it('VCI:P9 not at all when the issuer ends between the report and its callback', async () => {
    isAway = true;
    const { offer } = await issued();
    await untilState(offer, 'handed_over');
    const issuer = bench.stage.stack.process('issuer');
    await issuer.kill('SIGKILL');
    isAway = false;
    await issuer.restart();
    await until(() => new Set(told(offer)).size === 2, 60);
    expect(await deliveryOf(offer)).toEqual(HANDED_OVER);
  });
});
