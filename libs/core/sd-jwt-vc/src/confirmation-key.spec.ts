import { describeWithVectors, readJsonVector } from '@vestibule/testkit';
import { jwkThumbprint } from '@vestibule/crypto';
import { getConfirmationKey, parseSdJwtVc, unpackClaims, verifyKeyBinding } from './index';
import { bind, build, expectation, failsWith, holder, holderJwk, parse } from './testing/sd-jwt-builder.fixture-spec';

const keyOf = (cnf: unknown) => getConfirmationKey(unpackClaims(parse({ payload: { cnf } })).claims);
const minimal = { kty: holderJwk.kty, crv: holderJwk.crv, x: holderJwk.x, y: holderJwk.y };

describe('VP:L11 the confirmation key', () => {
  it('may have further members (sd:pos-cnf-extra-members)', () => {
    const jwk = { ...minimal, kid: '1', use: 'sig', alg: 'ES256', key_ops: ['verify'], x5t: 'a', 'urn:x': {} };
    expect(keyOf({ jwk, kid: '1' })).toEqual(minimal);
  });

  it('may be declared for signing and verifying', () => {
    expect(keyOf({ jwk: { ...minimal, key_ops: ['sign', 'verify'] } })).toEqual(minimal);
  });

  it('may be minimal', () => {
    expect(keyOf({ jwk: minimal })).toEqual(minimal);
  });

  it.each([
    ['missing', undefined],
    ['kid-only', { kid: 'key-1' }],
    ['jku-only', { jku: 'https://holder.example/jwks', kid: '1' }],
    ['x5u-only', { x5u: 'https://holder.example/cert' }],
    ['jwe-only', { jwe: 'a.b.c.d.e' }],
    ['empty', {}],
    ['string', 'key'],
    ['null', null],
    ['array', [{ jwk: minimal }]],
  ])('is missed (sd:neg-cnf-%s)', (_case, cnf) => {
    expect(() => keyOf(cnf)).toThrow(failsWith('confirmation_key_missing'));
  });

  it.each([
    ['private', { jwk: { ...minimal, d: minimal.x } }],
    ['symmetric', { jwk: { kty: 'oct', k: 'AAAA' } }],
    ['rsa', { jwk: { kty: 'RSA', n: 'AAAA', e: 'AQAB' } }],
    ['okp', { jwk: { kty: 'OKP', crv: 'Ed25519', x: minimal.x } }],
    ['p384', { jwk: { ...minimal, crv: 'P-384' } }],
    ['alg-es384', { jwk: { ...minimal, alg: 'ES384' } }],
    ['alg-null', { jwk: { ...minimal, alg: [] } }],
    ['use-enc', { jwk: { ...minimal, use: 'enc' } }],
    ['use-number', { jwk: { ...minimal, use: 1 } }],
    ['ops-derive', { jwk: { ...minimal, key_ops: ['deriveKey'] } }],
    ['ops-verify-and-derive', { jwk: { ...minimal, key_ops: ['verify', 'deriveBits'] } }],
    ['ops-sign-only', { jwk: { ...minimal, key_ops: ['sign'] } }],
    ['ops-twice', { jwk: { ...minimal, key_ops: ['verify', 'verify'] } }],
    ['ops-sign-twice', { jwk: { ...minimal, key_ops: ['sign', 'verify', 'sign'] } }],
    ['ops-other-case', { jwk: { ...minimal, key_ops: ['Verify'] } }],
    ['use-other-case', { jwk: { ...minimal, use: 'SIG' } }],
    ['use-list', { jwk: { ...minimal, use: ['sig'] } }],
    ['ops-empty', { jwk: { ...minimal, key_ops: [] } }],
    ['ops-text', { jwk: { ...minimal, key_ops: 'verify' } }],
    ['ops-null', { jwk: { ...minimal, key_ops: null } }],
    ['no-y', { jwk: { ...minimal, y: undefined } }],
    ['short-x', { jwk: { ...minimal, x: 'AAAA' } }],
    ['string-jwk', { jwk: JSON.stringify(minimal) }],
    ['jwk-and-jku', { jwk: minimal, jku: 'https://holder.example/jwks' }],
    ['jwk-and-jwe', { jwk: minimal, jwe: 'a.b.c.d.e' }],
    ['jwk-and-x5u', { jwk: minimal, x5u: 'https://holder.example/cert' }],
  ])('is refused (sd:neg-cnf-%s)', (_case, cnf) => {
    expect(() => keyOf(cnf)).toThrow(failsWith('confirmation_key_not_allowed'));
  });

  it('is refused when it is not on the curve (sd:neg-cnf-off-curve)', () => {
    const cnf = { jwk: { ...minimal, y: minimal.x } };
    const sdJwt = parseSdJwtVc(bind(build({ payload: { cnf } }), { key: holder.privateKey }));
    const { claims } = unpackClaims(sdJwt);
    expect(() => verifyKeyBinding(sdJwt, claims, expectation)).toThrow(failsWith('confirmation_key_not_allowed'));
  });
});

describeWithVectors('VP:M11 the thumbprints of RFC 7638 vectors', () => {
  it('are the same with and without further members', () => {
    type Vector = { jwk: Record<string, string>; thumbprint: string };
    const vectors = readJsonVector('verifier/rfc7638-jwk-thumbprint/thumbprints.json') as Vector[];
    const signing = vectors.filter(({ jwk }) => jwk['crv'] === 'P-256' && jwk['alg'] !== 'ECDH-ES');
    expect(signing).toHaveLength(2);
    for (const { jwk, thumbprint } of signing) {
      expect(jwkThumbprint(getConfirmationKey({ cnf: { jwk } }))).toBe(thumbprint);
    }
  });
});
