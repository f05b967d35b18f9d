import { endIn } from './flows';
import { createHolder } from './handmade-credential';
import { joinIssuanceBench, type IssuanceBench, type RawAnswer } from './issuance-bench';

let bench: IssuanceBench;
beforeAll(async () => {
  bench = await joinIssuanceBench('later');
});
afterAll(() => bench?.stop());

const answered = ({ status, json }: RawAnswer) => [status, json['error']];
const times = <T>(count: number, run: () => Promise<T>) => Promise.all(Array.from({ length: count }, run));

describe('requests at once', () => {
  it('VCI:T8 of 20 wallets with one code one gets the token', async () => {
    const offer = await bench.offer();
    const wallets = Array.from({ length: 20 }, () => bench.createWallet());
    const answers = await Promise.all(wallets.map((wallet) => wallet.askToken(wallet.form(offer))));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.map(answered).filter(([, error]) => error === 'invalid_grant')).toHaveLength(19);
  });

  it('VCI:T8 VCI:T20 of 20 token requests of one wallet with one code each gets the same token', async () => {
    const offer = await bench.offer({ tx_code: {} });
    const wallet = bench.createWallet();
    const answers = await times(20, () => wallet.askToken(wallet.form(offer)));
    expect(new Set(answers.map(({ status, json }) => `${status} ${String(json['access_token'])}`)).size).toBe(1);
    expect(answers[0]?.status).toBe(200);
  });

  it('VCI:T10 20 wrong transaction codes at once end the offer once', async () => {
    const offer = await bench.offer({ tx_code: {} });
    const wallet = bench.createWallet();
    const form = wallet.form(offer, { tx_code: offer.txCode === '000000' ? '000001' : '000000' });
    const answers = (await times(20, () => wallet.askToken(form))).map(answered);
    expect(new Set(answers.map(String))).toEqual(new Set(['400,invalid_grant']));
    expect(answered(await wallet.askToken(wallet.form(offer)))).toEqual([400, 'invalid_grant']);
    expect(await bench.statusesOf(offer, 2)).toEqual(['OFFER_CREATED', 'FAILED']);
  });

  it('VCI:P9 of 10 credential requests on one token, each for another key, one gets the credential', async () => {
    const offer = await bench.offer();
    const wallet = bench.createWallet();
    const token = await wallet.token(offer);
    const bodies = await times(10, async () =>
      wallet.body({ proofs: { jwt: [wallet.keyProof(await wallet.nonce(), { signer: createHolder() })] } }),
    );
    const answers = await Promise.all(bodies.map((body) => wallet.post('credential', token, body)));
    const denied = Array.from({ length: 9 }, () => '400,credential_request_denied');
    expect(answers.map((answer) => answered(answer).join()).sort()).toEqual(['200,', ...denied]);
    expect(await bench.statusesOf(offer, 2)).toEqual(['OFFER_CREATED', 'ISSUED']);
    const revoked = await bench.stage.management('PATCH', `/offers/${offer.offerId}/status`, { status: 'revoked' });
    expect(revoked.body).toMatchObject({ status: 'revoked', credentials: 1 });
  });

  it('VCI:P9 VCI:P8 of 10 equal credential requests at once, with one nonce or several, each gets the same answer', async () => {
    for (const isOneNonce of [true, false]) {
      const offer = await bench.offer();
      const wallet = bench.createWallet();
      const token = await wallet.token(offer);
      const body = await wallet.body();
      const bodies = await times(10, async () => (isOneNonce ? body : wallet.body()));
      const answers = await Promise.all(bodies.map((one) => wallet.post('credential', token, one)));
      expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
      expect(answers[0]?.status).toBe(200);
      expect(await bench.statusesOf(offer, 2)).toEqual(['OFFER_CREATED', 'ISSUED']);
      const revoked = await bench.stage.management('PATCH', `/offers/${offer.offerId}/status`, { status: 'revoked' });
      expect(revoked.body).toMatchObject({ status: 'revoked', credentials: 1 });
    }
  });

  it('VCI:F2 of 10 requests for a promised credential each gets the same one', async () => {
    const offer = await bench.offer({ deferred: true, claims: {} });
    const wallet = bench.createWallet();
    const token = await wallet.token(offer);
    const { json } = await wallet.post('credential', token, await wallet.body());
    const claims = { given_name: 'Ada', family_name: 'Example' };
    await bench.stage.management('PATCH', `/offers/${offer.offerId}`, { claims });
    const ask = () => wallet.post('deferred_credential', token, { transaction_id: json['transaction_id'] });
    const answers = await times(10, ask);
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect(answers[0]?.status).toBe(200);
    expect(await bench.statusesOf(offer, 2)).toEqual(['OFFER_CREATED', 'ISSUED']);
  });

  it('VCI:P9 issuing, expiring and cancelling at once: one end and one callback each', async () => {
    const offers = await times(12, () => bench.offer());
    const prepared = await Promise.all(
      offers.map(async (offer) => {
        const wallet = bench.createWallet();
        return { offer, wallet, token: await wallet.token(offer), body: await wallet.body() };
      }),
    );
    // Some are before their end, some after it, and some end about now.
    for (const [index, { offerId }] of offers.entries()) {
      await endIn(bench.stage, [-200, 0, 200, 60_000][index % 4] as number, offerId);
    }
    const answers = await Promise.all(
      prepared.map(async ({ offer, wallet, token, body }, index) => {
        const cancel = index % 3 === 0 ? bench.stage.management('DELETE', `/offers/${offer.offerId}`) : undefined;
        const answer = await wallet.post('credential', token, body);
        await cancel;
        return answer.status;
      }),
    );
    for (const [index, offer] of offers.entries()) {
      const [created, ended, ...more] = await bench.statusesOf(offer, 2);
      expect([created, more]).toEqual(['OFFER_CREATED', []]);
      expect(['ISSUED', 'FAILED', 'EXPIRED']).toContain(ended);
      expect(answers[index] === 200).toBe(ended === 'ISSUED');
      expect(await bench.remainsOf(offer)).toMatchObject({ status: ended, held: [] });
    }
  });

  it('VCI:J13 two proofs for one key give no credential, and two for two keys give two', async () => {
    const offer = await bench.offer();
    const wallet = bench.createWallet();
    const token = await wallet.token(offer);
    const nonce = await wallet.nonce();
    const twice = { jwt: [wallet.keyProof(nonce), wallet.keyProof(nonce)] };
    expect(answered(await wallet.post('credential', token, await wallet.body({ proofs: twice })))).toEqual([
      400,
      'invalid_proof',
    ]);
    const both = { jwt: [wallet.keyProof(nonce), wallet.keyProof(nonce, { signer: createHolder() })] };
    const { status, json } = await wallet.post('credential', token, await wallet.body({ proofs: both }));
    expect([status, (json['credentials'] as unknown[]).length]).toEqual([200, 2]);
  });
});
