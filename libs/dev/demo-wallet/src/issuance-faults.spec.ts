import { createDevelopmentPki } from '@vestibule/dev-pki';
import { decodeJwt, decodeProtectedHeader } from 'jose';
import { startIssuer, type CounterpartIssuer, type IssuerEndpoint } from './counterpart/issuer';
import type { Signer } from './counterpart/server-callbacks';
import type { IssuanceFaults, RedeemOptions } from './issuance-options';
import { ServerRefusal } from './refusal';
import { createWallet, type Wallet } from './wallet';

let signer: Signer;
let wallet: Wallet;
let issuer: CounterpartIssuer;

beforeAll(async () => {
  const pki = await createDevelopmentPki({ now: new Date(), hosts: ['127.0.0.1'] });
  signer = { x5c: pki.issuer.chain, privateKey: pki.issuer.privateKey };
});

beforeEach(async () => {
  wallet = createWallet();
  issuer = await startIssuer({ signer, txCode: '123456' });
});

afterEach(() => issuer.close());

const redeem = (faults: IssuanceFaults, options: RedeemOptions = {}) =>
  wallet.redeemOffer(issuer.offerUri, { txCode: '123456', ...options, faults });

const last = (endpoint: IssuerEndpoint) =>
  issuer.received.filter((entry) => entry.endpoint === endpoint).at(-1)?.request;

const lastProof = (): string => {
  const { proofs } = JSON.parse(last('credential')?.body ?? '{}') as { proofs: { jwt: string[] } };
  return proofs.jwt[0] ?? '';
};

describe('a fault is what the issuer refuses', () => {
  it.each<[string, string, IssuanceFaults]>([
    ['token', 'invalid_grant', { tokenRequest: (form) => form.set('tx_code', '000000') }],
    ['token', 'invalid_request', { tokenRequest: (form) => form.delete('tx_code') }],
    ['token', 'invalid_grant', { tokenRequest: (form) => form.set('pre-authorized_code', 'other') }],
    ['token', 'unsupported_grant_type', { tokenRequest: (form) => form.set('grant_type', 'password') }],
    ['token', 'invalid_dpop_proof', { tokenDpop: 'none' }],
    ['token', 'invalid_dpop_proof', { tokenDpop: { payload: { htu: 'https://other.example/' } } }],
    ['token', 'invalid_dpop_proof', { tokenDpop: { tamperSignature: true } }],
    ['token', 'invalid_dpop_proof', { repeat: 'token' }],
    ['credential', 'invalid_token', { credentialDpop: 'none' }],
    ['credential', 'invalid_dpop_proof', { credentialDpop: 'other_key' }],
    ['credential', 'invalid_dpop_proof', { credentialDpop: { payload: { ath: 'other' } } }],
    ['credential', 'invalid_dpop_proof', { credentialDpop: { signWithOtherKey: true } }],
    ['credential', 'invalid_dpop_proof', { repeat: 'credential' }],
    ['credential', 'invalid_token', { accessToken: () => 'other' }],
    ['credential', 'invalid_token', { credentialHeaders: (headers) => headers.delete('dpop') }],
    ['credential', 'invalid_nonce', { nonce: 'never-issued' }],
    ['credential', 'invalid_proof', { proof: { payload: { aud: 'https://other.example' } } }],
    ['credential', 'invalid_nonce', { proof: { payload: { nonce: undefined } } }],
    ['credential', 'invalid_proof', { proof: { signWithOtherKey: true } }],
    ['credential', 'invalid_proof', { proofs: (proofs) => [...proofs, ...proofs, ...proofs, ...proofs] }],
    ['credential', 'invalid_credential_request', { credentialRequest: () => [] }],
  ])('at %s with %s: %j', async (step, error, faults) => {
    const refusal = redeem(faults);
    await expect(refusal).rejects.toBeInstanceOf(ServerRefusal);
    await expect(refusal).rejects.toMatchObject({ step, error });
  });

  it('and the answer can be looked at', async () => {
    const refusal: unknown = await redeem({ tokenDpop: 'none' }).catch((error: unknown) => error);
    if (!(refusal instanceof ServerRefusal)) throw new TypeError('not refused');
    expect(refusal.body()).toEqual({ error: 'invalid_dpop_proof' });
    expect(refusal.headers().get('content-type')).toBe('application/json');
    expect(JSON.stringify(refusal)).not.toContain('content-type');
  });
});

describe('a fault changes one thing', () => {
  it('in a header or the claims of a key proof', async () => {
    await redeem({ proof: { header: { typ: 'JWT', kid: 'x' }, payload: { iat: 1 } } }).catch(() => undefined);
    expect(decodeProtectedHeader(lastProof())).toMatchObject({ typ: 'JWT', kid: 'x', jwk: { kty: 'EC' } });
    expect(decodeJwt(lastProof())).toMatchObject({ iat: 1, nonce: expect.any(String) });
  });

  it('in the JSON of the credential request', async () => {
    await redeem({ credentialRequest: (body) => ({ ...body, extra: true }) });
    expect(JSON.parse(last('credential')?.body ?? '{}')).toMatchObject({
      extra: true,
      credential_configuration_id: 'pid',
    });
  });

  it('before the request is encrypted', async () => {
    const faults = { credentialRequest: () => ({ credential_configuration_id: 'pid' }) };
    await expect(redeem(faults, { encrypt: true })).rejects.toMatchObject({
      step: 'credential',
      error: 'invalid_proof',
    });
  });
});
