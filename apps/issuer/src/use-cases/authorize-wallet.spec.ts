import { randomBytes } from 'node:crypto';
import { createAccessToken, tokenKey, type BoundToken } from '../domain/access-token';
import type { Grant, TokenBinding } from '../domain/issuance';
import { CLAIMS, ISSUER_URL, NOW, TYPE_ID } from '../testing/issuer.fixture-spec';
import { authorizeWallet } from './authorize-wallet';

const KEY = tokenKey('the-code', undefined);
const thumbprint = 'thumbprint-of-a-key';
const wallet = { thumbprint, clientId: undefined, hasStatus: false };
const bound: BoundToken = { key: KEY, offerId: 'offer-1', granted: [], ...wallet };
const tokenOf = (changes: Partial<BoundToken> = {}) => createAccessToken({ ...bound, ...changes }, randomBytes);

/** The request of a wallet whose proof is good, with a token in whose row is what the grant says. */
async function authorized(accessToken: string, binding: TokenBinding | undefined, changes: Partial<Grant> = {}) {
  const grant: Grant = {
    offerId: 'offer-1',
    configurationId: TYPE_ID,
    status: 'OFFER_CREATED',
    claims: CLAIMS,
    thumbprint,
    granted: [],
    clientId: undefined,
    usedNonces: [],
    isProofFresh: true,
    keptRequests: [],
    ...(binding ? { binding } : {}),
    ...changes,
  };
  const authorize = authorizeWallet({
    issuerUrl: ISSUER_URL,
    findGrant: async () => grant,
    verifyProof: async () => ({
      thumbprint,
      key: { kty: 'EC', crv: 'P-256', x: 'x', y: 'y' },
      proof: { kind: 'dpop_proof', digest: randomBytes(32), expiresAt: NOW },
    }),
  });
  const authorization = [`DPoP ${accessToken}`];
  return authorize({ authorization, dpop: ['a.b.c'], endpoint: 'credential' }, NOW).then(
    () => 'authorized',
    ({ code }: { readonly code: string }) => code,
  );
}

describe('authorizeWallet', () => {
  const required = { key: KEY, isRequired: true };
  const former = { key: KEY, isRequired: false };
  const untagged = 'a-token-without-a-tag';

  it('takes a token that was made for the offer, the wallet and the credentials of its row', async () => {
    expect(await authorized(tokenOf(), required)).toBe('authorized');
    expect(await authorized(tokenOf(), former)).toBe('authorized');
    expect(await authorized(untagged, former)).toBe('authorized');
  });

  it.each<[string, string, TokenBinding, Partial<Grant>?]>([
    ['has no tag, for an offer whose tokens have one', untagged, required],
    ['was made with the code of another offer', tokenOf({ key: tokenKey('other', undefined) }), former],
    ['was made for another offer', tokenOf({ offerId: 'offer-2' }), former],
    ['was made for another key', tokenOf({ thumbprint: 'another' }), former],
    ['was made for another wallet', tokenOf({ clientId: 'https://wallet.example' }), former],
    ['was made before the row named a wallet', tokenOf(), required, { clientId: 'https://wallet.example' }],
  ])('believes no row of a token that %s', async (_what, token, binding, changes = {}) => {
    expect(await authorized(token, binding, changes)).toBe('record_altered');
  });

  it('VCI:D12 tells a wallet with another key nothing about the row', async () => {
    expect(await authorized(untagged, required, { thumbprint: 'another' })).toBe('invalid_token');
  });

  it.each([false, undefined])(
    'VCI:D10 refuses a proof of which it is not known that it is fresh: %j',
    async (isProofFresh) => {
      expect(await authorized(tokenOf(), required, { isProofFresh })).toBe('invalid_dpop_proof');
    },
  );
});
