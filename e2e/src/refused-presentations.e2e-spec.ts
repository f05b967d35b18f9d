import { createPrivateKey } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { issueForeignCredential, type PresentationFaults, type Wallet } from '@vestibule/demo-wallet';
import { createDevelopmentPki } from '@vestibule/dev-pki';
import { issueTo, queryFor, requestPresentation } from './flows';
import { startStage, type Stage } from './stage';

let stage: Stage;
let wallet: Wallet;
beforeAll(async () => {
  stage = await startStage();
  wallet = stage.createWallet();
  await issueTo(stage, wallet);
}, 120_000);
afterAll(() => stage?.stop(), 60_000);

/** The one callback of a request, and the check that its record names as failed. */
async function endOf(state: string) {
  const [event, ...more] = await stage.callbacksOf(state, 1);
  expect(more).toEqual([]);
  const { body } = await stage.management('GET', `/oidc4vp/${state}`);
  const failed = (body['checks'] as { outcome: string; code?: string }[]).filter(({ outcome }) => outcome === 'failed');
  return { event, codes: failed.map(({ code }) => code) };
}

async function presentWith(faults: PresentationFaults) {
  const { state, crossDevice } = await requestPresentation(stage, { redirect_uri: 'https://shop.example/return' });
  const result = await wallet.present(crossDevice, { faults });
  return { state, result, ...(await endOf(state)) };
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
    ['VP:M3 signed with another key', { keyBinding: { signWithOtherKey: true } }, 'key_binding_signature'],
    ['VP:J17 without key binding', { withoutKeyBinding: true }, 'key_binding_missing'],
    ['VP:J7 without the claim that was asked for', { sdJwt: cutLastDisclosure }, 'claim_missing'],
    [
      'VP:J1 under another id',
      { vpToken: (token) => ({ other: Object.values(token)[0] ?? null }) },
      'credential_not_requested',
    ],
    ['VP:J2 that is no array', { vpToken: () => ({ card: 'x' }) }, 'presentations_malformed'],
  ])('%s ends as VERIFICATION_FAILED and the wallet hears 400 and nothing else', async (_what, faults, code) => {
    const { state, result, event, codes } = await presentWith(faults);
    expect(event).toEqual({ status: 'VERIFICATION_FAILED', state, errorDetails: expect.stringMatching(`^${code}: `) });
    expect(codes).toEqual([code]);
    expect(result.status).toBe(400);
    expect(result.body).toEqual({ error: 'invalid_request', error_description: 'the response was not accepted' });
  });

  it.each<[string, PresentationFaults, string]>([
    ['VP:I1 with another state', { response: { state: 'other' } }, 'response_state_mismatch'],
    ['VP:I1 without state', { response: { state: undefined } }, 'response_state_mismatch'],
    ['VP:H5 encrypted to an unknown key', { jwe: { header: { kid: 'unknown' } } }, 'response_not_decryptable'],
    ['VP:H10 that is not JSON', { plaintext: () => 'not json' }, 'response_not_json'],
  ])('%s ends as PROCESSING_ERROR', async (_what, faults, code) => {
    const { state, result, event, codes } = await presentWith(faults);
    expect(event).toEqual({ status: 'PROCESSING_ERROR', state, errorDetails: expect.stringMatching(`^${code}: `) });
    expect([result.status, codes]).toEqual([400, [code]]);
  });

  it('VP:G5 that is not encrypted changes nothing: the right one is taken afterwards', async () => {
    const { state, crossDevice } = await requestPresentation(stage);
    expect((await wallet.present(crossDevice, { faults: { withoutEncryption: true } })).status).toBe(400);
    expect((await wallet.present(crossDevice)).status).toBe(200);
    expect((await endOf(state)).event).toMatchObject({ status: 'FULFILLED' });
  });
});

describe('a faulty credential', () => {
  const pem = (name: string) => readFileSync(path.join(stage.stack.files.folder, name), 'utf8');
  const chain = () =>
    [...pem('issuer.pem').matchAll(/-----BEGIN CERTIFICATE-----([^-]+)-----END/g)].map(([, body = '']) =>
      Buffer.from(body, 'base64'),
    );
  const now = () => Math.floor(Date.now() / 1000);

  async function present(change: (payload: Record<string, unknown>) => object, rest: object = {}) {
    const holder = stage.createWallet();
    const payload = {
      iss: stage.stack.issuerUrl,
      iat: now() - 60,
      exp: now() + 3_600,
      vct: stage.vct,
      cnf: { jwk: { ...(await holder.createHolderKey()) } },
      family_name: 'Example',
    };
    const credential = await issueForeignCredential({
      x5c: chain(),
      privateKey: createPrivateKey(pem('issuer-key.pem')),
      payload: change(payload),
      ...rest,
    } as Parameters<typeof issueForeignCredential>[0]);
    const stored = await holder.addCredential(credential);
    const { state, crossDevice } = await requestPresentation(stage, { dcql_query: queryFor(stage) });
    await holder.present(crossDevice, { credentials: { card: [stored.id] } });
    return endOf(state);
  }

  it('passes without a fault', async () => {
    expect((await present((payload) => payload)).event).toMatchObject({ status: 'FULFILLED' });
  });

  it.each<[string, (payload: Record<string, unknown>) => object, object, string]>([
    ['VP:K19 that has expired', (p) => ({ ...p, exp: now() - 120 }), {}, 'expired'],
    ['VP:K19 that is not valid yet', (p) => ({ ...p, nbf: now() + 600 }), {}, 'not_yet_valid'],
    ['VP:L1 of another type of token', (p) => p, { header: { typ: 'vc+sd-jwt' } }, 'type_header_wrong'],
    ['VP:J5 of another type', (p) => ({ ...p, vct: 'https://other.example/type' }), {}, 'vct_not_requested'],
    ['VP:K4 with a broken signature', (p) => p, { tamperSignature: true }, 'issuer_signature_invalid'],
    ['VP:L7 without a certificate chain', (p) => p, { x5c: undefined }, 'x5c_missing'],
    ['VP:L12 with a status that is no status list', (p) => ({ ...p, status: { other: {} } }), {}, 'status_malformed'],
  ])('%s ends as VERIFICATION_FAILED', async (_what, change, rest, code) => {
    const { event, codes } = await present(change, rest);
    expect(event).toMatchObject({ status: 'VERIFICATION_FAILED', errorDetails: expect.stringMatching(`^${code}: `) });
    expect(codes).toEqual([code]);
  });

  it('VP:N5 of an issuer under another root ends as VERIFICATION_FAILED', async () => {
    const stranger = await createDevelopmentPki({ now: new Date(), hosts: ['other.example'] });
    const { event, codes } = await present((payload) => payload, {
      x5c: stranger.issuer.chain,
      privateKey: stranger.issuer.privateKey,
    });
    expect(event).toMatchObject({
      status: 'VERIFICATION_FAILED',
      errorDetails: expect.stringMatching('^untrusted_issuer: '),
    });
    expect(codes).toEqual(['untrusted_issuer']);
  });

  it('VP:O15 whose status list cannot be had ends as PROCESSING_ERROR, never as FULFILLED', async () => {
    const status = { status_list: { idx: 1, uri: 'https://127.0.0.1:9/status' } };
    const { event } = await present((payload) => ({ ...payload, status }));
    expect(event).toMatchObject({ status: 'PROCESSING_ERROR', errorDetails: expect.stringMatching('^egress_') });
  });
});
