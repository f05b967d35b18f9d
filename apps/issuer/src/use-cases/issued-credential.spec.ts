import { createHash, createPublicKey, X509Certificate } from 'node:crypto';
import { SDJwtInstance } from '@sd-jwt/core';
import { compactVerify, decodeJwt, decodeProtectedHeader } from 'jose';
import { createDevelopmentPki, toPem, type DevelopmentPki } from '@vestibule/dev-pki';
import { isJsonObject, type JsonObject } from '@vestibule/foundation';
import { readIssuerKeyOf } from '../testing/issuer-key.fixture-spec';
import {
  newNonce,
  openCredentialEndpoint,
  STATUS_LIST_URI,
  TOKEN,
  type OpenEndpoint,
  credentialsOf,
} from '../testing/credential-endpoint.fixture-spec';
import {
  CLAIMS,
  ISSUER_URL,
  NOW,
  PLAIN_TYPE_ID,
  TYPE_ID,
  TYPES,
  VALIDITY_SECONDS,
} from '../testing/issuer.fixture-spec';
import { createWalletKey, credentialProof, keyProof, type WalletKey } from '../testing/wallet.fixture-spec';
import type { SigningKeys } from '../domain/ports';

const HOUR = 3_600;
let pki: DevelopmentPki;
let open: OpenEndpoint;
let signerAt: SigningKeys['signerAt'];
beforeAll(async () => {
  pki = await createDevelopmentPki({ now: NOW, hosts: ['c.example.com'], uris: [ISSUER_URL] });
  open = await openCredentialEndpoint(await createWalletKey());
  const chain = [...pki.issuer.chain, pki.root.certificate];
  signerAt = readIssuerKeyOf(toPem(chain), pki.issuer.privateKey).signerAt;
});

type Order = {
  readonly keys: readonly WalletKey[];
  readonly now?: Date;
  readonly claims?: JsonObject;
  readonly typeId?: string;
  readonly hasStatus?: boolean;
};

const typesWith = (hasStatus: boolean) => new Map([...TYPES].map(([id, type]) => [id, { ...type, hasStatus }]));

/** The credentials that a wallet gets for its keys. */
async function issue({
  keys,
  now = NOW,
  claims = CLAIMS,
  typeId = TYPE_ID,
  hasStatus = false,
}: Order): Promise<string[]> {
  const endpoint = open({
    deps: { signerAt, clock: () => now, types: typesWith(hasStatus) },
    grant: { claims, configurationId: typeId },
  });
  const iat = now.getTime() / 1000;
  const proofs = keys.map((key) => keyProof(key, newNonce({ now }), { iat }));
  const dpop = [await credentialProof(endpoint.dpopKey, TOKEN, { iat })];
  const body = await endpoint.body({ credential_configuration_id: typeId, proofs: await endpoint.proofs(...proofs) });
  const answer = await endpoint.issue(await endpoint.request({ dpop, body }));
  return credentialsOf(answer);
}

const jwtOf = (credential: string) => credential.split('~', 1)[0] as string;
const payloadOf = (credential: string) => decodeJwt(jwtOf(credential)) as JsonObject;
const disclosuresOf = (credential: string) => credential.split('~').slice(1, -1);
const opened = (disclosure: string) => JSON.parse(Buffer.from(disclosure, 'base64url').toString('utf8')) as unknown[];
const saltsOf = (credential: string) => disclosuresOf(credential).map((one) => opened(one)[0] as string);
const sha256 = (text: string) => createHash('sha256').update(text, 'ascii').digest();

/** The JWS under the first certificate of its own header, in the words of jose and node:crypto. */
async function verifyByChain(jwt: string): Promise<void> {
  const { x5c = [] } = decodeProtectedHeader(jwt);
  const [leaf, ...above] = x5c.map((entry) => new X509Certificate(Buffer.from(entry, 'base64')));
  if (!leaf) throw new Error('no certificate');
  await compactVerify(jwt, createPublicKey(leaf.publicKey.export({ type: 'spki', format: 'pem' })), {
    algorithms: ['ES256'],
  });
  const chain = [leaf, ...above, new X509Certificate(pki.root.certificate)];
  const linked = chain.slice(1).every((issuer, index) => chain[index]?.verify(issuer.publicKey));
  if (!linked) throw new Error('the chain does not lead to the root');
}

