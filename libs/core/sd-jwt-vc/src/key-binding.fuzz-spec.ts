import fc from 'fast-check';
import { VerificationFailure } from '@vestibule/foundation';
import { fastestMilliseconds } from '@vestibule/testkit';
import { parseSdJwtVc, verifyKeyBinding } from './index';
import { bind, build, encodeJson, expectation, hash, NOW, NOW_SECONDS } from './testing/sd-jwt-builder.fixture-spec';

const sdJwt = build();
const claims = { ...parseSdJwtVc(sdJwt).payload };
const verify = (text: string) => verifyKeyBinding(parseSdJwtVc(text), claims, { ...expectation, now: NOW });

/** A verdict: the thumbprint, or a failure of the table; anything else fails the test. */
function verdictOf(text: string): string | undefined {
  try {
    return verify(text).thumbprint;
  } catch (error) {
    expect(error).toBeInstanceOf(VerificationFailure);
    return undefined;
  }
}

const named = ['iat', 'aud', 'nonce', 'sd_hash', 'exp', 'nbf', '_sd_hash', 'transaction_data_hashes', '__proto__'];
const value = fc.oneof(
  fc.constantFrom<unknown>(expectation.nonce, expectation.audience, hash(sdJwt), NOW_SECONDS, 0, -0, 1e400, null),
  fc.jsonValue(),
);

describe('a key binding JWT that its holder has signed', () => {
  it('is right to begin with', () => {
    expect(verdictOf(bind(sdJwt))).toBeDefined();
  });

  it('VP:M4 VP:M5 VP:M7 VP:Q10 holds only with the right audience, nonce and hash, whatever else it says', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom(...named, 'x'), value), (change) => {
        const isRight =
          (change['aud'] ?? expectation.audience) === expectation.audience &&
          (change['nonce'] ?? expectation.nonce) === expectation.nonce &&
          (change['sd_hash'] ?? hash(sdJwt)) === hash(sdJwt);
        const nulls = ['aud', 'nonce', 'sd_hash'].some((name) => Object.hasOwn(change, name) && change[name] === null);
        const verdict = verdictOf(bind(sdJwt, { claims: change }));
        if (!isRight || nulls) expect(verdict).toBeUndefined();
      }),
    );
  });

  it('VP:M1 VP:M2 VP:Q10 holds with no other type or algorithm, whatever its header says', () => {
    const header = fc.dictionary(fc.constantFrom('typ', 'alg', 'crit', 'b64', 'jwk', 'kid', 'x5c', '__proto__'), value);
    fc.assert(
      fc.property(header, (change) => {
        const verdict = verdictOf(bind(sdJwt, { header: change }));
        const isOther = ['typ', 'alg', 'crit', 'b64'].some((name) => Object.hasOwn(change, name));
        if (isOther) expect(verdict).toBeUndefined();
      }),
    );
  });

  const size = 100_000;
  it.each<readonly [string, () => string]>([
    ['letters', () => `${sdJwt}${'A'.repeat(size)}.A.A`],
    ['dots', () => `${sdJwt}${'.'.repeat(size)}`],
    ['header', () => bind(sdJwt, { header: { x: 'A'.repeat(size) } })],
    ['claims', () => bind(sdJwt, { claims: { x: 'A'.repeat(size) } })],
    ['brackets', () => `${sdJwt}${encodeJson({})}.${Buffer.from('['.repeat(size)).toString('base64url')}.AA`],
    [
      'hashes',
      () => bind(sdJwt, { claims: { transaction_data_hashes: Array.from({ length: 2_000 }, () => hash('')) } }),
    ],
  ])('VP:Q10 is answered within 50 ms: 100 KB of %s', (_what, make) => {
    const text = make();
    expect(fastestMilliseconds(() => verdictOf(text))).toBeLessThan(50);
  });
});
