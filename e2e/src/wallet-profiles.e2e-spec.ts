import { createWalletBox, WALLET_PROFILES, type IssuerIdentity, type WalletBox } from '@vestibule/wallet-box';
import { joinBench, type JoinedBench } from './checklist-bench';
import { offerCredential, requestPresentation } from './flows';
import { joinStage, type SharedStage } from './stage';

let bench: JoinedBench;
let stage: SharedStage;
let issuer: IssuerIdentity;
beforeAll(async () => {
  [bench, stage] = await Promise.all([joinBench(), joinStage()]);
  issuer = { ...bench.pki.issuer, issuer: 'https://issuer.example' };
});
afterAll(async () => {
  await bench?.stop();
  await stage?.stop();
});

function openAs(name: string): WalletBox {
  const profile = WALLET_PROFILES.find((one) => one.name === name);
  if (profile === undefined) throw new Error(`no profile ${name}`);
  const wait = () => Promise.resolve();
  return createWalletBox({ issuer, profile, now: () => new Date(), wait, slowMilliseconds: 0 });
}

const statusOf = async (at: SharedStage, address: string) => (await at.management('GET', address)).body['status'];

/** How this verifier records an answer and a decline of each known wallet. */
const ENDS: Readonly<Record<string, readonly [present: string, decline: string]>> = {
  'eudi-kotlin': ['FULFILLED', 'REJECTED'],
  paradym: ['FULFILLED', 'REJECTED'],
  // OpenID4VP 1.0 §8.5 requires the state of the request in an error: without it, the request stays open.
  swiyu: ['FULFILLED', 'PENDING'],
  'wwwallet-0.3': ['VERIFICATION_FAILED', 'REJECTED'],
};

describe('21.2 a wallet that behaves as', () => {
  const names = WALLET_PROFILES.map(({ name }) => name);

  it('each that is known has an expectation here', () => {
    expect(Object.keys(ENDS)).toEqual(names);
  });

  it.each(names)('%s presents, and declines', async (name) => {
    const box = openAs(name);
    for (const [index, act] of (['accept', 'decline'] as const).entries()) {
      const { state, crossDevice } = await requestPresentation(bench.stage);
      expect(await box.present(act, crossDevice)).toMatchObject({ case: act, asExpected: true });
      expect([act, await statusOf(bench.stage, `/oidc4vp/${state}`)]).toEqual([act, ENDS[name]?.[index]]);
    }
  });

  it.each(names)('%s redeems an offer', async (name) => {
    const offer = await offerCredential(stage, { tx_code: { length: 6 } });
    const report = await openAs(name).redeem('accept', offer.uri, offer.txCode);
    expect(report).toMatchObject({ outcome: 'accepted', asExpected: true });
    expect(await statusOf(stage, `/offers/${offer.offerId}`)).toBe('ISSUED');
    expect(report.credentials.length > 1).toBe(name === 'paradym');
  });

  it.each(names)('%s is refused for what every wallet is refused for', async (name) => {
    const { state, crossDevice } = await requestPresentation(bench.stage);
    expect(await openAs(name).present('wrong-nonce', crossDevice)).toMatchObject({ outcome: 'refused' });
    expect(await statusOf(bench.stage, `/oidc4vp/${state}`)).not.toBe('FULFILLED');
  });
});
