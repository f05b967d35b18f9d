import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { compactVerify, decodeProtectedHeader } from 'jose';
import { localSigner } from '@vestibule/crypto';
import type { JsonObject } from '@vestibule/foundation';
import { buildRequestObject, createFlowVariant, type RequestObjectInput } from './index';

const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const signer = { ...localSigner(privateKey), x5c: ['AAAA'] };
const dcqlQuery: JsonObject = { credentials: [{ id: 'pid', claims: [{ path: ['a', null, 1] }] }], unknown: [null] };

function input(overrides: Partial<RequestObjectInput> = {}): RequestObjectInput {
  return {
    clientId: 'x509_hash:abc',
    responseUri: 'https://connector.example/oidc4vp/s/response',
    state: 's',
    variant: createFlowVariant('cross-device', randomBytes),
    dcqlQuery,
    transactionData: [],
    now: new Date('2026-01-01T00:00:00Z'),
    expiresAt: new Date('2026-01-01T00:10:00Z'),
    ...overrides,
  };
}

async function claimsOf(request: RequestObjectInput) {
  const { payload } = await compactVerify(await buildRequestObject(request, signer), publicKey);
  return JSON.parse(Buffer.from(payload).toString()) as JsonObject;
}

describe('buildRequestObject', () => {
  it('VP:C1 VP:C2 VP:C3 is an ES256 JWS of type oauth-authz-req+jwt with x5c', async () => {
    const header = decodeProtectedHeader(await buildRequestObject(input(), signer));
    expect(header).toEqual({ typ: 'oauth-authz-req+jwt', alg: 'ES256', x5c: ['AAAA'] });
  });

  it('VP:C4 VP:C5 VP:C6 VP:C7 VP:C9 VP:C10 VP:C12 VP:C16 VP:C17 VP:C18 holds exactly the parameters of the profile', async () => {
    const claims = await claimsOf(input());
    expect(Object.keys(claims).sort()).toEqual(
      [
        'aud',
        'client_id',
        'client_metadata',
        'dcql_query',
        'exp',
        'iat',
        'nonce',
        'response_mode',
        'response_type',
        'response_uri',
        'state',
      ].sort(),
    );
    expect(claims).toMatchObject({
      aud: 'https://self-issued.me/v2',
      client_id: 'x509_hash:abc',
      response_type: 'vp_token',
      response_mode: 'direct_post.jwt',
      state: 's',
    });
  });

  it('VP:C8 carries iat and exp as integers within the life of the request', async () => {
    expect(await claimsOf(input())).toMatchObject({ iat: 1767225600, exp: 1767226200 });
  });

  it('VP:C15 VP:E20 carries the query as the backend gave it, with nulls, order and unknown members', async () => {
    expect(JSON.stringify((await claimsOf(input()))['dcql_query'])).toBe(JSON.stringify(dcqlQuery));
  });

  it('VP:CM1 VP:CM2 VP:CM3 VP:CM5 VP:CM6 VP:A10 describes one public encryption key, both GCM sizes and the format', async () => {
    const request = input();
    const metadata = (await claimsOf(request))['client_metadata'];
    expect(metadata).toEqual({
      jwks: { keys: [{ ...request.variant.publicJwk, use: 'enc', alg: 'ECDH-ES', kid: request.variant.kid }] },
      encrypted_response_enc_values_supported: ['A256GCM', 'A128GCM'],
      vp_formats_supported: {
        'dc+sd-jwt': { 'sd-jwt_alg_values': ['ES256'], 'kb-jwt_alg_values': ['ES256', 'ES384'] },
      },
    });
    expect(JSON.stringify(metadata)).not.toContain('"d"');
  });

  it('VP:CM7 offers no key for encryption that signs the request', async () => {
    const metadata = JSON.stringify((await claimsOf(input()))['client_metadata']);
    expect(metadata).not.toContain(String(publicKey.export({ format: 'jwk' }).x));
  });

  it('VP:B8 copies wallet_nonce only when there is one', async () => {
    expect(await claimsOf(input({ walletNonce: 'wn' }))).toMatchObject({ wallet_nonce: 'wn' });
    expect(await claimsOf(input())).not.toHaveProperty('wallet_nonce');
  });

  it('VP:F1 carries transaction data as the encoded strings', async () => {
    expect(await claimsOf(input({ transactionData: ['e30'] }))).toMatchObject({ transaction_data: ['e30'] });
  });
});

describe('createFlowVariant', () => {
  it('VP:C13 VP:CM4 gives each flow of each request a nonce and a key of its own', () => {
    const variants = Array.from({ length: 200 }, (_, index) =>
      createFlowVariant(index % 2 === 0 ? 'same-device' : 'cross-device', randomBytes),
    );
    expect(new Set(variants.map((variant) => variant.nonce)).size).toBe(200);
    expect(new Set(variants.map((variant) => variant.kid)).size).toBe(200);
    for (const { nonce } of variants) expect(nonce).toMatch(/^[A-Za-z0-9_-]{43}$/);
  });
});
