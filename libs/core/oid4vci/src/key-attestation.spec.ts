import { createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { exportPublicJwk, signCompactJws } from '@vestibule/crypto';
import type { JsonObject, JsonValue } from '@vestibule/foundation';
import { verifyKeyProofs, type KeyAttestationRequirement, type KeyProofExpectation, type ProofType } from './index';

const audience = 'https://c.example.com/issuer';
const now = new Date('2026-03-01T12:00:00Z');
const seconds = now.getTime() / 1000;
const newKey = () => generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
const [attester, first, second, third] = [newKey(), newKey(), newKey(), newKey()] as [
  KeyObject,
  KeyObject,
  KeyObject,
  KeyObject,
];
const jwkOf = (key: KeyObject): JsonObject => ({ ...exportPublicJwk(key) });
const [one, two, three] = [jwkOf(first), jwkOf(second), jwkOf(third)] as [JsonObject, JsonObject, JsonObject];
const kept = (members: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== null));

/** A member that is null in `changes` or `header` is left out. */
const attestation = (changes: JsonObject = {}, header: JsonObject = {}, signer = attester) =>
  signCompactJws(
    kept({ typ: 'key-attestation+jwt', kid: 'attester', ...header }),
    kept({ iat: seconds - 60, exp: seconds + 3_600, nonce: 'n-1', attested_keys: [one, two, three], ...changes }),
    signer,
  );
const proof = (signer: KeyObject, header: JsonObject, claims: JsonObject = {}) =>
  signCompactJws(
    kept({ typ: 'openid4vci-proof+jwt', jwk: jwkOf(signer), ...header }),
    { aud: audience, iat: seconds, nonce: 'n-1', ...claims },
    signer,
  );
const attesterKeys: KeyProofExpectation['attesterKeys'] = ({ kid }) =>
  kid === 'attester' ? [createPublicKey(attester)] : [];
const anyLevel: KeyAttestationRequirement = { keyStorage: [], userAuthentication: [] };
const verify = (proofType: ProofType, proofs: string[], changes: Partial<KeyProofExpectation> = {}) => {
  const expected = {
    audience,
    now,
    client: 'anonymous' as const,
    attesterKeys,
    maxKeys: 10,
    requirement: undefined,
    algorithms: ['ES256'] as const,
    ...changes,
  };
  return verifyKeyProofs({ proofType, proofs }, expected);
};
const refused = expect.objectContaining({ code: 'invalid_proof' });

describe('the first attested key', () => {
  const signers = 'first_attested' as const;
  const header = (kid: string | null) => ({ jwk: null, kid, key_attestation: attestation() });

  it('EU:K4 alone may prove where that is demanded, however the proof names it', async () => {
    for (const kid of ['0', null])
      expect((await verify('jwt', [proof(first, header(kid))], { signers })).keys).toHaveLength(3);
    const named = proof(first, { key_attestation: attestation() });
    expect((await verify('jwt', [named], { signers })).keys).toEqual([one, two, three]);
    expect((await verify('attestation', [attestation()], { signers })).keys).toEqual([one, two, three]);
  });

  it('EU:K4 is not any other attested key, nor one without an attestation', async () => {
    const others = [proof(second, header('1')), proof(second, { key_attestation: attestation() }), proof(first, {})];
    for (const other of others) {
      await expect(verify('jwt', [other], { signers })).rejects.toMatchObject({ reason: 'proof_key_not_first' });
      await expect(verify('jwt', [other])).resolves.toHaveProperty('keys');
    }
    const both = [proof(first, header('0')), proof(second, header('1'))];
    await expect(verify('jwt', both, { signers })).rejects.toEqual(refused);
  });
});

describe('what an attestation says about its status', () => {
  it('VCI:K14 is given unchecked, once for each attestation', async () => {
    const status = { status_list: { uri: 'https://provider.example/list', idx: 1 } };
    const told = attestation({ status, key_storage_status: { status, exp: seconds } });
    const expected = [{ header: expect.any(Object), own: status, maintained: { status, exp: seconds } }];
    expect((await verify('attestation', [told])).statuses).toEqual(expected);
    const proofs = [first, second].map((key) => proof(key, { key_attestation: told }));
    expect((await verify('jwt', proofs)).statuses).toEqual(expected);
    expect((await verify('jwt', [proof(first, {})])).statuses).toEqual([]);
  });
});

