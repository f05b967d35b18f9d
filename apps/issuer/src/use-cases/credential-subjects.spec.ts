import { randomBytes } from 'node:crypto';
import { decodeJwt } from 'jose';
import type { EcJwk } from '@vestibule/crypto';
import { createDevelopmentPki, toPem } from '@vestibule/dev-pki';
import type { ClaimMetadata } from '@vestibule/oid4vci';
import type { IssuableType, Profile } from '../domain/credential-offer';
import type { SigningKeys } from '../domain/ports';
import { CLAIMS, ISSUER_URL, NOW, TYPE_ID, TYPES } from '../testing/issuer.fixture-spec';
import { readIssuerKeyOf } from '../testing/issuer-key.fixture-spec';
import { createWalletKey, type WalletKey } from '../testing/wallet.fixture-spec';
import { signBatch } from './sign-credentials';

let keys: Pick<SigningKeys, 'signerAt'>;
beforeAll(async () => {
  const { issuer, root } = await createDevelopmentPki({ now: NOW, hosts: ['c.example.com'], uris: [ISSUER_URL] });
  keys = readIssuerKeyOf(toPem([...issuer.chain, root.certificate]), issuer.privateKey);
});

/** The type of the fixture, which lists `sub` in this way or not at all. */
function typeListing(sd: ClaimMetadata['sd'] | undefined, profile: Profile): IssuableType {
  const type = TYPES.get(TYPE_ID) as IssuableType;
  const members = new Map(type.claimTree.members);
  const claim = { path: ['sub'], mandatory: false, sd: sd ?? 'never', display: [] };
  if (sd) members.set('sub', { claim, members: new Map(), elements: undefined, indexes: new Map() });
  return { ...type, claimTree: { ...type.claimTree, members }, issuer: { ...type.issuer, profile } };
}

async function signFor(type: IssuableType, holders: readonly WalletKey[]): Promise<readonly string[]> {
  const sign = signBatch({
    random: randomBytes,
    signerAt: keys.signerAt,
    reserveStatusIndexes: async () => [],
    letOthersRun: async () => undefined,
    reportShortened: () => undefined,
  });
  const confirmed = holders.map(({ jwk }) => jwk as EcJwk);
  const { credentials } = await sign({ offerId: 'offer', type, claims: CLAIMS, keys: confirmed, now: NOW });
  return credentials;
}

const payloadOf = (credential: string) => decodeJwt(credential.split('~', 1)[0] as string);

/** The subject of a credential, which its payload has or one of its disclosures. */
function subjectOf(credential: string): unknown {
  const disclosures = credential.split('~').slice(1, -1);
  const opened = disclosures.map((one) => JSON.parse(Buffer.from(one, 'base64url').toString()) as unknown[]);
  return payloadOf(credential).sub ?? opened.find(([, name]) => name === 'sub')?.[2];
}

describe('the subject of an issued credential', () => {
  it.each<[ClaimMetadata['sd'] | undefined, Profile, boolean]>([
    [undefined, 'open', false],
    ['never', 'open', false],
    ['allowed', 'open', false],
    ['always', 'open', true],
    [undefined, 'eudi', false],
    ['never', 'eudi', false],
    ['allowed', 'eudi', true],
    ['always', 'eudi', true],
  ])(
    'VCI:V5 EU:M8 alone, its type lists sub as %s, profile %s: it is disclosable: %s',
    async (subject, profile, is) => {
      const key = await createWalletKey();
      const [credential = ''] = await signFor(typeListing(subject, profile), [key]);
      const own = `urn:ietf:params:oauth:jwk-thumbprint:sha-256:${key.thumbprint}`;
      expect(Object.hasOwn(payloadOf(credential), 'sub')).toBe(!is);
      expect(subjectOf(credential)).toBe(own);
    },
  );

  it.each<[ClaimMetadata['sd'] | undefined, Profile]>([
    [undefined, 'open'],
    ['always', 'open'],
    ['allowed', 'open'],
    ['allowed', 'eudi'],
  ])(
    'VCI:V11 in a batch, its type lists sub as %s, profile %s: it is one, and disclosable',
    async (listed, profile) => {
      const batch = await signFor(typeListing(listed, profile), [await createWalletKey(), await createWalletKey()]);
      expect(batch.map((one) => Object.hasOwn(payloadOf(one), 'sub'))).toEqual([false, false]);
      const [first, second] = batch.map(subjectOf);
      expect(first).toMatch(/^urn:uuid:/);
      expect(second).toBe(first);
    },
  );

  it.each<Profile>(['open', 'eudi'])(
    'VCI:V11 in a batch, its type lists sub as never, profile %s: it is plain, and links none to another',
    async (profile) => {
      const holders = [await createWalletKey(), await createWalletKey()];
      const batch = await signFor(typeListing('never', profile), holders);
      const own = holders.map(({ thumbprint }) => `urn:ietf:params:oauth:jwk-thumbprint:sha-256:${thumbprint}`);
      expect(batch.map((one) => payloadOf(one)['sub'])).toEqual(own);
    },
  );
});
