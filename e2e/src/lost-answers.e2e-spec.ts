import { createWallet } from '@vestibule/demo-wallet';
import { until } from '@vestibule/testkit';
import { startAnswerCutter, type AnswerCutter } from './answer-cutter';
import { CLAIMS, offerCredential } from './flows';
import { createHolder, type Members } from './handmade-credential';
import { joinIssuanceBench, type HandmadeWallet, type IssuanceBench, type OpenedOffer } from './issuance-bench';
import { createPool, type RowSource } from './look-into-database';

let bench: IssuanceBench;
let cutter: AnswerCutter;
let rows: RowSource;
beforeAll(async () => {
  bench = await joinIssuanceBench('later');
  cutter = await startAnswerCutter(bench.stage.stack.issuerUrl);
  rows = createPool(bench.stage.database.adminUrl);
});
afterAll(async () => {
  await rows?.close();
  await cutter?.stop();
  await bench?.stop();
});

const EVENTS = ['OFFER_CREATED', 'ISSUED'];
const later = { deferred: true, claims: {} };
const management = (method: 'PATCH' | 'DELETE', { offerId }: { offerId: string }, path: string, body?: object) =>
  bench.stage.management(method, `/offers/${offerId}${path}`, body);
const answered = ({ status, json }: { status: number; json: Members }) => [status, json['error']];
const DENIED = [400, 'credential_request_denied'];
/** What is kept for the token of an offer. */
async function keptOf({ offerId }: { offerId: string }): Promise<number> {
  const id = Buffer.from(offerId, 'base64url').toString('hex');
  const kept = await rows.query(
    `SELECT FROM issuer.kept_answer JOIN issuer.access_token USING (token_digest) WHERE offer_id = '\\x${id}'`,
  );
  return kept.length;
}

describe('a wallet of a third party whose connection breaks between commit and answer', () => {
  const patient = () => createWallet({ fetch: cutter.fetch });

  it.each([
    ['VCI:T20 the token', '/token', {}],
    ['VCI:P8 the credential', '/credential', {}],
    ['VCI:P8 a batch of credentials', '/credential', { batch: 3 }],
    ['VCI:P8 VCI:E5 an encrypted credential', '/credential', { encrypt: true }],
  ] as const)('%s: repeats its request, and holds what the backend was told', async (_what, path, options) => {
    const offer = await offerCredential(bench.stage, { tx_code: {} });
    const lost = cutter.lost;
    cutter.cutNext(path);
    const credentials = await patient().redeemOffer(offer.uri, {
      retries: 1,
      txCode: offer.txCode as string,
      ...options,
    });
    expect(cutter.lost).toBe(lost + 1);
    expect(credentials).toHaveLength('batch' in options ? options.batch : 1);
    expect(await bench.statusesOf(offer, 2)).toEqual(EVENTS);
  });

  it.each([
    ['for a promise', '/credential'],
    ['for what was promised', '/deferred_credential'],
  ])('VCI:F2 VCI:P8 repeats its request %s', async (_what, path) => {
    const offer = await offerCredential(bench.stage, later);
    const lost = cutter.lost;
    cutter.cutNext(path);
    const { deferred } = await patient().redeem(offer.uri, { retries: 1 });
    expect((await management('PATCH', offer, '', { claims: CLAIMS })).status).toBe(200);
    expect(await deferred[0]?.collect()).toHaveLength(1);
    expect(cutter.lost).toBe(lost + 1);
    expect(await bench.statusesOf(offer, 2)).toEqual(EVENTS);
  });
});

/** A wallet that got its credential, and everything that it did it with. */
async function issued(extra: object = {}) {
  const [wallet, offer] = [bench.createWallet(), await bench.offer(extra)];
  const token = await wallet.token(offer);
  const body = await wallet.body();
  const answer = await wallet.post('credential', token, body);
  expect(answer.status).toBe(200);
  return { wallet, offer, token, body, answer };
}

async function fetchLater(wallet: HandmadeWallet, offer: OpenedOffer) {
  const token = await wallet.token(offer);
  const { json } = await wallet.post('credential', token, await wallet.body());
  await management('PATCH', offer, '', { claims: CLAIMS });
  const ask = () => wallet.post('deferred_credential', token, { transaction_id: json['transaction_id'] });
  return { token, ask };
}

