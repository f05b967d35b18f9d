import type { PresentationFaults, Wallet } from '@vestibule/demo-wallet';
import { createDevelopmentPki } from '@vestibule/dev-pki';
import { issueTo, requestPresentation } from './flows';
import { endOf, presentForeign, type Change } from './foreign-credential';
import { joinStage, type SharedStage } from './stage';

let stage: SharedStage;
let wallet: Wallet;
beforeAll(async () => {
  stage = await joinStage();
  wallet = stage.createWallet();
  await issueTo(stage, wallet);
});
afterAll(() => stage?.stop());

async function presentWith(faults: PresentationFaults) {
  const { state, crossDevice } = await requestPresentation(stage, { redirect_uri: 'https://shop.example/return' });
  const result = await wallet.present(crossDevice, { faults });
  return { state, result, ...(await endOf(stage, state)) };
}

const cutLastDisclosure = (sdJwt: string) => sdJwt.replace(/~[^~]+~$/, '~');

describe('a faulty presentation', () => {
  it.each<[string, PresentationFaults, string]>([
    [
      'VP:M5 with another nonce',
      { keyBinding: { payload: { nonce: 'another-nonce-another-nonce' } } },
      'key_binding_nonce',
    ],
    ['VP:M4 for another audience', { keyBinding: { payload: { aud: 'x509_hash:other' } } }, 'key_binding_audience'],
    ['VP:M7 with another sd_hash', { keyBinding: { payload: { sd_hash: 'A'.repeat(43) } } }, 'key_binding_hash'],
    ['VP:M6 with a key binding of a year ago', { keyBinding: { payload: { iat: 1_700_000_000 } } }, 'key_binding_time'],
    ['VP:M1 with another type of key binding', { keyBinding: { header: { typ: 'JWT' } } }, 'key_binding_type'],
    ['VP:H12 VP:M3 signed with another key', { keyBinding: { signWithOtherKey: true } }, 'key_binding_signature'],
    ['C:2.7 VP:J17 without key binding', { withoutKeyBinding: true }, 'key_binding_missing'],
    ['C:2.5 C:3.19 VP:J7 without the claim that was asked for', { sdJwt: cutLastDisclosure }, 'claim_missing'],
    [
      'VP:J1 under another id',
      { vpToken: (token) => ({ other: Object.values(token)[0] ?? null }) },
      'credential_not_requested',
    ],
    ['VP:J2 that is no array', { vpToken: () => ({ card: 'x' }) }, 'presentations_malformed'],
  ])(
    'C:3.20 C:7.4 %s ends as VERIFICATION_FAILED and the wallet hears 400 and nothing else',
    async (_what, faults, code) => {
      const { state, result, event, codes } = await presentWith(faults);
      expect(event).toEqual({
        status: 'VERIFICATION_FAILED',
        state,
        errorDetails: expect.stringMatching(`^${code}: `),
      });
      expect(codes).toEqual([code]);
      expect(result.status).toBe(400);
      expect(result.body).toEqual({ error: 'invalid_request', error_description: 'the response was not accepted' });
    },
  );

  it.each<[string, PresentationFaults, string]>([
    ['VP:I1 with another state', { response: { state: 'other' } }, 'response_state_mismatch'],
    ['VP:I1 without state', { response: { state: undefined } }, 'response_state_mismatch'],
    ['VP:H5 encrypted to an unknown key', { jwe: { header: { kid: 'unknown' } } }, 'response_not_decryptable'],
    ['VP:H10 that is not JSON', { plaintext: () => 'not json' }, 'response_not_json'],
  ])('C:3.15 C:7.3 %s ends as PROCESSING_ERROR', async (_what, faults, code) => {
    const { state, result, event, codes } = await presentWith(faults);
    expect(event).toEqual({ status: 'PROCESSING_ERROR', state, errorDetails: expect.stringMatching(`^${code}: `) });
    expect([result.status, codes]).toEqual([400, [code]]);
  });

  it('VP:G5 that is not encrypted changes nothing: the right one is taken afterwards', async () => {
    const { state, crossDevice } = await requestPresentation(stage);
    expect((await wallet.present(crossDevice, { faults: { withoutEncryption: true } })).status).toBe(400);
    expect((await wallet.present(crossDevice)).status).toBe(200);
    expect((await endOf(stage, state)).event).toMatchObject({ status: 'FULFILLED' });
  });
});

describe('a faulty credential', () => {
  const now = () => Math.floor(Date.now() / 1000);

  it('passes without a fault', async () => {
    expect((await presentForeign(stage)).event).toMatchObject({ status: 'FULFILLED' });
  });

  it.each<[string, Change, string]>([
    ['VP:K19 that has expired', { payload: (p) => ({ ...p, exp: now() - 120 }) }, 'expired'],
    ['VP:K19 that is not valid yet', { payload: (p) => ({ ...p, nbf: now() + 600 }) }, 'not_yet_valid'],
    ['VP:L1 of another type of token', { order: { header: { typ: 'vc+sd-jwt' } } }, 'type_header_wrong'],
    [
      'C:2.4 C:3.19 VP:J5 of another type',
      { payload: (p) => ({ ...p, vct: 'https://other.example/type' }) },
      'vct_not_requested',
    ],
    ['C:3.16 VP:K4 with a broken signature', { order: { tamperSignature: true } }, 'issuer_signature_invalid'],
    ['VP:L7 without a certificate chain', { order: { x5c: undefined } }, 'x5c_missing'],
    ['VP:L12 with another kind of status', { payload: (p) => ({ ...p, status: { other: {} } }) }, 'status_malformed'],
  ])('%s ends as VERIFICATION_FAILED', async (_what, change, code) => {
    const { event, codes } = await presentForeign(stage, change);
    expect(event).toMatchObject({ status: 'VERIFICATION_FAILED', errorDetails: expect.stringMatching(`^${code}: `) });
    expect(codes).toEqual([code]);
  });

  it('VP:N5 of an issuer under another root ends as VERIFICATION_FAILED', async () => {
    const { issuer } = await createDevelopmentPki({ now: new Date(), hosts: ['other.example'] });
    const order = { x5c: issuer.chain, privateKey: issuer.privateKey };
    const { event, codes } = await presentForeign(stage, { order });
    expect(event).toMatchObject({ errorDetails: expect.stringMatching('^untrusted_issuer: credential "card": ') });
    expect(codes).toEqual(['untrusted_issuer']);
  });
});