describe('an attestation as a proof', () => {
  it('VCI:K8 VCI:K13 stands for all of its keys, in their order', async () => {
    expect(await verify('attestation', [attestation()])).toMatchObject({ keys: [one, two, three], nonces: ['n-1'] });
  });

  it('VCI:K13 gives no more keys than one request may get credentials for', async () => {
    expect((await verify('attestation', [attestation()], { maxKeys: 2 })).keys).toEqual([one, two]);
    const header = { key_attestation: attestation() };
    expect((await verify('jwt', [proof(third, header)], { maxKeys: 2 })).keys).toEqual([three, one]);
  });

  it('VCI:K4 VCI:K8 need not expire, and may have a long nonce', async () => {
    expect((await verify('attestation', [attestation({ exp: null, nonce: 'n'.repeat(512) })])).keys).toHaveLength(3);
  });

  it.each<[string, string]>([
    ['VCI:K1 the typ of old drafts', attestation({}, { typ: 'keyattestation+jwt' })],
    ['VCI:K1 no typ', attestation({}, { typ: null })],
    ['VCI:K3 an attester that nobody trusts', attestation({}, {}, first)],
    ['VCI:K3 a key in the header', attestation({}, { kid: 'me', jwk: one }, first)],
    ['VCI:K4 no iat', attestation({ iat: null })],
    ['VCI:K4 an iat to come', attestation({ iat: seconds + 61 })],
    ['VCI:K4 an exp that is over', attestation({ exp: seconds - 61 })],
    ['VCI:K4 an exp of text', attestation({ exp: 'tomorrow' })],
    ['VCI:K4 an nbf to come', attestation({ nbf: seconds + 61 })],
    ['VCI:K5 no keys', attestation({ attested_keys: null })],
    ['VCI:K5 an empty list of keys', attestation({ attested_keys: [] })],
    ['VCI:K5 a private key', attestation({ attested_keys: [{ ...one, d: 'AAAA' }] })],
    ['VCI:K5 a key on another curve', attestation({ attested_keys: [{ ...one, crv: 'P-384' }] })],
    ['VCI:K5 a point off the curve', attestation({ attested_keys: [{ ...one, y: one['x'] ?? '' }] })],
    ['VCI:K5 a key twice', attestation({ attested_keys: [one, { ...one, kid: 'again' }] })],
    ['VCI:K8 no nonce', attestation({ nonce: null })],
    ['VCI:K8 a nonce that is no text', attestation({ nonce: 1 })],
    ['VCI:K8 a list with a nonce', attestation({ nonce: ['n-1'] })],
    ['VCI:K8 an empty nonce', attestation({ nonce: '' })],
    ['VCI:K8 a nonce of 513 characters', attestation({ nonce: 'n'.repeat(513) })],
  ])('refuses %s', async (_what, text) => {
    await expect(verify('attestation', [text])).rejects.toThrow(refused);
  });

  it.each(['none', 'HS256', 'ES384'])('VCI:K2 refuses the algorithm %s', async (alg) => {
    const [, ...rest] = attestation().split('.');
    const header = Buffer.from(JSON.stringify({ typ: 'key-attestation+jwt', kid: 'attester', alg }));
    await expect(verify('attestation', [[header.toString('base64url'), ...rest].join('.')])).rejects.toThrow(refused);
  });

  it('VCI:K5 refuses more than 100 keys', async () => {
    const keys = Array.from({ length: 101 }, () => jwkOf(newKey()));
    const most = attestation({ attested_keys: keys.slice(1) });
    expect((await verify('attestation', [most], { maxKeys: 200 })).keys).toEqual(keys.slice(1));
    await expect(verify('attestation', [attestation({ attested_keys: keys })])).rejects.toThrow(refused);
  });

  it('VCI:K7 refuses a second one, and all where nobody may attest', async () => {
    await expect(verify('attestation', [attestation(), attestation()])).rejects.toThrow(refused);
    await expect(verify('attestation', [attestation()], { attesterKeys: undefined })).rejects.toThrow(refused);
  });
});

