import { createPublicKey, randomBytes, verify } from 'node:crypto';
import { startCallbackReceiver, type CallbackReceiver, type ReceivedCallback } from '@vestibule/dev-stack';
import type { Wallet } from '@vestibule/demo-wallet';
import { until } from '@vestibule/testkit';
import { Client } from 'pg';
import { Webhook } from 'standardwebhooks';
import { issueTo, offerCredential, requestPresentation } from './flows';
import { FLOWS, startStage, type Stage } from './stage';

const SECRET = `whsec_${randomBytes(32).toString('base64')}`;
const signing = { CALLBACK_SECRETS: `${SECRET},whsk_${randomBytes(32).toString('base64')}` };

/** What the backend does before it answers; the default is to take the event. */
let answer: (callback: ReceivedCallback) => number | Promise<number> = () => 204;
let stage: Stage;
let wallet: Wallet;
let other: CallbackReceiver;
beforeAll(async () => {
  other = await startCallbackReceiver();
  const allowing = { ...signing, CALLBACK_ORIGINS: new URL(other.url).origin };
  stage = await startStage({
    apps: FLOWS,
    replicas: { verifier: 2, issuer: 2 },
    environment: { verifier: allowing, issuer: allowing },
    respond: (callback) => answer(callback),
  });
  wallet = stage.createWallet();
  await issueTo(stage, wallet);
});
afterEach(() => {
  answer = () => 204;
});
afterAll(async () => {
  await stage?.stop();
  await other?.stop();
});

const about = (id: string) => stage.backend.received.filter(({ text }) => text.includes(id));
const idsOf = (callbacks: readonly ReceivedCallback[]) =>
  new Set(callbacks.map(({ headers }) => headers['webhook-id']));

async function restartVerifiers(): Promise<void> {
  for (const replica of [0, 1]) {
    const process = stage.stack.process('verifier', replica);
    if (!process.isRunning) await process.restart();
  }
}

/** Ends every replica of the verifier without warning. */
async function killVerifiers(): Promise<void> {
  await Promise.all([0, 1].map((replica) => stage.stack.process('verifier', replica).kill('SIGKILL')));
}

describe('every callback', () => {
  it('is signed so that a third party accepts it, with one signature for each key', async () => {
    const { state, crossDevice } = await requestPresentation(stage);
    expect((await wallet.present(crossDevice)).status).toBe(200);
    await stage.callbacksOf(state, 1);
    const [callback] = about(state);
    const headers = callback?.headers as Record<string, string>;
    expect(new Webhook(SECRET).verify(callback?.text ?? '', headers)).toMatchObject({ status: 'FULFILLED', state });
    expect(headers['webhook-signature']).toMatch(/^v1,[A-Za-z0-9+/=]{44} v1a,[A-Za-z0-9+/=]{88}$/);
  });

  it('goes to the receiver that its request or offer names, and to no other', async () => {
    const callback_url = `${other.url}?tenant=7`;
    const { state, crossDevice } = await requestPresentation(stage, { callback_url });
    expect((await wallet.present(crossDevice)).status).toBe(200);
    const { offerId, uri } = await offerCredential(stage, { callback_url });
    await wallet.redeemOffer(uri);
    const bodyOf = ({ body }: ReceivedCallback) => body as Record<string, string>;
    await other.waitFor((callback) => bodyOf(callback)['state'] === state);
    await other.waitFor((callback) => bodyOf(callback)['status'] === 'ISSUED');
    const statuses = other.received.map((callback) => bodyOf(callback)['status']).sort();
    expect(statuses).toEqual(['FULFILLED', 'ISSUED', 'OFFER_CREATED']);
    expect([...about(state), ...about(offerId)]).toEqual([]);
  });

  it.each(['http://169.254.169.254/latest', 'http://127.0.0.1:1/', 'no URL'])(
    'never goes to %s: the request is refused',
    async (callback_url) => {
      const body = { dcql_query: { credentials: [] }, callback_url };
      const answered = await stage.management('POST', '/oidc4vp', body);
      const paths = (answered.body['errors'] as { path: string }[]).map(({ path }) => path);
      expect([answered.status, paths]).toEqual([400, expect.arrayContaining(['callback_url'])]);
    },
  );
});