const judge = new SDJwtInstance({
  hasher: (input: string | ArrayBuffer) =>
    new Uint8Array(sha256(typeof input === 'string' ? input : Buffer.from(input).toString('ascii'))),
  verifier: async (input: string, signature: string) => {
    await verifyByChain(`${input}.${signature}`);
    return true;
  },
});
const judged = async (credential: string) =>
  (await judge.verify(credential, { currentDate: NOW.getTime() / 1000 })).payload as JsonObject;

describe('an issued credential, in the eyes of others', () => {
  it('VCI:P2 VCI:V12 is verified by @sd-jwt/core with every disclosure, and says what the backend said', async () => {
    const [credential = ''] = await issue({ keys: [await createWalletKey()] });
    expect(credential.endsWith('~')).toBe(true);
    expect(await judged(credential)).toMatchObject(CLAIMS);
  });

  it('VCI:V3 VCI:V23 is refused by them with another signature, and with a changed disclosure', async () => {
    const [credential = ''] = await issue({ keys: [await createWalletKey()] });
    const at = jwtOf(credential).length - 20;
    const flipped = `${credential.slice(0, at)}${credential[at] === 'A' ? 'B' : 'A'}${credential.slice(at + 1)}`;
    await expect(judged(flipped)).rejects.toThrow();
    const [first = ''] = disclosuresOf(credential);
    const forged = Buffer.from(JSON.stringify(['salt', 'given_name', 'Mallory'])).toString('base64url');
    const presented = await judged(credential.replace(first, forged)).catch(() => ({}));
    expect(JSON.stringify(presented)).not.toContain('Mallory');
  });

  it('VCI:V15 has neither digests nor disclosures when its type hides nothing', async () => {
    const [credential = ''] = await issue({
      keys: [await createWalletKey()],
      claims: { club: 'A' },
      typeId: PLAIN_TYPE_ID,
    });
    expect(credential.split('~')).toEqual([jwtOf(credential), '']);
    expect(payloadOf(credential)).toMatchObject({ club: 'A' });
    expect(Object.keys(payloadOf(credential)).filter((name) => name.startsWith('_sd'))).toEqual([]);
    expect(await judged(credential)).toMatchObject({ club: 'A' });
  });
});

describe('an issued credential: its header and payload', () => {
  it('VCI:V1 VCI:V2 VCI:V23 has type, algorithm and the chain without its root in the header, and a raw signature', async () => {
    const [credential = ''] = await issue({ keys: [await createWalletKey()] });
    const x5c = pki.issuer.chain.map((der) => der.toString('base64'));
    expect(decodeProtectedHeader(jwtOf(credential))).toEqual({ alg: 'ES256', typ: 'dc+sd-jwt', x5c });
    expect(Buffer.from(jwtOf(credential).split('.')[2] ?? '', 'base64url')).toHaveLength(64);
  });

  it('VCI:V5 VCI:V6 VCI:V7 VCI:V8 VCI:V9 VCI:V11 VCI:V22 VCI:V24 has exactly the claims of the issuer and what is plain', async () => {
    const key = await createWalletKey();
    const decorated: WalletKey = { ...key, jwk: { ...key.jwk, kid: 'correlates', use: 'sig', alg: 'ES256' } };
    const [credential = ''] = await issue({ keys: [decorated] });
    const served = TYPES.get(TYPE_ID)?.bytes ?? new Uint8Array();
    expect(payloadOf(credential)).toEqual({
      iss: ISSUER_URL,
      sub: `urn:ietf:params:oauth:jwk-thumbprint:sha-256:${key.thumbprint}`,
      iat: Date.UTC(2026, 2, 1, 12) / 1000,
      exp: Date.UTC(2026, 2, 2, 13) / 1000,
      vct: `${ISSUER_URL}/oidc4vci/types/${TYPE_ID}`,
      'vct#integrity': `sha256-${createHash('sha256').update(served).digest('base64')}`,
      cnf: { jwk: { kty: 'EC', crv: 'P-256', x: key.jwk.x, y: key.jwk.y } },
      issuing_country: 'canary-issuing-country',
      nationalities: [{ '...': expect.any(String) }, { '...': expect.any(String) }],
      _sd: expect.any(Array),
      _sd_alg: 'sha-256',
    });
  });

  it('VCI:V4 VCI:V5 VCI:V18 hides what the type says, and no registered claim', async () => {
    const [credential = ''] = await issue({ keys: [await createWalletKey()] });
    const names = disclosuresOf(credential).map((one) => (opened(one).length === 3 ? opened(one)[1] : '[]'));
    expect(names.sort()).toEqual(['[]', '[]', 'address', 'country', 'family_name', 'given_name']);
    const address = disclosuresOf(credential)
      .map(opened)
      .find(([, name]) => name === 'address')?.[2];
    expect(address).toEqual({ _sd: [expect.any(String)], locality: 'canary-locality' });
  });

  it('VCI:V14 has digests in an order that says nothing, each once', async () => {
    const [credential = ''] = await issue({ keys: [await createWalletKey()] });
    const digests = payloadOf(credential)['_sd'] as string[];
    expect(digests).toEqual([...digests].sort());
    expect(new Set(digests).size).toBe(digests.length);
    const hashed = new Set(disclosuresOf(credential).map((one) => sha256(one).toString('base64url')));
    for (const digest of digests) expect(hashed.has(digest)).toBe(true);
  });

  it.each([
    ['2026-03-01T12:00:00Z', 12, 36],
    ['2026-03-01T12:00:01Z', 12, 37],
    ['2026-03-01T12:59:59Z', 12, 37],
  ])(
    'VCI:V10 VCI:L3 rounds its times to the hour and is never shorter than its type says: %s',
    async (text, from, to) => {
      const now = new Date(text);
      const [credential = ''] = await issue({ keys: [await createWalletKey()], now });
      const day = Date.UTC(2026, 2, 1) / 1000;
      expect(payloadOf(credential)).toMatchObject({ iat: day + from * HOUR, exp: day + to * HOUR });
      expect(payloadOf(credential)['exp']).toBeGreaterThanOrEqual(now.getTime() / 1000 + VALIDITY_SECONDS);
    },
  );
});

