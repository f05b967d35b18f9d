import { createPublicKey } from 'node:crypto';
import { createDevelopmentPki } from '@vestibule/dev-pki';
import { calculateJwkThumbprint, decodeJwt, decodeProtectedHeader } from 'jose';
import { startIssuer, type CounterpartIssuer, type IssuerOptions } from './counterpart/issuer';
import { serverCallbacks, type Signer } from './counterpart/server-callbacks';
import type { WalletStep } from './journey';
import { createWallet, type Wallet } from './wallet';

let signer: Signer;
let wallet: Wallet;
let steps: WalletStep[];
let issuer: CounterpartIssuer | undefined;

beforeAll(async () => {
  const pki = await createDevelopmentPki({ now: new Date(), hosts: ['127.0.0.1'] });
  signer = { x5c: pki.issuer.chain, privateKey: pki.issuer.privateKey };
});

beforeEach(() => {
  steps = [];
  wallet = createWallet({ onStep: (step) => steps.push(step) });
});

afterEach(async () => {
  await issuer?.close();
  issuer = undefined;
});

async function start(options: Partial<IssuerOptions> = {}): Promise<CounterpartIssuer> {
  issuer = await startIssuer({ signer, ...options });
  return issuer;
}

const requestsTo = (endpoint: string) =>
  (issuer?.received ?? []).filter((entry) => entry.endpoint === endpoint).map(({ request }) => request);

describe('redeeming an offer', () => {
  it('gives a credential that is bound to an own key', async () => {
    const { offerUri, origin } = await start();
    const [credential, ...others] = await wallet.redeemOffer(offerUri);
    expect(others).toEqual([]);
    expect(credential).toMatchObject({
      vct: `${origin}/tenant/types/pid`,
      configurationId: 'pid',
      claims: { family_name: 'Muster', address: { locality: 'Berlin' }, nationalities: ['DE', 'FR'] },
    });
    const { jwk } = credential?.payload['cnf'] as { jwk: object };
    expect(credential?.holderKey).toBe(await calculateJwkThumbprint(jwk));
    expect(wallet.credentials()).toEqual([credential]);
  });

  it('goes through all steps of the protocol and tells no query strings', async () => {
    const { offerUri } = await start();
    await wallet.redeemOffer(offerUri);
    const names = ['credential_offer', 'issuer_metadata', 'issuer_metadata', 'token', 'nonce', 'key_proof'];
    names.push('credential', 'check_credential', 'type_metadata', 'notification');
    expect(steps.map(({ name }) => name)).toEqual(names);
    expect(steps.find(({ name }) => name === 'token')).toMatchObject({ status: 200 });
    expect(JSON.stringify(steps)).not.toMatch(/\?|Muster|pre-authorized-code-1/);
  });

  it('sends token and proof bound to one DPoP key, and a key proof with the nonce', async () => {
    const { offerUri, origin } = await start();
    await wallet.redeemOffer(offerUri);
    const [token] = requestsTo('token');
    const [credential] = requestsTo('credential');
    const keyOf = (jwt: string | null | undefined) => decodeProtectedHeader(jwt ?? '').jwk;
    expect(keyOf(token?.headers.get('dpop'))).toEqual(keyOf(credential?.headers.get('dpop')));
    expect(decodeJwt(credential?.headers.get('dpop') ?? '')).toHaveProperty('ath');
    expect(new URLSearchParams(token?.body).has('user_pin')).toBe(false);
    const { proofs, credential_configuration_id } = JSON.parse(credential?.body ?? '{}');
    expect(credential_configuration_id).toBe('pid');
    expect(decodeProtectedHeader(proofs.jwt[0])).toMatchObject({ typ: 'openid4vci-proof+jwt', alg: 'ES256' });
    expect(decodeJwt(proofs.jwt[0])).toMatchObject({ aud: `${origin}/tenant`, nonce: expect.any(String) });
  });

  it('sends the transaction code', async () => {
    const { offerUri } = await start({ txCode: '123456' });
    await expect(wallet.redeemOffer(offerUri)).rejects.toMatchObject({ code: 'tx_code_missing' });
    expect(requestsTo('token')).toEqual([]);
    expect(await wallet.redeemOffer(offerUri, { txCode: '123456' })).toHaveLength(1);
  });

  it('gets a batch with a key for each', async () => {
    const { offerUri } = await start();
    const credentials = await wallet.redeemOffer(offerUri, { batch: 3 });
    expect(new Set(credentials.map(({ holderKey }) => holderKey)).size).toBe(3);
  });

  it('answers a demand for a DPoP nonce at both endpoints', async () => {
    const { offerUri } = await start({ dpopNonce: 'dpop-nonce-1' });
    expect(await wallet.redeemOffer(offerUri)).toHaveLength(1);
    expect(requestsTo('token')).toHaveLength(2);
  });

  it('encrypts request and response when asked to', async () => {
    const { offerUri } = await start();
    expect(await wallet.redeemOffer(offerUri, { encrypt: true })).toHaveLength(1);
    const [request] = requestsTo('credential');
    expect(request?.headers.get('content-type')).toBe('application/jwt');
    expect(decodeProtectedHeader(request?.body ?? '')).toMatchObject({ kid: 'request-1', alg: 'ECDH-ES' });
  });

  it.each([false, true])('collects a deferred credential (encrypted: %s)', async (encrypt) => {
    const { offerUri } = await start({ deferred: true });
    const { credentials, deferred } = await wallet.redeem(offerUri, { encrypt });
    expect(credentials).toEqual([]);
    expect(deferred).toMatchObject([{ configurationId: 'pid', intervalSeconds: 1 }]);
    expect(await deferred[0]?.collect()).toBeUndefined();
    expect(await deferred[0]?.collect()).toMatchObject([{ configurationId: 'pid' }]);
    expect(requestsTo('notification')).toHaveLength(1);
  });

  it('notifies with the event that was chosen, or not at all', async () => {
    const first = await start();
    await wallet.redeemOffer(first.offerUri, { notify: 'credential_deleted' });
    const body = { notification_id: 'notification-1', event: 'credential_deleted' };
    expect(JSON.parse(requestsTo('notification')[0]?.body ?? '')).toEqual(body);
    await first.close();
    const second = await start();
    await wallet.redeemOffer(second.offerUri, { notify: false });
    expect(requestsTo('notification')).toEqual([]);
  });

  it('takes an offer by value', async () => {
    const { offerUri } = await start();
    const reference = new URL(offerUri).searchParams.get('credential_offer_uri') ?? '';
    const offer = encodeURIComponent(await (await fetch(reference)).text());
    expect(await wallet.redeemOffer(`openid-credential-offer://?credential_offer=${offer}`)).toHaveLength(1);
  });
});

