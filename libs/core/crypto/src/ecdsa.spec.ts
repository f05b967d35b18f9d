import { generateKeyPairSync, sign, verify, type KeyObject } from 'node:crypto';
import { DomainError } from '@vestibule/foundation';
import {
  ECDSA_ALGORITHMS,
  parseCompactJws,
  signEs256,
  verifyEs256,
  verifyJws,
  verifyJwsByJose,
  type EcdsaAlgorithm,
} from './index';

const base64url = (text: string) => Buffer.from(text).toString('base64url');

async function outcome(work: () => unknown): Promise<unknown> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof DomainError) return { refused: error.code };
    throw error;
  }
}

describe('ES256', () => {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const input = Buffer.from('input');

  it('is SHA-256 with a key on P-256, over these bytes alone', () => {
    const signature = signEs256(privateKey, input);
    expect(verify('sha256', input, { key: publicKey, dsaEncoding: 'ieee-p1363' }, signature)).toBe(true);
    expect(verifyEs256(publicKey, input, signature)).toBe(true);
    expect(verifyEs256(publicKey, Buffer.from('other'), signature)).toBe(false);
    expect(verifyEs256(publicKey, input, signature.subarray(1))).toBe(false);
  });

  it.each(['P-384', 'secp256k1'])('never signs with a key on %s', (namedCurve) => {
    expect(() => signEs256(generateKeyPairSync('ec', { namedCurve }).privateKey, input)).toThrow(TypeError);
  });
});

describe('the two paths of a signature', () => {
  const CURVES = [
    ['ES256', 'P-256', 'sha256'],
    ['ES384', 'P-384', 'sha384'],
    ['ES512', 'P-521', 'sha512'],
  ] as const;
  const pairs = CURVES.map(([alg, curve, hash]) => ({
    alg,
    hash,
    keys: generateKeyPairSync('ec', { namedCurve: curve }),
  }));
  const signedAs = (alg: string, hash: string, key: KeyObject, encoding: 'ieee-p1363' | 'der' = 'ieee-p1363') => {
    const input = `${base64url(JSON.stringify({ alg }))}.${base64url('{}')}`;
    return `${input}.${sign(hash, Buffer.from(input), { key, dsaEncoding: encoding }).toString('base64url')}`;
  };
  const judge = async (text: string, key: KeyObject, allowed?: readonly EcdsaAlgorithm[]) => {
    const jws = parseCompactJws(text);
    const ours = await outcome(() => verifyJws(jws, key, allowed));
    expect(await outcome(() => verifyJwsByJose(jws, key, allowed))).toEqual(ours);
    return ours;
  };

  it.each(pairs)('take $alg where it is allowed, with keys of its curve alone', async ({ alg, hash, keys: own }) => {
    const text = signedAs(alg, hash, own.privateKey);
    expect(await judge(text, own.publicKey, ECDSA_ALGORITHMS)).toBeUndefined();
    const others = ECDSA_ALGORITHMS.filter((one) => one !== alg);
    expect(await judge(text, own.publicKey, others)).toEqual({ refused: 'jws_algorithm_not_allowed' });
    if (alg !== 'ES256') expect(await judge(text, own.publicKey)).toEqual({ refused: 'jws_algorithm_not_allowed' });
    const invalid = { refused: 'jws_signature_invalid' };
    const der = signedAs(alg, hash, own.privateKey, 'der');
    expect(await judge(der, own.publicKey, ECDSA_ALGORITHMS)).toEqual(invalid);
    for (const other of pairs.filter((one) => one.alg !== alg)) {
      // Another key, the name of another algorithm, and its hash.
      expect(await judge(text, other.keys.publicKey, ECDSA_ALGORITHMS)).toEqual(invalid);
      const renamed = signedAs(other.alg, hash, own.privateKey);
      expect(await judge(renamed, own.publicKey, ECDSA_ALGORITHMS)).toEqual(invalid);
      const hashed = signedAs(alg, other.hash, own.privateKey);
      expect(await judge(hashed, own.publicKey, ECDSA_ALGORITHMS)).toEqual(invalid);
    }
  });

  it.each<[string, { readonly publicKey: KeyObject; readonly privateKey: KeyObject }]>([
    ['another curve of the same size', generateKeyPairSync('ec', { namedCurve: 'secp256k1' })],
    ['RSA', generateKeyPairSync('rsa', { modulusLength: 512 })],
  ])('refuse a signature of 64 bytes that a key on %s made', async (_what, own) => {
    const text = signedAs('ES256', 'sha256', own.privateKey);
    expect(parseCompactJws(text).signature.byteLength).toBe(64);
    expect(await judge(text, own.publicKey, ECDSA_ALGORITHMS)).toEqual({ refused: 'jws_signature_invalid' });
  });
});
