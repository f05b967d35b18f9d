import { createPublicKey, generateKeyPairSync, randomBytes } from 'node:crypto';
import { VerificationFailure, type DomainError } from '@vestibule/foundation';
import { describeWithVectors, readJsonVector } from '@vestibule/testkit';
import {
  createEphemeralKeyPair,
  importPublicJwkByJose,
  parseCompactJws,
  parsePublicJwk,
  jwkThumbprintByJose,
  signCompactJws,
  verifyJwsByJose,
} from './index';

const pair = createEphemeralKeyPair(randomBytes);

describe('what jose throws', () => {
  const claim = 'Mustermann-4711';

  async function failureOf(work: Promise<unknown>): Promise<DomainError> {
    const error = await work.then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    expect(error).toBeInstanceOf(VerificationFailure);
    return error as DomainError;
  }

  it('goes no further than a failure without its words and without what was in the token', async () => {
    const signing = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const other = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const jws = parseCompactJws(signCompactJws({ kid: claim }, { name: claim }, signing.privateKey));
    const failures = [
      await failureOf(verifyJwsByJose(jws, other.publicKey)),
      await failureOf(importPublicJwkByJose({ ...pair.publicJwk, x: pair.publicJwk.y })),
    ];
    expect(failures.map(({ code }) => code)).toEqual(['jws_signature_invalid', 'jwk_not_allowed']);
    for (const failure of failures) {
      const shown = `${failure.message} ${failure.stack} ${JSON.stringify(failure)} ${Object.values(failure).join()}`;
      expect(shown).not.toMatch(/Mustermann|ERR_|JOSE(?:Error|Alg)|operation failed|verification failed/);
    }
  });
});

describeWithVectors('VP:M11 jwkThumbprintByJose vectors', () => {
  interface Entry {
    jwk: { kty: string; crv?: string };
    thumbprint: string;
  }
  const entries = readJsonVector('verifier/rfc7638-jwk-thumbprint/thumbprints.json') as Entry[];
  it.each(entries.filter(({ jwk }) => jwk.crv === 'P-256'))('computes $thumbprint', async ({ jwk, thumbprint }) => {
    const parsed = parsePublicJwk(jwk);
    expect(await jwkThumbprintByJose(parsed)).toBe(thumbprint);
    expect((await importPublicJwkByJose(parsed)).equals(createPublicKey({ key: { ...jwk }, format: 'jwk' }))).toBe(
      true,
    );
  });
});
