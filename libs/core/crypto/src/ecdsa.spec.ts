import { generateKeyPairSync, sign, type KeyObject } from 'node:crypto';
import { DomainError } from '@vestibule/foundation';
import { ECDSA_ALGORITHMS, parseCompactJws, verifyJws, verifyJwsByJose, type EcdsaAlgorithm } from './index';

const base64url = (text: string) => Buffer.from(text).toString('base64url');

async function outcome(work: () => unknown): Promise<unknown> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof DomainError) return { refused: error.code };
    throw error;
  }
}

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
});
