import { endIn } from './flows';
import { createHolder } from './handmade-credential';
import {
  startIssuanceBench,
  type HandmadeWallet,
  type IssuanceBench,
  type OpenedOffer,
  type RawAnswer,
} from './issuance-bench';
import type { Stage } from './stage';

let bench: IssuanceBench<Stage>;
beforeAll(async () => {
  bench = await startIssuanceBench({ environment: { issuer: { DEFERRED_SECONDS: '60' } } });
});
afterAll(() => bench?.stop());

const answered = ({ status, json }: RawAnswer) => [status, json['error']];
const wrongCodeOf = ({ txCode }: OpenedOffer) => (txCode === '000000' ? '000001' : '000000');
const tryWrongCode = (wallet: HandmadeWallet, offer: OpenedOffer) =>
  wallet.askToken(wallet.form(offer, { tx_code: wrongCodeOf(offer) }));

/** What a wallet does to an offer, with the HTTP answer to the last of it. */
type Act = (wallet: HandmadeWallet, offer: OpenedOffer) => Promise<RawAnswer>;

/** The wallet has a token, and then asks for the credential. */
const askForCredential: Act = async (wallet, offer) =>
  wallet.post('credential', await wallet.token(offer), await wallet.body());

describe('a wrong transaction code', () => {
  it('VCI:T10 a wrong transaction code below the limit is counted, and a missing one is not', async () => {
    const offer = await bench.offer({ tx_code: {} });
    const wallet = bench.createWallet();
    for (let attempt = 1; attempt <= 4; attempt += 1) {
      expect(answered(await tryWrongCode(wallet, offer))).toEqual([400, 'invalid_grant']);
      expect(answered(await wallet.askToken(wallet.form(offer, { tx_code: undefined })))).toEqual([
        400,
        'invalid_request',
      ]);
      expect(await bench.remainsOf(offer)).toMatchObject({ status: 'OFFER_CREATED', tx_code_attempts: attempt });
    }
    expect((await wallet.post('credential', await wallet.token(offer), await wallet.body())).status).toBe(200);
  });
});

/** Everything that ends an offer: the answer to the last request, the callbacks, and nothing left in the database. */
interface Ending {
  readonly what: string;
  readonly extra?: object;
  readonly act: Act;
  readonly status: number;
  readonly error?: string;
  readonly end: 'ISSUED' | 'FAILED' | 'EXPIRED';
  readonly details?: RegExp;
}

const management = (method: 'PATCH' | 'DELETE', { offerId }: OpenedOffer, body?: object) =>
  bench.stage.management(method, `/offers/${offerId}`, body);
const later = { deferred: true, claims: {} };

async function promisedTo(wallet: HandmadeWallet, offer: OpenedOffer) {
  const token = await wallet.token(offer);
  const { status, json } = await wallet.post('credential', token, await wallet.body());
  expect(status).toBe(202);
  expect(await bench.remainsOf(offer)).toMatchObject({ status: 'OFFER_CREATED' });
  return () => wallet.post('deferred_credential', token, { transaction_id: json['transaction_id'] });
}

