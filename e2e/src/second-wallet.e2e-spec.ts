import { decodeJwt } from 'jose';
import { offerCredential } from './flows';
import { redeemWithSecondWallet, type SecondIssuance } from './second-wallet';
import { joinStage, type SharedStage } from './stage';

const confirmedX = ({ credentials }: SecondIssuance) =>
  credentials.map((credential) => (decodeJwt(credential.split('~')[0] ?? '')['cnf'] as { jwk: { x: string } }).jwk.x);

describe.each(['off', 'required'] as const)('a second wallet library, with DPoP nonces %s', (dpopNonce) => {
  let stage: SharedStage;
  beforeAll(async () => {
    // The library tells each time that there is no authorization endpoint.
    jest.spyOn(console, 'warn').mockImplementation(() => undefined);
    stage = await joinStage(dpopNonce === 'off' ? 'usual' : 'nonces');
  });
  afterAll(async () => {
    jest.restoreAllMocks();
    await stage?.stop();
  });

  const statusesOf = async (offerId: string) => (await stage.callbacksOf(offerId, 2)).map(({ status }) => status);

  it('VCI:O1 VCI:P1 VCI:D18 redeems an offer, and repeats its token request where a nonce is asked for', async () => {
    const offer = await offerCredential(stage);
    const issued = await redeemWithSecondWallet(offer.uri);
    expect(confirmedX(issued)).toEqual(issued.keys.map(({ x }) => x));
    expect(issued.dpopProofs).toBe(dpopNonce === 'off' ? 2 : 3);
    expect(await statusesOf(offer.offerId)).toEqual(['OFFER_CREATED', 'ISSUED']);
  });

  it('VCI:T6 redeems an offer with a transaction code, and not with a wrong one', async () => {
    const offer = await offerCredential(stage, { tx_code: { length: 8 } });
    const txCode = offer.txCode as string;
    const wrong = txCode === '00000000' ? '00000001' : '00000000';
    await expect(redeemWithSecondWallet(offer.uri, { txCode: wrong })).rejects.toThrow(/400/);
    expect((await redeemWithSecondWallet(offer.uri, { txCode })).credentials).toHaveLength(1);
    expect(await statusesOf(offer.offerId)).toEqual(['OFFER_CREATED', 'ISSUED']);
  });

  it('VCI:P3 VCI:N4 gets ten credentials with one nonce, each for its own key', async () => {
    const offer = await offerCredential(stage);
    const issued = await redeemWithSecondWallet(offer.uri, { batch: 10 });
    expect(confirmedX(issued)).toEqual(issued.keys.map(({ x }) => x));
    expect(new Set(confirmedX(issued)).size).toBe(10);
  });
});
