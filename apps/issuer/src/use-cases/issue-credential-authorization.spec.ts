import { openCredentialEndpoint, TOKEN, type OpenEndpoint } from '../testing/credential-endpoint.fixture-spec';
import { NOW } from '../testing/issuer.fixture-spec';
import {
  createWalletKey,
  credentialProof,
  keyProof,
  TOKEN_URL,
  tokenProof,
  withBrokenSignature,
} from '../testing/wallet.fixture-spec';
import type { WalletMessage } from './open-message';

let open: OpenEndpoint;
beforeAll(async () => {
  open = await openCredentialEndpoint(await createWalletKey());
});

const code = (expected: string) => expect.objectContaining({ code: expected });
type Endpoint = ReturnType<OpenEndpoint>;
type Change = (endpoint: Endpoint) => Promise<Partial<WalletMessage>>;

describe('issueCredential: authorization', () => {
  it('VCI:R2 comes before everything else: a bad body without a token is a question of the token', async () => {
    const endpoint = open();
    const input = { authorization: [], dpop: [], body: 'no object' };
    await expect(endpoint.issue(input)).rejects.toEqual(code('invalid_token'));
    const withToken = await endpoint.request({ dpop: [], body: 'no object' });
    await expect(endpoint.issue(withToken)).rejects.toEqual(code('invalid_dpop_proof'));
    await expect(endpoint.issue(await endpoint.request({ body: 'no object' }))).rejects.toEqual(
      code('invalid_credential_request'),
    );
  });

  it('VCI:R2 asks for the token, then for the proof, and signs only after both', async () => {
    const endpoint = open();
    await endpoint.send();
    expect(endpoint.asked).toEqual(['token', 'proof', 'sign', 'complete']);
  });

  it.each<[string, string, Change]>([
    ['VCI:D22 no token', 'invalid_token', async () => ({ authorization: [] })],
    ['VCI:D13 the token as Bearer', 'invalid_token', async () => ({ authorization: [`Bearer ${TOKEN}`] })],
    ['VCI:D15 two tokens', 'invalid_request', async () => ({ authorization: [`DPoP ${TOKEN}`, `Bearer ${TOKEN}`] })],
    ['VCI:D22 a malformed token', 'invalid_request', async () => ({ authorization: ['DPoP a b'] })],
    ['VCI:D22 an unknown token', 'invalid_token', async () => ({ authorization: ['DPoP unknown'] })],
    ['VCI:D1 no proof', 'invalid_dpop_proof', async () => ({ dpop: [] })],
    [
      'VCI:D1 two proofs',
      'invalid_dpop_proof',
      async ({ dpopKey }) => ({
        dpop: [await credentialProof(dpopKey, TOKEN), await credentialProof(dpopKey, TOKEN)],
      }),
    ],
    [
      'VCI:D2 a key proof in place of the DPoP proof',
      'invalid_dpop_proof',
      async ({ dpopKey }) => ({ dpop: [await keyProof(dpopKey, 'n')] }),
    ],
    [
      'VCI:D5 a broken signature',
      'invalid_dpop_proof',
      async ({ dpopKey }) => ({ dpop: [withBrokenSignature(await credentialProof(dpopKey, TOKEN))] }),
    ],
    [
      'VCI:D8 a proof for the token endpoint',
      'invalid_dpop_proof',
      async ({ dpopKey }) => ({ dpop: [await credentialProof(dpopKey, TOKEN, { htu: TOKEN_URL })] }),
    ],
    [
      'VCI:D9 a proof of an hour ago',
      'invalid_dpop_proof',
      async ({ dpopKey }) => ({ dpop: [await credentialProof(dpopKey, TOKEN, { iat: NOW.getTime() / 1000 - 3_600 })] }),
    ],
    [
      'VCI:D11 no ath',
      'invalid_dpop_proof',
      async ({ dpopKey }) => ({ dpop: [await credentialProof(dpopKey, TOKEN, { ath: undefined })] }),
    ],
    [
      'VCI:D11 the ath of another token',
      'invalid_dpop_proof',
      async ({ dpopKey }) => ({ dpop: [await credentialProof(dpopKey, 'another-token')] }),
    ],
    [
      'VCI:D12 the proof of another key',
      'invalid_token',
      async () => ({ dpop: [await credentialProof(await createWalletKey(), TOKEN)] }),
    ],
    [
      'VCI:D11 a proof made for the token request',
      'invalid_dpop_proof',
      async ({ dpopKey }) => ({ dpop: [await tokenProof(dpopKey)] }),
    ],
  ])('%s: %s', async (_what, expected, change) => {
    const endpoint = open();
    const input = await endpoint.request(await change(endpoint));
    await expect(endpoint.issue(input)).rejects.toEqual(code(expected));
    expect(endpoint.asked).not.toContain('sign');
    expect(endpoint.events).toEqual([]);
  });

  it.each(['DPoP', 'dpop', 'DPOP'])('VCI:D13 takes the scheme in any case: %s', async (scheme) => {
    const endpoint = open();
    const input = await endpoint.request({ authorization: [`${scheme} ${TOKEN}`] });
    await expect(endpoint.issue(input)).resolves.toHaveProperty('credentials');
  });

  it('VCI:D10 refuses a proof that was used before', async () => {
    const endpoint = open();
    const first = await endpoint.request();
    await endpoint.issue(first);
    const again = await endpoint.request({ dpop: first.dpop });
    await expect(endpoint.issue(again)).rejects.toEqual(code('invalid_dpop_proof'));
  });

  it('VCI:D10 does not spend a proof that belongs to another key or token', async () => {
    const endpoint = open();
    const foreign = await endpoint.request({ dpop: [await credentialProof(await createWalletKey(), TOKEN)] });
    await expect(endpoint.issue(foreign)).rejects.toThrow();
    expect(endpoint.asked).toEqual(['token']);
  });
});
