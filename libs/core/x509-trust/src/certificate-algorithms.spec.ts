import { generateKeyPairSync, sign, type KeyObject } from 'node:crypto';
import { isSignedBy, requireAllowedAlgorithms, type Signed } from './certificate-algorithms';

const signedBytes = Buffer.from('what an authority signs');
const ec = (namedCurve: string) => generateKeyPairSync('ec', { namedCurve });
const KEYS = {
  'P-256': ec('P-256'),
  'P-384': ec('P-384'),
  'P-521': ec('P-521'),
  RSA: generateKeyPairSync('rsa', { modulusLength: 2048 }),
};
const ALGORITHMS = [
  ['1.2.840.10045.4.3.2', 'P-256', 'sha256'],
  ['1.2.840.10045.4.3.3', 'P-384', 'sha384'],
  ['1.2.840.10045.4.3.4', 'P-521', 'sha512'],
  ['1.2.840.113549.1.1.11', 'RSA', 'sha256'],
  ['1.2.840.113549.1.1.12', 'RSA', 'sha384'],
  ['1.2.840.113549.1.1.13', 'RSA', 'sha512'],
] as const;
const signedWith = (signatureAlgorithm: string, hash: string, key: KeyObject): Signed => ({
  signatureAlgorithm,
  signedBytes,
  signature: sign(hash, signedBytes, key),
});

describe('isSignedBy', () => {
  it.each(ALGORITHMS)(
    'VP:N9 is true for %s with a key on %s and %s, and for no other hash or key',
    (oid, type, hash) => {
      const { privateKey, publicKey } = KEYS[type];
      expect(isSignedBy(signedWith(oid, hash, privateKey), publicKey)).toBe(true);
      const others = ['sha1', 'sha256', 'sha384', 'sha512'].filter((one) => one !== hash);
      for (const other of others) expect(isSignedBy(signedWith(oid, other, privateKey), publicKey)).toBe(false);
      for (const [name, other] of Object.entries(KEYS)) {
        expect(isSignedBy(signedWith(oid, hash, privateKey), other.publicKey)).toBe(name === type);
      }
    },
  );

  it.each([
    ['SHA-1 with ECDSA', '1.2.840.10045.4.1', 'sha1', KEYS['P-256']],
    ['SHA-1 with RSA', '1.2.840.113549.1.1.5', 'sha1', KEYS.RSA],
    ['a key on secp256k1', '1.2.840.10045.4.3.2', 'sha256', ec('secp256k1')],
    ['RSA with 1024 bits', '1.2.840.113549.1.1.11', 'sha256', generateKeyPairSync('rsa', { modulusLength: 1024 })],
  ] as const)('VP:N9 is false for %s', (_what, oid, hash, { privateKey, publicKey }) => {
    expect(isSignedBy(signedWith(oid, hash, privateKey), publicKey)).toBe(false);
  });

  it('VP:N9 is false for a key with which nothing can be verified', () => {
    const unusable = { asymmetricKeyType: 'ec', asymmetricKeyDetails: { namedCurve: 'prime256v1' } } as KeyObject;
    expect(isSignedBy(signedWith('1.2.840.10045.4.3.2', 'sha256', KEYS['P-256'].privateKey), unusable)).toBe(false);
  });
});

describe('requireAllowedAlgorithms', () => {
  const judge = (asymmetricKeyType: string, asymmetricKeyDetails: KeyObject['asymmetricKeyDetails']) => {
    const publicKey = { asymmetricKeyType, asymmetricKeyDetails } as KeyObject;
    const signed = { signatureAlgorithm: '1.2.840.113549.1.1.11', signedBytes, signature: signedBytes };
    try {
      requireAllowedAlgorithms({ ...signed, publicKey });
      return 'allowed';
    } catch (error) {
      return (error as { readonly code: string }).code;
    }
  };
  const rsa = (modulusLength: number, publicExponent: bigint) => judge('rsa', { modulusLength, publicExponent });
  const refused = 'certificate_algorithm_not_allowed';

  it('VP:N9 takes RSA from 2048 to 8192 bits, with an odd exponent from 3 to 32 bits', () => {
    expect([2047, 2048, 8192, 8193].map((bits) => rsa(bits, 65_537n))).toEqual([
      refused,
      'allowed',
      'allowed',
      refused,
    ]);
    expect([3n, 2n ** 32n - 1n].map((exponent) => rsa(2048, exponent))).toEqual(['allowed', 'allowed']);
    for (const exponent of [0n, 1n, 2n, 4n, 2n ** 32n, 2n ** 32n + 1n]) expect(rsa(2048, exponent)).toBe(refused);
  });

  it('VP:N9 takes no other type of key, whatever its numbers', () => {
    expect(judge('rsa-pss', { modulusLength: 2048, publicExponent: 65_537n })).toBe(refused);
    expect(judge('ed25519', {})).toBe(refused);
    expect(judge('ec', { namedCurve: 'secp256k1' })).toBe(refused);
    expect(judge('ec', { namedCurve: 'secp384r1' })).toBe('allowed');
  });
});
