import { issuanceEvent } from '@vestibule/contracts';
import type { DeferredIssuance, Issuance, RedeemOptions } from '@vestibule/demo-wallet';
import { CLAIMS, offerCredential, type Offer } from './flows';
import { joinStage, type Answer, type SharedStage } from './stage';

let stage: SharedStage;
beforeAll(async () => {
  stage = await joinStage('later');
});
afterAll(() => stage?.stop());

const refusal = (error: string) => expect.objectContaining({ error });
const patch = (offer: Offer, body: object) => stage.management('PATCH', `/offers/${offer.offerId}`, body);
const view = async (offer: Offer) => (await stage.management('GET', `/offers/${offer.offerId}`)).body;
const codeOf = ({ status, body }: Answer) => [status, body['code']];
const offerLater = (extra: object = {}) => offerCredential(stage, { deferred: true, claims: {}, ...extra });

async function statusesOf(offer: Offer, count = 2): Promise<unknown[]> {
  const events = await stage.callbacksOf(offer.offerId, count);
  for (const event of events) expect(issuanceEvent.safeParse(event).success).toBe(true);
  return events.map(({ status }) => status);
}

/** A wallet redeems an offer whose claims are to come. */
async function promised(offer: Offer, options: RedeemOptions = {}): Promise<DeferredIssuance> {
  const issuance: Issuance = await stage.createWallet().redeem(offer.uri, options);
  expect([issuance.credentials.length, issuance.deferred.length]).toEqual([0, 1]);
  return issuance.deferred[0] as DeferredIssuance;
}

describe('issuance with encryption to a wallet of a third party', () => {
  it.each<[string, object, RedeemOptions]>([
    ['one credential', {}, {}],
    ['a batch of 10', {}, { batch: 10 }],
    ['one credential with a transaction code', { tx_code: {} }, {}],
  ])('VCI:E1 VCI:E5 VCI:L1 request and answer are encrypted: %s', async (_what, extra, options) => {
    const offer = await offerCredential(stage, extra);
    const txCode = offer.txCode === undefined ? {} : { txCode: offer.txCode };
    const credentials = await stage.createWallet().redeemOffer(offer.uri, { encrypt: true, ...options, ...txCode });
    expect(credentials).toHaveLength(Number(options.batch ?? 1));
    expect(await statusesOf(offer)).toEqual(['OFFER_CREATED', 'ISSUED']);
  });

  it('VCI:E6 VCI:E10 so are a promise and what is fetched later, in a batch', async () => {
    const offer = await offerLater();
    const deferred = await promised(offer, { encrypt: true, batch: 3 });
    expect(await deferred.collect()).toBeUndefined();
    expect((await patch(offer, { claims: CLAIMS })).status).toBe(200);
    expect(await deferred.collect()).toHaveLength(3);
    expect(await statusesOf(offer)).toEqual(['OFFER_CREATED', 'ISSUED']);
  });

  it('VCI:E7 an error is never encrypted', async () => {
    const offer = await offerCredential(stage);
    const wallet = stage.createWallet();
    const faulty = wallet.redeemOffer(offer.uri, { encrypt: true, faults: { nonce: 'A'.repeat(48) } });
    await expect(faulty).rejects.toMatchObject(refusal('invalid_nonce'));
  });
});