describe('an attestation in the header of a jwt proof', () => {
  const attested = (changes: JsonObject = {}) => ({ key_attestation: attestation(changes) });

  it('VCI:K6 VCI:K13 gives one key for each attested one, the proven first, never one for each pair', async () => {
    expect((await verify('jwt', [proof(second, attested())])).keys).toEqual([two, one, three]);
    const all = [third, first, second].map((key) => proof(key, attested()));
    expect((await verify('jwt', all)).keys).toEqual([three, one, two]);
  });

  it('VCI:K6 refuses a proof with a key that is not attested', async () => {
    await expect(verify('jwt', [proof(newKey(), attested())])).rejects.toThrow(refused);
  });

  it.each<[string, JsonObject]>([
    ['VCI:K4 without iat', attested({ iat: null })],
    ['VCI:K4 without exp', attested({ exp: null })],
    ['VCI:K4 that has expired', attested({ exp: seconds - 61 })],
    ['VCI:K5 without keys', attested({ attested_keys: [] })],
    ['VCI:K3 by a stranger', { key_attestation: attestation({}, {}, second) }],
    ['VCI:K1 that is no text', { key_attestation: 1 }],
  ])('refuses one %s', async (_what, header) => {
    await expect(verify('jwt', [proof(first, header)])).rejects.toThrow(refused);
  });

  it('VCI:K9 hands over its nonce to be checked too, and takes one without', async () => {
    expect((await verify('jwt', [proof(first, attested({ nonce: 'n-2' }))])).nonces).toEqual(['n-1', 'n-2']);
    expect((await verify('jwt', [proof(first, attested({ nonce: null }))])).nonces).toEqual(['n-1']);
  });

  it('VCI:K12 is judged where attesters are known, and not read where none are', async () => {
    const untrusted = proof(first, { key_attestation: attestation({}, {}, second) });
    await expect(verify('jwt', [untrusted])).rejects.toThrow(refused);
    expect((await verify('jwt', [untrusted], { attesterKeys: undefined })).keys).toEqual([one]);
  });

  it('VCI:J6 may name the proof’s key by its kid, else by its place', async () => {
    const named = attested({
      attested_keys: [
        { ...one, kid: 'a' },
        { ...two, kid: '0' },
      ],
    });
    const keysOf = async (signer: KeyObject, header: JsonObject) =>
      (await verify('jwt', [proof(signer, { jwk: null, ...header })])).keys;
    expect(await keysOf(second, { ...named, kid: '0' })).toEqual([two, one]);
    expect(await keysOf(second, { ...named, kid: '1' })).toEqual([two, one]);
    expect(await keysOf(first, { ...named, kid: 'a' })).toEqual([one, two]);
    expect(await keysOf(second, { ...attested(), kid: '1' })).toEqual([two, one, three]);
    // The kid of a key hides the place of another one.
    await expect(keysOf(first, { ...named, kid: '0' })).rejects.toThrow(refused);
    for (const kid of ['b', '2', '']) await expect(keysOf(first, { ...named, kid })).rejects.toThrow(refused);
  });

  it.each<JsonValue>([
    '00',
    '01',
    '+0',
    '+1',
    '-0',
    ' 0',
    '0 ',
    '0.0',
    '0x0',
    '1e0',
    '3',
    '9',
    '٠',
    '',
    0,
    null,
    ['0'],
    { a: '0' },
  ])('VCI:J6 refuses %j as place of a key', async (kid) => {
    const header = { typ: 'openid4vci-proof+jwt', ...attested(), kid };
    const claims = { aud: audience, iat: seconds, nonce: 'n-1' };
    for (const signer of [first, second]) {
      await expect(verify('jwt', [signCompactJws(header, claims, signer)])).rejects.toThrow(refused);
    }
  });

  it('VCI:J6 stands for its first key where the proof names none', async () => {
    const unnamed = { jwk: null, ...attested() };
    expect((await verify('jwt', [proof(first, unnamed)])).keys).toEqual([one, two, three]);
    await expect(verify('jwt', [proof(second, unnamed)])).rejects.toThrow(refused);
    await expect(verify('jwt', [proof(newKey(), unnamed)])).rejects.toThrow(refused);
    await expect(verify('jwt', [proof(first, unnamed)], { attesterKeys: undefined })).rejects.toThrow(refused);
    await expect(verify('jwt', [proof(first, { ...unnamed, x5c: ['MIIB'] })])).rejects.toThrow(refused);
    await expect(verify('jwt', [proof(first, { ...attested(), kid: '0' })])).rejects.toThrow(refused);
  });
});