describe('attestations', () => {
  const attest = async (header: object, payload: object) =>
    (
      await serverCallbacks(signer).signJwt(
        { method: 'custom', alg: 'ES256' },
        {
          header: { alg: 'ES256', ...header },
          payload: payload as Record<string, unknown>,
        },
      )
    ).jwt;

  it('of the wallet authenticate the token request, with the server’s challenge', async () => {
    const { offerUri } = await start({ attestation: true });
    await expect(wallet.redeemOffer(offerUri)).rejects.toMatchObject({ code: 'metadata_unsupported' });
    const now = Math.floor(Date.now() / 1000);
    const claims = {
      iss: 'https://p.example',
      sub: 'wallet-1',
      exp: now + 300,
      cnf: { jwk: await wallet.instanceKey() },
    };
    const clientAttestation = await attest(
      { typ: 'oauth-client-attestation+jwt', jwk: createPublicKey(signer.privateKey).export({ format: 'jwk' }) },
      claims,
    );
    expect(await wallet.redeemOffer(offerUri, { clientAttestation })).toHaveLength(1);
    const [request] = requestsTo('token');
    expect(request?.headers.get('oauth-client-attestation')).toBe(clientAttestation);
    const proof = request?.headers.get('oauth-client-attestation-pop') ?? '';
    expect(decodeJwt(proof)).toMatchObject({ challenge: 'attestation-challenge-1', iss: 'wallet-1' });
  });

  it.each(['jwt', 'attestation'] as const)('of keys go into the %s proof', async (proofType) => {
    const make = (keys: readonly object[], nonce: string | undefined) =>
      attest(
        { typ: 'key-attestation+jwt', kid: 'did:example:1#1' },
        { iat: 1, exp: 9_999_999_999, attested_keys: keys, nonce },
      );
    const { offerUri } = await start();
    const redeemed = wallet.redeemOffer(offerUri, { keyAttestation: { proofType, attest: make } });
    await redeemed.catch(() => undefined);
    const { proofs } = JSON.parse(requestsTo('credential')[0]?.body ?? '{}') as { proofs: Record<string, string[]> };
    const [proof = ''] = proofs[proofType] ?? [];
    const attestation = proofType === 'jwt' ? String(decodeProtectedHeader(proof)['key_attestation']) : proof;
    expect(decodeJwt(attestation)).toMatchObject({ attested_keys: [{ kty: 'EC' }], nonce: expect.any(String) });
  });
});
