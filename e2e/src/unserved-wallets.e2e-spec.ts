import { createWallet, type Wallet } from '@vestibule/demo-wallet';
import { until } from '@vestibule/testkit';
import { endIn, issueTo, offerCredential, requestPresentation } from './flows';
import { createPool, type RowSource } from './look-into-database';
import { FLOWS, startStage, type Stage } from './stage';

let stage: Stage;
let wallet: Wallet;
let rows: RowSource;
beforeAll(async () => {
  stage = await startStage({ apps: FLOWS });
  wallet = stage.createWallet();
  await issueTo(stage, wallet);
  rows = createPool(stage.database.adminUrl);
});
afterAll(async () => {
  await rows?.close();
  await stage?.stop();
});

const NOT_SERVED = expect.stringMatching(/^wallet_not_served: /);
const TABLES = {
  verifier: ['verifier.presentation_request', 'state'],
  issuer: ['issuer.credential_offer', 'offer_id'],
} as const;
type Service = keyof typeof TABLES;

async function isMarked(service: Service, id: string): Promise<boolean> {
  const [table, key] = TABLES[service];
  const hex = Buffer.from(id, 'base64url').toString('hex');
  const [row] = await rows.query<{ marked: boolean }>(
    `SELECT unserved_at IS NOT NULL AS marked FROM ${table} WHERE ${key} = '\\x${hex}'`,
  );
  return row?.marked === true;
}
const untilMarked = (service: Service, id: string) => until(() => isMarked(service, id));

const post = async (url: string, form: Readonly<Record<string, string>>) =>
  (await fetch(url, { method: 'POST', body: new URLSearchParams({ ...form }) })).status;
const endsOf = async (id: string, count: number) =>
  (await stage.callbacksOf(id, count)).map(({ status, errorDetails }) => [status, errorDetails]).slice(count - 1);
const requestStatus = async (state: string) => (await stage.management('GET', `/oidc4vp/${state}`)).body['status'];
const offerStatus = async (offerId: string) => (await stage.management('GET', `/offers/${offerId}`)).body['status'];

async function asked() {
  const { state, crossDevice } = await requestPresentation(stage);
  return { state, ...(await wallet.buildPresentation(crossDevice)) };
}
type Asked = Awaited<ReturnType<typeof asked>>;

/** An offer, the address of its object and a token request with its code. */
async function offered() {
  const { offerId, uri } = await offerCredential(stage);
  const objectUri = new URL(uri).searchParams.get('credential_offer_uri') as string;
  const object = (await (await fetch(objectUri)).json()) as { grants: Record<string, Record<string, string>> };
  const [[grant_type = '', grant] = []] = Object.entries(object.grants);
  const form = { grant_type, 'pre-authorized_code': grant?.['pre-authorized_code'] ?? '' };
  return { offerId, uri, objectUri, form, tokenUrl: `${stage.stack.issuerUrl}/oidc4vci/token` };
}
type Offered = Awaited<ReturnType<typeof offered>>;

describe('while the verifier is away, wallets come with responses', () => {
  let [gone, returning, done]: Asked[] = [];
  beforeAll(async () => {
    [gone, returning, done] = [await asked(), await asked(), await asked()];
    expect((await wallet.send(done.responseUri, done.form)).status).toBe(200);
    // What was delivered a moment before a crash may be delivered again.
    await stage.untilDelivered([done.state]);
    const verifier = stage.stack.process('verifier');
    await verifier.kill('SIGKILL');
    for (const { responseUri, form } of [gone, returning, done]) expect(await post(responseUri, form)).toBe(503);
    await verifier.restart();
    for (const { state } of [gone, returning]) await untilMarked('verifier', state);
  });

  it('the request of one that does not come back stays open until its time is over, and is then PROCESSING_ERROR', async () => {
    const { state } = gone as Asked;
    expect(await requestStatus(state)).toBe('PENDING');
    await endIn(stage, 0, state);
    expect(await endsOf(state, 1)).toEqual([['PROCESSING_ERROR', NOT_SERVED]]);
    expect(await requestStatus(state)).toBe('PROCESSING_ERROR');
  });

  it('the request of one that comes back is FULFILLED', async () => {
    const { state, responseUri, form } = returning as Asked;
    expect((await wallet.send(responseUri, form)).status).toBe(200);
    expect((await stage.callbacksOf(state, 1)).map(({ status }) => status)).toEqual(['FULFILLED']);
  });

  it('a request that had ended stays as it was, and is told once', async () => {
    const { state } = done as Asked;
    expect(await isMarked('verifier', state)).toBe(false);
    expect((await stage.callbacksOf(state, 1)).map(({ status }) => status)).toEqual(['FULFILLED']);
  });
});