describe('a batch of credentials', () => {
  it('VCI:P3 VCI:L1 VCI:L2 VCI:L3 VCI:L7 VCI:L8 has one for each key in their order, equal but for what must differ', async () => {
    const keys = await Promise.all(Array.from({ length: 4 }, createWalletKey));
    const credentials = await issue({ keys });
    const payloads = credentials.map(payloadOf);
    expect(payloads.map(({ cnf }) => isJsonObject(cnf) && cnf['jwk'])).toEqual(keys.map(({ jwk }) => jwk));
    for (const payload of payloads) expect(payload).not.toHaveProperty('sub');
    const subjects = credentials.map(
      (one) =>
        disclosuresOf(one)
          .map(opened)
          .find(([, name]) => name === 'sub')?.[2],
    );
    expect(new Set(subjects).size).toBe(1);
    expect(subjects[0]).toMatch(/^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    const same = payloads.map(({ iss, iat, exp, vct, issuing_country: country }) => ({ iss, iat, exp, vct, country }));
    expect(new Set(same.map((one) => JSON.stringify(one))).size).toBe(1);
    expect(new Set(credentials.map((one) => disclosuresOf(one).length))).toEqual(new Set([7]));
    for (const credential of credentials)
      expect(await judged(credential)).toMatchObject({ ...CLAIMS, sub: subjects[0] });
    const [other = ''] = await issue({ keys: keys.slice(0, 2) });
    expect(
      disclosuresOf(other)
        .map(opened)
        .find(([, name]) => name === 'sub')?.[2],
    ).not.toBe(subjects[0]);
  });

  it('VCI:V21 VCI:L2 has an index of its own in each, in lists that many share, when its type has a status', async () => {
    const keys = await Promise.all(Array.from({ length: 3 }, createWalletKey));
    const statuses = (await issue({ keys, hasStatus: true })).map((one) => payloadOf(one)['status']);
    expect(statuses).toEqual([0, 1, 2].map((idx) => ({ status_list: { idx, uri: STATUS_LIST_URI } })));
    const without = (await issue({ keys })).map(payloadOf);
    for (const payload of without) expect(payload).not.toHaveProperty('status');
  });

  it('VCI:V13 VCI:L2 shares no salt and no digest, and every salt has 128 bits', async () => {
    const credentials = await issue({ keys: await Promise.all(Array.from({ length: 4 }, createWalletKey)) });
    const salts = credentials.flatMap(saltsOf);
    expect(new Set(salts).size).toBe(28);
    for (const salt of salts) expect(Buffer.from(salt, 'base64url').byteLength).toBeGreaterThanOrEqual(16);
    const digests = credentials.flatMap((one) => payloadOf(one)['_sd'] as string[]);
    expect(new Set(digests).size).toBe(16);
  });
});
