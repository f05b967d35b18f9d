import { decodeJwt } from 'jose';
import { CLAIMS, offerCredential, type Offer } from './flows';
import type * as secondWallet from './second-wallet';
import { fetchWithProof } from './second-wallet-fetch';
import { joinStage, type SharedStage } from './stage';

let wallet: typeof secondWallet;
let stage: SharedStage;
beforeAll(async () => {
  jest.doMock('cross-fetch', () => Object.assign(fetchWithProof.bind(undefined), { default: fetchWithProof }));
  wallet = jest.requireActual<typeof secondWallet>('./second-wallet');
  // The library tells each time that there is no authorization endpoint, and shows each deferred answer.
  for (const method of ['warn', 'log', 'info'] as const)
    jest.spyOn(console, method).mockImplementation(() => undefined);
  stage = await joinStage('nonces');
});
afterAll(async () => {
  jest.dontMock('cross-fetch');
  jest.restoreAllMocks();
  await stage?.stop();
});

const confirmedX = (credential: string) =>
  (decodeJwt(credential.split('~')[0] ?? '')['cnf'] as { jwk: { x: string } }).jwk.x;
const patch = (offer: Offer, body: object) => stage.management('PATCH', `/offers/${offer.offerId}`, body);
const view = async (offer: Offer) => (await stage.management('GET', `/offers/${offer.offerId}`)).body;
const statusesOf = async ({ offerId }: Offer) => (await stage.callbacksOf(offerId, 2)).map(({ status }) => status);
const offerLater = (extra: object = {}) => offerCredential(stage, { deferred: true, claims: {}, ...extra });

describe('deferred issuance to a second wallet library, with DPoP nonces', () => {
  it('VCI:F1 VCI:F3 VCI:F7 is promised, then issued in a batch of ten, then reported on', async () => {
    const offer = await offerLater({ tx_code: {} });
    const promised = await wallet.promiseToSecondWallet(offer.uri, { batch: 10, txCode: offer.txCode as string });
    expect(promised.intervalSeconds).toBe(2);
    expect([await promised.collect(), await promised.collect()]).toEqual([undefined, undefined]);
    expect((await patch(offer, { claims: CLAIMS })).status).toBe(200);
    const credentials = (await promised.collect()) ?? [];
    expect(credentials.map(confirmedX)).toEqual(promised.keys.map(({ x }) => x));
    expect(new Set(credentials.map(confirmedX)).size).toBe(10);
    expect(await promised.notify('credential_accepted')).toMatchObject({ error: false });
    expect(await view(offer)).toMatchObject({ status: 'ISSUED', notification: { event: 'credential_accepted' } });
    expect(await statusesOf(offer)).toEqual(['OFFER_CREATED', 'ISSUED']);
  });

  it('VCI:F2 VCI:P8 VCI:F10 is the same when it is asked for again, and what is no id of its answer reports on nothing', async () => {
    const offer = await offerLater();
    const promised = await wallet.promiseToSecondWallet(offer.uri);
    await patch(offer, { claims: CLAIMS });
    const credentials = await promised.collect();
    expect(credentials).toHaveLength(1);
    expect(await promised.collect()).toEqual(credentials);
    const refused = await promised.notify('credential_accepted', 'A'.repeat(43));
    expect(refused).toMatchObject({ error: true, response: { error: 'invalid_notification_id' } });
    expect(await view(offer)).not.toHaveProperty('notification');
  });

  it('VCI:F4 hears that the backend denied the credential', async () => {
    const offer = await offerLater();
    const promised = await wallet.promiseToSecondWallet(offer.uri);
    expect((await patch(offer, { status: 'denied' })).status).toBe(200);
    await expect(promised.collect()).rejects.toThrow('credential_request_denied');
    expect(await statusesOf(offer)).toEqual(['OFFER_CREATED', 'FAILED']);
  });
});