describe('requests whose time is over before the verifier is back', () => {
  let [inTime, late]: Asked[] = [];
  beforeAll(async () => {
    [inTime, late] = [await asked(), await asked()];
    const verifier = stage.stack.process('verifier');
    await verifier.kill('SIGKILL');
    expect(await post(inTime.responseUri, inTime.form)).toBe(503);
    // The report says how long ago the wallet came; what it takes on the bus of a busy machine makes that seem later.
    await endIn(stage, 500, inTime.state);
    await endIn(stage, -2_000, late.state);
    expect(await post(late.responseUri, late.form)).toBe(503);
    await verifier.restart();
  });

  it('are PROCESSING_ERROR where the wallet had come in time', async () => {
    expect(await endsOf((inTime as Asked).state, 1)).toEqual([['PROCESSING_ERROR', NOT_SERVED]]);
  });

  it('are EXPIRED where it came too late', async () => {
    expect(await endsOf((late as Asked).state, 1)).toEqual([['EXPIRED', undefined]]);
  });
});

describe('while Postgres or the bus is away', () => {
  it.each(['postgres', 'nats'] as const)(
    'a wallet that comes for the request object leaves a mark: %s',
    async (name) => {
      const { state, crossDevice } = await requestPresentation(stage);
      const requestUri = new URL(crossDevice).searchParams.get('request_uri') as string;
      stage.proxies[name].block();
      expect((await fetch(requestUri)).status).toBe(503);
      stage.proxies[name].heal();
      await untilMarked('verifier', state);
      await endIn(stage, 0, state);
      expect(await endsOf(state, 1)).toEqual([['PROCESSING_ERROR', NOT_SERVED]]);
    },
  );
});

describe('while the issuer is away, wallets come', () => {
  let [forOffer, forToken, returning, forCredential]: Offered[] = [];
  beforeAll(async () => {
    [forOffer, forToken] = [await offered(), await offered()];
    [returning, forCredential] = [await offered(), await offered()];
    await stage.untilDelivered([forOffer, forToken, returning, forCredential].map(({ offerId }) => offerId));
    const issuer = stage.stack.process('issuer');
    const interrupted = createWallet({
      fetch: async (input, init) => {
        if (String(input).endsWith('/credential')) await issuer.kill('SIGKILL');
        return fetch(input, init);
      },
    });
    await expect(interrupted.redeemOffer(forCredential.uri)).rejects.toMatchObject({ status: 503, step: 'credential' });
    expect((await fetch(forOffer.objectUri)).status).toBe(503);
    for (const { tokenUrl, form } of [forToken, returning]) expect(await post(tokenUrl, form)).toBe(503);
    await issuer.restart();
    for (const { offerId } of [forOffer, forToken, returning, forCredential]) await untilMarked('issuer', offerId);
  });

  it.each([
    ['the offer', () => forOffer],
    ['the token', () => forToken],
    ['the credential', () => forCredential],
  ])('for %s: the offer stays open until its time is over, and is then FAILED', async (_what, find) => {
    const { offerId } = find() as Offered;
    expect(await offerStatus(offerId)).toBe('OFFER_CREATED');
    await endIn(stage, 0, offerId);
    expect(await endsOf(offerId, 2)).toEqual([['FAILED', NOT_SERVED]]);
    expect(await offerStatus(offerId)).toBe('FAILED');
  });

  it('and come back: the offer is ISSUED', async () => {
    const { offerId, uri } = returning as Offered;
    expect(await stage.createWallet().redeemOffer(uri)).toHaveLength(1);
    expect((await stage.callbacksOf(offerId, 2)).map(({ status }) => status)).toEqual(['OFFER_CREATED', 'ISSUED']);
  });
});

describe('nobody else makes a mark', () => {
  it('what a stranger says wrong leaves requests and offers as they are: they are EXPIRED', async () => {
    const [{ state, responseUri }, { offerId, tokenUrl, form }] = [await asked(), await offered()];
    expect(await post(responseUri, { response: 'no JWE' })).toBe(400);
    expect(await post(tokenUrl, { ...form, tx_code: '1' })).toBe(400);
    await endIn(stage, 0, state, offerId);
    expect(await endsOf(state, 1)).toEqual([['EXPIRED', undefined]]);
    expect(await endsOf(offerId, 2)).toEqual([['EXPIRED', undefined]]);
  });
});
