import type { ServerResponse } from 'node:http';
import { Client } from 'pg';
import { until } from '@vestibule/testkit';
import { startEudiStage, type EudiStage } from './eudi-stage';
import { promiseCard, type PromisedCard } from './promised-card';
import type { Json } from './strict-judgement';
import type { Answer } from './strict-wallet';

let eudi: EudiStage;
beforeAll(async () => {
  eudi = await startEudiStage();
});
afterAll(async () => eudi?.stop());

const MEDIA_TYPE = 'application/statuslist+jwt';
const DAY_SECONDS = 86_400;
const [VALID, REVOKED] = [0, 1];
const issuer = () => eudi.stage.stack.process('issuer');
const refusal = (status: number, error: string) => ({ status, body: expect.objectContaining({ error }) as Json });
const credentialsOf = ({ body }: Answer) => (body['credentials'] ?? []) as Json[];

let lastList = 0;

/** A card that is promised for keys with a status, in a list that nobody has fetched since, and the host of the list. */
async function promised() {
  lastList += 1;
  const path = `/interrupted-${lastList}`;
  const uri = `${eudi.statusHost.origin}${path}`;
  const waiting: (() => void)[] = [];
  const listOf = async (status: number) => {
    const token = await eudi.providers.statusList(uri, [status]);
    return (response: ServerResponse) => response.writeHead(200, { 'content-type': MEDIA_TYPE }).end(token);
  };
  const show = async (status: number) => {
    const answer = await listOf(status);
    eudi.statusHost.at(path, (_request, response) => answer(response));
  };
  await show(VALID);
  const exp = Math.floor(Date.now() / 1000) + 31 * DAY_SECONDS;
  const key_storage_status = { status: { status_list: { uri, idx: 0 } }, exp };
  const card = await promiseCard(eudi, { keyClaims: { key_storage_status } });
  // Its copy of the list would be used for five minutes.
  await issuer().restart();
  const good = await listOf(VALID);
  const hold = () => eudi.statusHost.at(path, (_request, response) => void waiting.push(() => good(response)));
  return { ...card, show, hold, waiting };
}

/** A wallet asks, and `run` takes place meanwhile; gives its answer, for which a wallet need not wait. */
async function whileAsking(
  { session, transaction }: PromisedCard,
  begun: () => Promise<boolean>,
  run: () => Promise<void>,
) {
  const asked = session.collect(transaction).catch(() => ({ status: 503, body: {} }));
  await until(begun);
  await run();
  return { asked };
}

/** The same while the issuer waits for the list with the status of the keys. */
function whileLooking(card: Awaited<ReturnType<typeof promised>>, run: () => Promise<void>) {
  card.hold();
  return whileAsking(card, async () => card.waiting.length > 0, run);
}

/** A promised card whose issuer was killed while it looked up the status of the keys. */
async function killedWhileLooking() {
  const card = await promised();
  await whileLooking(card, () => issuer().kill('SIGKILL'));
  return card;
}

/** Holds the row of the offer, so that what ends it waits in Postgres for as long as `run` takes. */
async function whileCompleting(card: PromisedCard, run: () => Promise<void>) {
  const client = new Client({ connectionString: eudi.stage.database.adminUrl });
  await client.connect();
  try {
    await client.query('BEGIN');
    const key = [Buffer.from(card.offerId, 'base64url')];
    await client.query('SELECT FROM issuer.credential_offer WHERE offer_id = $1 FOR UPDATE', key);
    const waiting = `SELECT FROM pg_locks AS own JOIN pg_locks AS other USING (transactionid)
      WHERE own.pid = pg_backend_pid() AND own.granted AND NOT other.granted`;
    const isWaiting = async () => (await client.query(waiting)).rows.length > 0;
    return await whileAsking(card, isWaiting, async () => {
      await run();
      await client.query('COMMIT');
    });
  } finally {
    await client.end();
  }
}

const statusesOf = async ({ offerId }: PromisedCard, count: number) =>
  (await eudi.stage.callbacksOf(offerId, count)).map(({ status }) => status);

/** The wallet asks until it has its card; its backend is told once. */
async function expectIssuedOnce(card: PromisedCard): Promise<void> {
  let answer: Answer | undefined;
  await until(async () => {
    answer = await card.session.collect(card.transaction).catch(() => undefined);
    return answer?.status === 200;
  });
  const credentials = answer && credentialsOf(answer);
  expect(credentials).toHaveLength(1);
  expect(await statusesOf(card, 2)).toEqual(['OFFER_CREATED', 'ISSUED']);
  const again = await card.session.collect(card.transaction);
  expect(credentialsOf(again)).toEqual(credentials);
  expect(await statusesOf(card, 2)).toHaveLength(2);
}

describe('a deferred credential whose issuer is killed', () => {
  it('VCI:P9 while it looks up the status of the keys is issued when the wallet asks again', async () => {
    const card = await killedWhileLooking();
    expect(await statusesOf(card, 1)).toEqual(['OFFER_CREATED']);
    await card.show(VALID);
    await issuer().restart();
    expect(await card.state()).toBe('OFFER_CREATED');
    await expectIssuedOnce(card);
  });

  it('VCI:K14 VCI:F4 is looked up again then: keys that were revoked meanwhile get none', async () => {
    const card = await killedWhileLooking();
    await card.show(REVOKED);
    await issuer().restart();
    expect(await card.session.collect(card.transaction)).toMatchObject(refusal(400, 'credential_request_denied'));
    expect(await card.state()).toBe('OFFER_CREATED');
  });

  // Postgres does not know that the issuer is gone: what waits for the row is done when the row is free.
  it('VCI:P9 VCI:T8 between the look-up and the end of the offer is issued once, and given again', async () => {
    const card = await promised();
    await whileCompleting(card, () => issuer().kill('SIGKILL'));
    await issuer().restart();
    await expectIssuedOnce(card);
  });

  it('VCI:F4 is not issued if the backend cancels the offer while the status is being looked up', async () => {
    const card = await promised();
    const { asked } = await whileLooking(card, async () => {
      await eudi.stage.management('DELETE', `/offers/${card.offerId}`);
      await card.show(VALID);
      for (const answer of card.waiting.splice(0)) answer();
    });
    expect(await asked).toMatchObject(refusal(400, 'credential_request_denied'));
    expect(await statusesOf(card, 2)).toEqual(['OFFER_CREATED', 'FAILED']);
    expect(await card.session.collect(card.transaction)).toMatchObject(refusal(400, 'credential_request_denied'));
  });
});