describe('an answer that is asked for again', () => {
  it('VCI:P8 is the same to the byte, with the old nonce, a new one and one that nobody made; the backend hears once', async () => {
    const { wallet, offer, token, body, answer } = await issued();
    expect(await wallet.post('credential', token, body)).toMatchObject({ status: 200, text: answer.text });
    for (const nonce of [await wallet.nonce(), 'of-nobody']) {
      const again = await wallet.body({ proofs: { jwt: [wallet.keyProof(nonce)] } });
      expect(await wallet.post('credential', token, again)).toMatchObject({ status: 200, text: answer.text });
    }
    expect(await bench.statusesOf(offer, 2)).toEqual(EVENTS);
    expect(await bench.remainsOf(offer)).toMatchObject({ status: 'ISSUED', held: [] });
  });

  it('VCI:F2 is the same for a promised credential', async () => {
    const offer = await bench.offer(later);
    const { ask } = await fetchLater(bench.createWallet(), offer);
    const first = await ask();
    expect(first.status).toBe(200);
    expect(await ask()).toMatchObject({ status: 200, text: first.text });
    expect(await bench.statusesOf(offer, 2)).toEqual(EVENTS);
  });

  it('VCI:P8 is denied for other keys, for more keys, and for the same ones in another order', async () => {
    const { wallet, token } = await issued();
    const nonce = await wallet.nonce();
    const [own, other] = [wallet.keyProof(nonce), wallet.keyProof(nonce, { signer: createHolder() })];
    for (const jwt of [[other], [own, other], [other, own]]) {
      const request = await wallet.body({ proofs: { jwt } });
      expect(answered(await wallet.post('credential', token, request))).toEqual(DENIED);
    }
  });

  it('VCI:P8 VCI:F2 is denied for a promise when the credential was issued for other keys', async () => {
    const [wallet, offer] = [bench.createWallet(), await bench.offer(later)];
    const token = await wallet.token(offer);
    expect((await wallet.post('credential', token, await wallet.body())).status).toBe(202);
    await management('PATCH', offer, '', { claims: CLAIMS });
    const proofs = { jwt: [wallet.keyProof(await wallet.nonce(), { signer: createHolder() })] };
    expect((await wallet.post('credential', token, await wallet.body({ proofs }))).status).toBe(200);
    expect(answered(await wallet.post('credential', token, await wallet.body()))).toEqual(DENIED);
    expect(await bench.statusesOf(offer, 2)).toEqual(EVENTS);
  });

  it('VCI:D6 is nothing for a stolen token: not without its DPoP key, and not with a proof that was sent', async () => {
    const { token, body, wallet } = await issued();
    const thief = bench.createWallet();
    expect(answered(await thief.post('credential', token, body))).toEqual([401, 'invalid_token']);
    const proof = wallet.dpop('credential', token);
    const sent = (right: { headers: readonly (readonly [string, string])[] }) => ({
      headers: [...right.headers.filter(([name]) => name !== 'dpop'), ['dpop', proof] as const],
    });
    expect((await wallet.post('credential', token, body, sent)).status).toBe(200);
    expect(answered(await wallet.post('credential', token, body, sent))).toEqual([401, 'invalid_dpop_proof']);
  });

  it('VCI:P8 is nothing for the token of another offer, though keys and wallet are the same', async () => {
    const { wallet, body } = await issued();
    const second = await wallet.token(await bench.offer());
    expect(answered(await wallet.post('credential', second, body))).toEqual([400, 'invalid_nonce']);
  });

  it('VCI:P8 is judged as always: a key proof with another signature is invalid_proof', async () => {
    const { wallet, token } = await issued();
    const signature = (right: string) => `${right.slice(0, -12)}AAAAAAAAAAAA`;
    const proofs = { jwt: [wallet.keyProof(await wallet.nonce(), { signature })] };
    const answer = await wallet.post('credential', token, await wallet.body({ proofs }));
    expect(answered(answer)).toEqual([400, 'invalid_proof']);
  });
});

