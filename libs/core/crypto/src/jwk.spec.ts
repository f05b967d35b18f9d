import { generateKeyPairSync } from 'node:crypto';
import { calculateJwkThumbprint } from 'jose';
import { describeWithVectors, readJsonVector, seededRandom } from '@vestibule/testkit';
import {
  createEphemeralKeyPair,
  exportPublicJwk,
  importPublicJwk,
  jwkThumbprint,
  parseEcJwk,
  parsePublicJwk,
  parseSigningJwk,
} from './index';

const { publicJwk } = createEphemeralKeyPair(seededRandom('jwk'));
const refusal = expect.objectContaining({ code: 'jwk_not_allowed' });

describe('parsePublicJwk', () => {
  it('keeps the required members and drops the rest', () => {
    expect(parsePublicJwk({ ...publicJwk, kid: 'k', use: 'sig', x5c: [] })).toEqual(publicJwk);
  });

  it.each([
    ['another curve', { ...publicJwk, crv: 'P-384' }],
    ['another curve with coordinates that are no base64url', { kty: 'EC', crv: 'P-384', x: '!', y: '!' }],
    ['another type', { ...publicJwk, kty: 'OKP' }],
    ['a short coordinate', { ...publicJwk, x: 'AAAA' }],
    ['padding', { ...publicJwk, x: `${publicJwk.x}=` }],
    ['a missing coordinate', { kty: 'EC', crv: 'P-256', x: publicJwk.x }],
    ['an array', [publicJwk]],
    ['null', null],
  ])('refuses %s', (_what, jwk) => {
    expect(() => parsePublicJwk(jwk)).toThrow(refusal);
  });

  it.each(['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k'])('refuses the private member %s', (name) => {
    expect(() => parsePublicJwk({ ...publicJwk, [name]: publicJwk.x })).toThrow(refusal);
  });

  it('refuses a point that is not on the curve', () => {
    expect(() => importPublicJwk({ ...publicJwk, x: publicJwk.y })).toThrow(refusal);
  });

  it('exports what it imported, from a public and a private key', () => {
    expect(exportPublicJwk(importPublicJwk(publicJwk))).toEqual(publicJwk);
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    expect(exportPublicJwk(privateKey)).toEqual(exportPublicJwk(publicKey));
    expect(() => exportPublicJwk(generateKeyPairSync('ed25519').publicKey)).toThrow(refusal);
  });
});

describe('keys on other curves', () => {
  const jwkOn = (namedCurve: string) => ({
    ...generateKeyPairSync('ec', { namedCurve }).publicKey.export({ format: 'jwk' }),
  });

  it.each(['P-256', 'P-384', 'P-521'] as const)('are read where %s is allowed, and named as jose does', async (crv) => {
    const jwk = jwkOn(crv);
    expect(parseEcJwk({ ...jwk, use: 'enc' }, [crv])).toEqual(jwk);
    expect(() => parseEcJwk(jwk, [])).toThrow(refusal);
    const others = (['P-256', 'P-384', 'P-521'] as const).filter((one) => one !== crv);
    expect(() => parseEcJwk(jwk, others)).toThrow(refusal);
    for (const other of others) expect(() => parseEcJwk({ ...jwk, crv: other }, [other])).toThrow(refusal);
    const read = parseEcJwk(jwk, [crv]);
    expect(importPublicJwk(read).asymmetricKeyDetails?.namedCurve).toBeDefined();
    expect(() => importPublicJwk({ ...read, x: read.y })).toThrow(refusal);
    expect(jwkThumbprint(read)).toBe(await calculateJwkThumbprint({ ...jwk }));
  });

  it('are for signatures, with the algorithm of their curve', () => {
    const jwk = jwkOn('P-384');
    expect(parseSigningJwk({ ...jwk, alg: 'ES384', use: 'sig', key_ops: ['verify'] }, ['P-384'])).toEqual(jwk);
    expect(parseSigningJwk(jwk, ['P-384'])).toEqual(jwk);
    // What wallets export with a public key that they made together with the private one.
    expect(parseSigningJwk({ ...jwk, key_ops: ['sign'] }, ['P-384'])).toEqual(jwk);
    const foreign = [{ alg: 'ES256' }, { use: 'enc' }, { key_ops: ['deriveBits'] }, { key_ops: [] }];
    for (const members of [...foreign, { key_ops: 'verify' }, { d: jwk.x }]) {
      expect(() => parseSigningJwk({ ...jwk, ...members }, ['P-384'])).toThrow(refusal);
    }
  });
});

describe('VP:M11 jwkThumbprint', () => {
  it('agrees with jose', async () => {
    expect(jwkThumbprint(publicJwk)).toBe(await calculateJwkThumbprint({ ...publicJwk }));
  });
});

describeWithVectors('VP:M11 jwkThumbprint vectors', () => {
  interface Entry {
    jwk: { kty: string; crv?: string };
    thumbprint: string;
  }
  const entries = readJsonVector('verifier/rfc7638-jwk-thumbprint/thumbprints.json') as Entry[];
  it.each(entries.filter(({ jwk }) => jwk.crv === 'P-256'))('computes $thumbprint', ({ jwk, thumbprint }) => {
    expect(jwkThumbprint(parsePublicJwk(jwk))).toBe(thumbprint);
  });
});