describe('what these tests know of callbacks', () => {
  it('is complete: one that comes late counts, for the outbox is asked and not the clock', async () => {
    let takeFirst: (status: number) => void = () => undefined;
    const isTaken = new Promise<number>((resolve) => (takeFirst = resolve));
    let isFirst = true;
    answer = () => {
      const status = isFirst ? isTaken : 204;
      isFirst = false;
      return status;
    };
    const { offerId, uri } = await offerCredential(stage);
    await until(() => about(offerId).length === 1);
    const asked = stage.callbacksOf(offerId, 1);
    await wallet.redeemOffer(uri);
    // Much happens meanwhile, and the backend still has not answered.
    for (let issued = 0; issued < 10; issued += 1) await issueTo(stage, stage.createWallet());
    takeFirst(204);
    // Delivery is at least once: on a busy machine the first attempt may end before it is taken.
    expect([...new Set((await asked).map(({ status }) => status))]).toEqual(['OFFER_CREATED', 'ISSUED']);
  });
});

describe('the public key of Ed25519 callbacks', () => {
  /** Shown by the management listener, the same for both services; undefined if it shows none. */
  async function shownKey(): Promise<string> {
    const { status, body } = await stage.management('GET', '/callbacks/keys');
    expect(status).toBe(200);
    const [verifier, issuer] = body as unknown as { service: string; keys: { public_key?: string }[] }[];
    expect([verifier?.service, issuer?.service]).toEqual(['verifier', 'issuer']);
    expect(verifier?.keys).toEqual(issuer?.keys);
    expect(verifier?.keys).toEqual([{ scheme: 'v1' }, { scheme: 'v1a', public_key: expect.any(String) as string }]);
    return verifier?.keys[1]?.public_key ?? '';
  }

  it('17.15: is shown by GET /callbacks/keys, and verifies the signature v1a of a callback', async () => {
    const publicKey = await shownKey();
    expect(publicKey).toMatch(/^whpk_[A-Za-z0-9+/]{43}=$/);
    const { offerId } = await offerCredential(stage);
    await stage.callbacksOf(offerId, 1);
    const [callback] = about(offerId);
    const headers = callback?.headers as Record<string, string>;
    const signature = headers['webhook-signature']?.split(' ')[1]?.slice('v1a,'.length) ?? '';
    const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${callback?.text ?? ''}`;
    const x = Buffer.from(publicKey.slice('whpk_'.length), 'base64').toString('base64url');
    const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
    expect(verify(null, Buffer.from(signed), key, Buffer.from(signature, 'base64'))).toBe(true);
  });

  it('17.15: is in the log of every replica at its start, and no secret is', async () => {
    const publicKey = await shownKey();
    const lines = stage.readLog();
    const logged = lines.filter((line) => line.includes('callbacks are signed with Ed25519'));
    expect(logged.length).toBeGreaterThanOrEqual(4);
    expect(logged.every((line) => line.includes(`"publicKeys":"${publicKey}"`))).toBe(true);
    for (const secret of signing.CALLBACK_SECRETS.split(',')) expect(lines.join('\n')).not.toContain(secret);
    expect(lines.join('\n')).not.toContain('whsk_');
  });
});

describe('operators', () => {
  it('see what a backend does not take, and have it tried again when the backend is back', async () => {
    answer = () => 503;
    const { state, crossDevice } = await requestPresentation(stage);
    expect((await wallet.present(crossDevice)).status).toBe(200);
    await until(() => about(state).length >= 3);
    const list = async () => (await stage.management('GET', '/callbacks/verifier')).body as unknown as object[];
    const listed = (await list()).find((item) => (item as { subject?: string }).subject === state);
    expect(listed).toMatchObject({
      service: 'verifier',
      status: 'FULFILLED',
      state: 'waiting',
      last_result: 'http_503',
    });
    expect(JSON.stringify(listed)).not.toContain('Example');
    const metricsUrl = stage.stack.process('verifier').readyUrl.replace('/health/ready', '/metrics');
    expect(await (await fetch(metricsUrl)).text()).toMatch(/vestibule_callbacks_waiting\{service="verifier"\} [1-9]/);
    answer = () => 204;
    const { id } = listed as { id: string };
    expect(about(state)[0]?.headers['webhook-id']).toBe(id);
    const retried = await stage.management('POST', `/callbacks/verifier/${id}/retry`);
    expect([retried.status, retried.body]).toEqual([200, { retried: 1 }]);
    await until(async () => (await list()).length === 0);
    const again = await stage.management('POST', `/callbacks/verifier/${id}/retry`);
    expect([again.status, again.body['code']]).toEqual([404, 'callback_not_found']);
  });
});

describe('two replicas', () => {
  it('never post one event at the same time, and post each once while all goes well', async () => {
    const open = new Map<string, number>();
    let overlaps = 0;
    answer = async ({ text }) => {
      const others = open.get(text) ?? 0;
      if (others > 0) overlaps += 1;
      open.set(text, others + 1);
      // What the other replica needs to claim and to post, through the same stack: it would be here by then.
      await stage.management('GET', '/health/ready');
      await stage.management('GET', '/callbacks/verifier');
      open.set(text, (open.get(text) ?? 1) - 1);
      return 204;
    };
    const requests = await Promise.all(Array.from({ length: 30 }, () => requestPresentation(stage, { expires_in: 1 })));
    await until(() => requests.every(({ state }) => about(state).length > 0));
    expect(overlaps).toBe(0);
    expect(requests.map(({ state }) => about(state).length)).toEqual(requests.map(() => 1));
  });
});

describe('kill -9 of the replica that posts', () => {
  it('before the backend has answered: posted again under the same webhook-id, with the same bytes', async () => {
    const { state, crossDevice } = await requestPresentation(stage);
    let killed: Promise<void> | undefined;
    answer = async ({ text }) => {
      if (text.includes(state)) await (killed ??= killVerifiers());
      return 204;
    };
    const presented = wallet.present(crossDevice);
    await until(() => killed !== undefined);
    await killed;
    expect(about(state)).toHaveLength(1);
    answer = () => 204;
    await restartVerifiers();
    await until(() => about(state).length === 2);
    expect(idsOf(about(state)).size).toBe(1);
    expect(new Set(about(state).map(({ text }) => text)).size).toBe(1);
    // The answer, or the death of the verifier before it: that depends on who was faster.
    expect([200, 503]).toContain((await presented).status);
  });

  it('after the backend has answered and before that is stored: the same', async () => {
    const { state, crossDevice } = await requestPresentation(stage);
    const locker = new Client({ connectionString: stage.database.adminUrl });
    await locker.connect();
    await locker.query('BEGIN');
    // While its row is locked, the replica cannot forget the event.
    answer = async ({ text }) => {
      if (text.includes(state))
        await locker.query('SELECT 1 FROM verifier.callback WHERE subject = $1 FOR UPDATE', [state]);
      return 204;
    };
    expect((await wallet.present(crossDevice)).status).toBe(200);
    await until(() => about(state).length === 1);
    // The statement that follows a deletion which has left something over.
    const hasTried = `SELECT 1 FROM pg_stat_activity
      WHERE datname = current_database() AND query LIKE 'SELECT id FROM "verifier".callback AS delivered %'`;
    await until(async () => {
      await locker.query('SELECT pg_stat_clear_snapshot()');
      return (await locker.query(hasTried)).rows.length > 0;
    });
    await killVerifiers();
    await locker.query('ROLLBACK');
    const rows = await locker.query('SELECT attempts FROM verifier.callback WHERE subject = $1', [state]);
    expect(rows.rows).toEqual([{ attempts: 1 }]);
    await locker.end();
    answer = () => 204;
    await restartVerifiers();
    await until(() => about(state).length === 2);
    expect(idsOf(about(state)).size).toBe(1);
    expect(new Set(about(state).map(({ text }) => text)).size).toBe(1);
  });
});