const ENDINGS: readonly Ending[] = [
  { what: 'VCI:P1 a right request', act: askForCredential, status: 200, end: 'ISSUED' },
  {
    what: 'VCI:P8 a second request on the same token, for another key',
    async act(wallet, offer) {
      const token = await wallet.token(offer);
      await wallet.post('credential', token, await wallet.body());
      const proofs = { jwt: [wallet.keyProof(await wallet.nonce(), { signer: createHolder() })] };
      return wallet.post('credential', token, await wallet.body({ proofs }));
    },
    status: 400,
    error: 'credential_request_denied',
    end: 'ISSUED',
  },
  {
    what: 'VCI:T20 a code that was used, whose token stays good',
    async act(wallet, offer) {
      const token = await wallet.token(offer);
      expect(answered(await bench.createWallet().askToken(wallet.form(offer)))).toEqual([400, 'invalid_grant']);
      return wallet.post('credential', token, await wallet.body());
    },
    status: 200,
    end: 'ISSUED',
  },
  {
    what: 'VCI:T10 the fifth wrong transaction code',
    extra: { tx_code: {} },
    async act(wallet, offer) {
      for (let attempt = 1; attempt < 5; attempt += 1) await tryWrongCode(wallet, offer);
      return tryWrongCode(wallet, offer);
    },
    status: 400,
    error: 'invalid_grant',
    end: 'FAILED',
    details: /^tx_code_attempts_exceeded: /,
  },
  {
    what: 'VCI:T9 a code after its time',
    async act(wallet, offer) {
      await endIn(bench.stage, 0, offer.offerId);
      await bench.stage.callbacksOf(offer.offerId, 2);
      return wallet.askToken(wallet.form(offer));
    },
    status: 400,
    error: 'invalid_grant',
    end: 'EXPIRED',
  },
  {
    what: 'VCI:T15 a token after its time',
    async act(wallet, offer) {
      const token = await wallet.token(offer);
      await endIn(bench.stage, 0, offer.offerId);
      await bench.stage.callbacksOf(offer.offerId, 2);
      return wallet.post('credential', token, await wallet.body());
    },
    status: 401,
    error: 'invalid_token',
    end: 'EXPIRED',
  },
  {
    what: 'a cancel by the backend',
    async act(wallet, offer) {
      const token = await wallet.token(offer);
      expect((await management('DELETE', offer)).status).toBe(204);
      return wallet.post('credential', token, await wallet.body());
    },
    status: 401,
    error: 'invalid_token',
    end: 'FAILED',
    details: /^offer_cancelled: /,
  },
  {
    what: 'VCI:F2 VCI:P8 a promise that is kept, and asked for again',
    extra: later,
    async act(wallet, offer) {
      const ask = await promisedTo(wallet, offer);
      await management('PATCH', offer, { claims: { given_name: 'Ada', family_name: 'Example' } });
      expect((await ask()).status).toBe(200);
      return ask();
    },
    status: 200,
    end: 'ISSUED',
  },
  {
    what: 'VCI:F4 a promise that the backend does not keep',
    extra: later,
    async act(wallet, offer) {
      const ask = await promisedTo(wallet, offer);
      await management('PATCH', offer, { status: 'denied' });
      return ask();
    },
    status: 400,
    error: 'credential_request_denied',
    end: 'FAILED',
    details: /^issuance_denied: /,
  },
  {
    what: 'VCI:F8 VCI:F9 notifications after ISSUED',
    async act(wallet, offer) {
      const token = await wallet.token(offer);
      const { json } = await wallet.post('credential', token, await wallet.body());
      const body = { notification_id: json['notification_id'], event: 'credential_failure' };
      expect((await wallet.post('notification', token, body)).status).toBe(204);
      return wallet.post('notification', token, body);
    },
    status: 204,
    end: 'ISSUED',
  },
];

describe('what ends an offer does it once, with one callback, and leaves nothing of it:', () => {
  it.each(ENDINGS.map((ending) => [ending.what, ending] as const))('%s', async (_what, ending) => {
    const offer = await bench.offer(ending.extra);
    expect(answered(await ending.act(bench.createWallet(), offer))).toEqual([ending.status, ending.error]);
    const [created, ended, ...more] = await bench.stage.callbacksOf(offer.offerId, 2);
    const { offerId } = offer;
    expect(created).toEqual({ eventId: offerId, status: 'OFFER_CREATED', offerId });
    const details = ending.details ? { errorDetails: expect.stringMatching(ending.details) as string } : {};
    expect(ended).toEqual({ eventId: offerId, status: ending.end, offerId, ...details });
    expect(more).toEqual([]);
    expect(await bench.remainsOf(offer)).toMatchObject({ status: ending.end, held: [] });
  });
});

describe('without the issuer', () => {
  it('a wallet hears 503 with Retry-After, and the offer stays for later', async () => {
    const offer = await bench.offer();
    const wallet = bench.createWallet();
    const token = await wallet.token(offer);
    const body = await wallet.body();
    // What was delivered a moment before a crash may be delivered again.
    await bench.stage.untilDelivered([offer.offerId]);
    await bench.stage.stack.process('issuer').kill('SIGKILL');
    const { status, json, headers } = await wallet.post('credential', token, body);
    expect([status, json['error'], Number(headers['retry-after']) > 0]).toEqual([503, 'server_error', true]);
    await bench.stage.stack.process('issuer').restart();
    expect((await wallet.post('credential', token, body)).status).toBe(200);
    expect(await bench.statusesOf(offer, 2)).toEqual(['OFFER_CREATED', 'ISSUED']);
  });
});