describe('deferred issuance to a wallet of a third party', () => {
  it('VCI:F3 VCI:F6 VCI:P5 is promised until the backend gives the claims, then ISSUED', async () => {
    const offer = await offerLater({ tx_code: {} });
    const deferred = await promised(offer, { txCode: offer.txCode as string });
    expect(deferred.intervalSeconds).toBe(2);
    expect([await deferred.collect(), await deferred.collect()]).toEqual([undefined, undefined]);
    const waiting = await view(offer);
    expect(waiting).toMatchObject({ status: 'OFFER_CREATED', deferral: 'waiting' });
    expect(Date.parse(waiting['expires_at'] as string)).toBeLessThan(Date.now() + 61_000);
    expect((await patch(offer, { claims: CLAIMS })).body).toMatchObject({ status: 'OFFER_CREATED', deferral: 'ready' });
    const [credential, ...more] = (await deferred.collect()) ?? [];
    expect([credential?.payload['vct'], more]).toEqual([stage.vct, []]);
    expect(await statusesOf(offer)).toEqual(['OFFER_CREATED', 'ISSUED']);
    expect(await view(offer)).toMatchObject({ status: 'ISSUED', notification: { event: 'credential_accepted' } });
    await expect(deferred.collect()).rejects.toMatchObject(refusal('invalid_transaction_id'));
    expect(codeOf(await patch(offer, { claims: CLAIMS }))).toEqual([409, 'credential_offer_ended']);
  });

  it('VCI:P5 is no promise when the claims came before the wallet', async () => {
    const offer = await offerLater();
    await patch(offer, { claims: { ...CLAIMS, given_name: 'Grace' } });
    await patch(offer, { claims: CLAIMS });
    expect(await stage.createWallet().redeemOffer(offer.uri)).toHaveLength(1);
    expect(await statusesOf(offer)).toEqual(['OFFER_CREATED', 'ISSUED']);
  });

  it.each<[string, (offer: Offer) => Promise<Answer>, number, RegExp]>([
    ['denies', (offer) => patch(offer, { status: 'denied' }), 200, /^issuance_denied: /],
    ['cancels', (offer) => stage.management('DELETE', `/offers/${offer.offerId}`), 204, /^offer_cancelled: /],
  ])('VCI:F4 is FAILED when the backend %s it, and the wallet hears that', async (_what, end, status, details) => {
    const offer = await offerLater();
    const deferred = await promised(offer);
    expect((await end(offer)).status).toBe(status);
    const ended = await view(offer);
    expect([ended['status'], ended['deferral']]).toEqual(['FAILED', undefined]);
    await expect(deferred.collect()).rejects.toMatchObject(refusal('credential_request_denied'));
    expect(await statusesOf(offer)).toEqual(['OFFER_CREATED', 'FAILED']);
    const [, failed] = await stage.callbacksOf(offer.offerId, 2);
    expect(failed?.['errorDetails']).toMatch(details);
  });

  it('refuses claims of an offer that is not deferred, unknown or given wrongly', async () => {
    const plain = await offerCredential(stage);
    expect(codeOf(await patch(plain, { claims: CLAIMS }))).toEqual([409, 'credential_offer_not_deferred']);
    const unknown = { ...plain, offerId: 'A'.repeat(32) };
    expect(codeOf(await patch(unknown, { claims: CLAIMS }))).toEqual([404, 'credential_offer_not_found']);
    const later = await offerLater();
    const answer = await patch(later, { claims: { given_name: 'Ada', shoe_size: 44 }, extra: 1 });
    expect(codeOf(answer)).toEqual([400, 'invalid_request']);
    const paths = (answer.body['errors'] as { path: string }[]).map(({ path }) => path).sort();
    expect(paths).toEqual(['claims.family_name', 'claims.shoe_size', 'extra']);
    expect(await view(later)).toMatchObject({ deferral: 'waiting' });
  });
});

describe('notifications of a wallet of a third party', () => {
  it.each(['credential_accepted', 'credential_failure', 'credential_deleted'] as const)(
    'VCI:F7 VCI:F8 %s is kept for the backend to see, and makes no callback',
    async (event) => {
      const offer = await offerCredential(stage);
      await stage.createWallet().redeemOffer(offer.uri, { notify: event });
      expect(await view(offer)).toMatchObject({ status: 'ISSUED', notification: { event } });
      expect(await statusesOf(offer)).toEqual(['OFFER_CREATED', 'ISSUED']);
    },
  );

  it('VCI:F12 none is needed', async () => {
    const offer = await offerCredential(stage);
    await stage.createWallet().redeemOffer(offer.uri, { notify: false });
    expect(await view(offer)).not.toHaveProperty('notification');
    expect(await statusesOf(offer)).toEqual(['OFFER_CREATED', 'ISSUED']);
  });
});

describe('DELETE /offers/{offer_id}', () => {
  const cancel = (offerId: string) => stage.management('DELETE', `/offers/${offerId}`);

  it('ends an open offer as FAILED, after which it is worth nothing', async () => {
    const offer = await offerCredential(stage);
    const answer = await cancel(offer.offerId);
    expect([answer.status, answer.body]).toEqual([204, {}]);
    expect(await statusesOf(offer)).toEqual(['OFFER_CREATED', 'FAILED']);
    expect(codeOf(await cancel(offer.offerId))).toEqual([409, 'credential_offer_ended']);
    await expect(stage.createWallet().redeemOffer(offer.uri)).rejects.toMatchObject({ status: 404 });
    expect(codeOf(await cancel('A'.repeat(32)))).toEqual([404, 'credential_offer_not_found']);
  });
});
