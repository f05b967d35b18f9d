import { createPublicKey, generateKeyPairSync, sign, type KeyObject } from 'node:crypto';
import type { EcdsaAlgorithm } from '@vestibule/crypto';
import type { JsonObject } from '@vestibule/foundation';
import { verifyKeyProofs, type KeyProofExpectation } from './index';

const audience = 'https://c.example.com/issuer';
const now = new Date('2026-03-01T12:00:00Z');
const seconds = now.getTime() / 1000;
const SIGNING = { ES256: ['P-256', 'sha256'], ES384: ['P-384', 'sha384'], ES512: ['P-521', 'sha512'] } as const;
const ALGORITHMS = ['ES256', 'ES384', 'ES512'] as const;

const newKey = (alg: EcdsaAlgorithm) => generateKeyPairSync('ec', { namedCurve: SIGNING[alg][0] }).privateKey;
const jwkOf = (key: KeyObject) => ({ ...createPublicKey(key).export({ format: 'jwk' }) }) as JsonObject;
const encode = (value: JsonObject) => Buffer.from(JSON.stringify(value)).toString('base64url');

function signAs(alg: EcdsaAlgorithm, header: JsonObject, claims: JsonObject, key: KeyObject): string {
  const input = `${encode({ ...header, alg })}.${encode(claims)}`;
  const signature = sign(SIGNING[alg][1], Buffer.from(input), { key, dsaEncoding: 'ieee-p1363' });
  return `${input}.${signature.toString('base64url')}`;
}

const attesters = { ES256: newKey('ES256'), ES384: newKey('ES384'), ES512: newKey('ES512') };
const holders = { ES256: newKey('ES256'), ES384: newKey('ES384'), ES512: newKey('ES512') };
const attestation = (by: EcdsaAlgorithm, keys: readonly JsonObject[]) =>
  signAs(
    by,
    { typ: 'key-attestation+jwt', kid: by },
    { iat: seconds, exp: seconds + 60, nonce: 'n', attested_keys: [...keys] },
    attesters[by],
  );
const proof = (alg: EcdsaAlgorithm, header: JsonObject, key: KeyObject = holders[alg]) =>
  signAs(alg, { typ: 'openid4vci-proof+jwt', ...header }, { aud: audience, iat: seconds, nonce: 'n' }, key);
const expectation: KeyProofExpectation = {
  audience,
  now,
  client: 'anonymous',
  attesterKeys: ({ kid }) => ALGORITHMS.filter((one) => one === kid).map((one) => createPublicKey(attesters[one])),
  maxKeys: 10,
  requirement: undefined,
  algorithms: ['ES256', 'ES384'],
};
const verify = (proofType: 'jwt' | 'attestation', text: string, changes: Partial<KeyProofExpectation> = {}) =>
  verifyKeyProofs({ proofType, proofs: [text] }, { ...expectation, ...changes });
const refused = expect.objectContaining({ code: 'invalid_proof' });

describe('an attester', () => {
  const one = jwkOf(holders.ES256);

  it.each(ALGORITHMS)('VCI:K2 may sign with %s, as a proof and in its header', async (alg) => {
    expect((await verify('attestation', attestation(alg, [one]))).keys).toEqual([one]);
    const header = { key_attestation: attestation(alg, [one]), kid: '0' };
    expect((await verify('jwt', proof('ES256', header))).keys).toEqual([one]);
  });

  it.each(ALGORITHMS)('VCI:K2 does not sign under the name of another who uses %s', async (alg) => {
    const [header = '', payload = '', signature = ''] = attestation(alg, [one]).split('.');
    for (const other of ALGORITHMS.filter((name) => name !== alg)) {
      const renamed = encode({ typ: 'key-attestation+jwt', kid: other, alg });
      await expect(verify('attestation', `${renamed}.${payload}.${signature}`)).rejects.toThrow(refused);
      const pretended = encode({ typ: 'key-attestation+jwt', kid: alg, alg: other });
      await expect(verify('attestation', `${pretended}.${payload}.${signature}`)).rejects.toThrow(refused);
    }
    await expect(verify('attestation', `${header}.${encode({ attested_keys: [one] })}.${signature}`)).rejects.toThrow(
      refused,
    );
  });
});

describe('a key on P-384', () => {
  const [small, large, largest] = [jwkOf(holders.ES256), jwkOf(holders.ES384), jwkOf(holders.ES512)];

  it('VCI:J2 VCI:K5 is taken where the type lists ES384: plain, attested by kid, by place or alone', async () => {
    expect((await verify('jwt', proof('ES384', { jwk: large }))).keys).toEqual([large]);
    expect((await verify('attestation', attestation('ES256', [large, small]))).keys).toEqual([large, small]);
    for (const named of [{}, { kid: '0' }, { jwk: large }] as JsonObject[]) {
      const header = { key_attestation: attestation('ES512', [large, small]), ...named };
      expect((await verify('jwt', proof('ES384', header))).keys).toEqual([large, small]);
    }
  });

  it('VCI:J2 VCI:K5 is refused where the type does not list it', async () => {
    const alone = { algorithms: ['ES256'] as const };
    await expect(verify('jwt', proof('ES384', { jwk: large }), alone)).rejects.toThrow(refused);
    await expect(verify('attestation', attestation('ES384', [small, large]), alone)).rejects.toThrow(refused);
    const header = { key_attestation: attestation('ES384', [large]) };
    await expect(verify('jwt', proof('ES384', header), alone)).rejects.toThrow(refused);
  });

  it('VCI:J2 VCI:J7 signs with ES384 and its own curve alone', async () => {
    await expect(verify('jwt', proof('ES256', { jwk: large }))).rejects.toThrow(refused);
    await expect(verify('jwt', proof('ES384', { jwk: small }))).rejects.toThrow(refused);
    await expect(verify('jwt', proof('ES384', { jwk: { ...large, crv: 'P-256' } }))).rejects.toThrow(refused);
    await expect(verify('jwt', proof('ES384', { jwk: large }, newKey('ES384')))).rejects.toThrow(refused);
    await expect(verify('jwt', proof('ES384', { jwk: { ...large, x: large['y'] ?? '' } }))).rejects.toThrow(refused);
  });

  it('VCI:J2 VCI:K5 does not bring P-521 with it', async () => {
    await expect(verify('jwt', proof('ES512', { jwk: largest }))).rejects.toThrow(refused);
    await expect(verify('attestation', attestation('ES512', [largest]))).rejects.toThrow(refused);
  });
});