describe('a key that says what it is for', () => {
  const given = (members: JsonObject) => attestation({ attested_keys: [{ ...one, ...members }, two] });

  it.each<[string, JsonObject]>([
    ['a use for signatures, an algorithm, a kid and an iat', { use: 'sig', alg: 'ES256', kid: 'a', iat: seconds }],
    ['the operation verify', { key_ops: ['verify'] }],
    ['the operation sign, as wallets export it', { key_ops: ['sign'] }],
  ])('VCI:K5 is taken with %s', async (_what, members) => {
    expect((await verify('attestation', [given(members)])).keys).toEqual([one, two]);
    expect((await verify('jwt', [proof(first, { key_attestation: given(members) })])).keys).toEqual([one, two]);
    expect((await verify('jwt', [proof(first, { jwk: { ...one, ...members } })])).keys).toEqual([one]);
  });

  it.each<[string, JsonObject]>([
    ['encryption', { use: 'enc' }],
    ['a use that is no text', { use: ['sig'] }],
    ['another use', { use: 'SIG' }],
    ['key agreement', { alg: 'ECDH-ES' }],
    ['another signature algorithm', { alg: 'ES384' }],
    ['deriving keys', { key_ops: ['deriveKey'] }],
    ['no operation', { key_ops: [] }],
    ['operations that are no list', { key_ops: 'verify' }],
  ])('VCI:K5 is refused if it is for %s, attested or in the header', async (_what, members) => {
    await expect(verify('attestation', [given(members)])).rejects.toThrow(refused);
    await expect(verify('jwt', [proof(second, { key_attestation: given(members) })])).rejects.toThrow(refused);
    await expect(verify('jwt', [proof(first, { jwk: { ...one, ...members } })])).rejects.toThrow(refused);
  });
});

describe('a type whose keys must be attested', () => {
  const requirement = { keyStorage: ['iso_18045_high', 'iso_18045_moderate'], userAuthentication: ['iso_18045_high'] };
  const levels = { key_storage: ['iso_18045_moderate'], user_authentication: ['iso_18045_high'] };

  it('VCI:K11 VCI:M17 refuses a plain proof', async () => {
    await expect(verify('jwt', [proof(first, {})], { requirement: anyLevel })).rejects.toThrow(refused);
    await expect(verify('jwt', [proof(first, {})], { requirement: anyLevel, attesterKeys: undefined })).rejects.toThrow(
      refused,
    );
    const header = { key_attestation: attestation() };
    expect((await verify('jwt', [proof(first, header)], { requirement: anyLevel })).keys).toHaveLength(3);
  });

  it('VCI:K10 takes one level of each list', async () => {
    const more = { ...levels, key_storage: ['iso_18045_basic', 'iso_18045_moderate'] };
    for (const given of [levels, more].map((met) => attestation(met))) {
      expect((await verify('attestation', [given], { requirement })).keys).toHaveLength(3);
      expect((await verify('jwt', [proof(first, { key_attestation: given })], { requirement })).keys).toHaveLength(3);
    }
  });

  it.each<[string, JsonObject]>([
    ['a lower key storage', { ...levels, key_storage: ['iso_18045_basic'] }],
    ['no key storage', { ...levels, key_storage: null }],
    ['a key storage that is no list', { ...levels, key_storage: 'iso_18045_moderate' }],
    ['a lower user authentication', { ...levels, user_authentication: ['iso_18045_basic'] }],
    ['no user authentication', { ...levels, user_authentication: null }],
  ])('VCI:K10 refuses %s, as a proof and in the header of one', async (_what, changes) => {
    const given = attestation(changes);
    const tooLow = { code: 'invalid_proof', reason: expect.stringMatching(/_too_low$/) };
    const inHeader = proof(first, { key_attestation: given });
    await expect(verify('attestation', [given], { requirement })).rejects.toMatchObject(tooLow);
    await expect(verify('jwt', [inHeader], { requirement })).rejects.toMatchObject(tooLow);
  });
});