describe('the end of a kept answer', () => {
  it.each(['credential_accepted', 'credential_failure', 'credential_deleted'])(
    'VCI:P10 VCI:F13 comes with the notification %s',
    async (event) => {
      const { wallet, offer, token, body, answer } = await issued();
      expect(await keptOf(offer)).toBeGreaterThan(0);
      const notification = { notification_id: answer.json['notification_id'], event };
      expect((await wallet.post('notification', token, notification)).status).toBe(204);
      expect(await keptOf(offer)).toBe(0);
      expect(answered(await wallet.post('credential', token, body))).toEqual(DENIED);
    },
  );

  it('VCI:P10 comes with the revocation of the credential, and not with its suspension', async () => {
    const { wallet, offer, token, body } = await issued();
    await management('PATCH', offer, '/status', { status: 'suspended' });
    expect((await wallet.post('credential', token, body)).status).toBe(200);
    expect((await management('PATCH', offer, '/status', { status: 'revoked' })).status).toBe(200);
    expect(await keptOf(offer)).toBe(0);
    expect(answered(await wallet.post('credential', token, body))).toEqual(DENIED);
  });

  it('VCI:P10 comes at the end of its time, and what is overdue is not given even where nothing has swept', async () => {
    const { wallet, offer, token, body } = await issued();
    const id = Buffer.from(offer.offerId, 'base64url').toString('hex');
    await rows.query(`UPDATE issuer.kept_answer SET expires_at = now() FROM issuer.access_token AS token
      WHERE token.token_digest = kept_answer.token_digest AND offer_id = '\\x${id}'`);
    expect(answered(await wallet.post('credential', token, body))).toEqual(DENIED);
    await until(async () => (await keptOf(offer)) === 0);
  });
});

describe('a redeemed code that comes again', () => {
  const again = (wallet: HandmadeWallet, offer: OpenedOffer, changes = {}) =>
    wallet.askToken(wallet.form(offer, changes));
  const REFUSED = [400, 'invalid_grant'];
  const wrongFor = ({ txCode }: OpenedOffer) => (txCode === '000000' ? '000001' : '000000');

  it.each([
    ['without a transaction code', {}],
    ['with one', { tx_code: {} }],
  ])('VCI:T20 gives the same token to the same wallet: %s', async (_what, extra) => {
    const [wallet, offer] = [bench.createWallet(), await bench.offer(extra)];
    const first = await again(wallet, offer);
    const second = await again(wallet, offer);
    expect([first.status, second.status]).toEqual([200, 200]);
    expect(second.json['access_token']).toBe(first.json['access_token']);
    const token = first.json['access_token'] as string;
    expect((await wallet.post('credential', token, await wallet.body())).status).toBe(200);
  });

  it('VCI:T20 VCI:T10 changes nothing for a bystander: no code, a wrong one, another key without a code', async () => {
    const [wallet, bystander] = [bench.createWallet(), bench.createWallet()];
    for (const extra of [{}, { tx_code: {} }]) {
      const offer = await bench.offer(extra);
      const token = await wallet.token(offer);
      const tries = [{ tx_code: undefined }, { tx_code: wrongFor(offer) }];
      for (const changes of tries) {
        for (let time = 0; time < 6; time += 1)
          expect(answered(await again(bystander, offer, changes))).toEqual(REFUSED);
        if ('tx_code' in extra) expect(answered(await again(wallet, offer, changes))).toEqual(REFUSED);
      }
      expect(await bench.remainsOf(offer)).toMatchObject({ status: 'OFFER_CREATED', tx_code_attempts: 0 });
      expect((await wallet.post('credential', token, await wallet.body())).status).toBe(200);
      expect(await bench.statusesOf(offer, 2)).toEqual(EVENTS);
    }
  });

  it('VCI:T20 with the right transaction code and another key revokes the token that it gave', async () => {
    const [thief, owner] = [bench.createWallet(), bench.createWallet()];
    const offer = await bench.offer({ tx_code: {} });
    const token = await thief.token(offer);
    expect(answered(await again(owner, offer))).toEqual(REFUSED);
    expect(answered(await thief.post('credential', token, await thief.body()))).toEqual([401, 'invalid_token']);
    expect(answered(await again(thief, offer))).toEqual(REFUSED);
    expect(await bench.remainsOf(offer)).toMatchObject({ status: 'OFFER_CREATED', tx_code_attempts: 0 });
  });

  it('VCI:T20 does so after ISSUED, too: the thief is not answered again', async () => {
    const { wallet: thief, offer, token, body } = await issued({ tx_code: {} });
    expect(answered(await again(bench.createWallet(), offer))).toEqual(REFUSED);
    expect(await keptOf(offer)).toBe(0);
    expect(answered(await thief.post('credential', token, body))).toEqual([401, 'invalid_token']);
    expect(await bench.statusesOf(offer, 2)).toEqual(EVENTS);
  });
});
