import { createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import fc from 'fast-check';
import { exportPublicJwk, signCompactJws } from '@vestibule/crypto';
import { isJsonObject, type JsonObject, type JsonValue } from '@vestibule/foundation';
import { fastestAwaitedMilliseconds } from '@vestibule/testkit';
import { OAuthError, verifyClientAttestation } from './index';

const newKey = () => generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
const [attester, instance] = [newKey(), newKey()] as [KeyObject, KeyObject];
const now = new Date('2026-03-01T12:00:00Z');
const seconds = now.getTime() / 1000;
const audience = 'https://c.example.com/issuer';
const good = {
  attestation: { sub: 'wallet', exp: seconds + 60, cnf: { jwk: { ...exportPublicJwk(instance) } } },
  pop: { aud: audience, jti: 'jti', iat: seconds },
};

async function expectTypedError(attestation: string, pop: string): Promise<void> {
  try {
    await verifyClientAttestation(
      { attestation: [attestation], pop: [pop] },
      {
        audience,
        now,
        attesterKeys: () => [createPublicKey(attester)],
        clientId: undefined,
        challenge: 'not_required',
      },
    );
  } catch (error) {
    expect(error).toBeInstanceOf(OAuthError);
  }
}

const sign = (kind: 'attestation' | 'pop', claims: JsonObject) =>
  kind === 'attestation'
    ? signCompactJws({ typ: 'oauth-client-attestation+jwt' }, claims, attester)
    : signCompactJws({ typ: 'oauth-client-attestation-pop+jwt' }, claims, instance);
/** Claims of which some are replaced by whatever JSON there is. */
const spoilt = (kind: 'attestation' | 'pop') =>
  fc
    .dictionary(fc.constantFrom('sub', 'exp', 'cnf', 'iat', 'nbf', 'aud', 'jti', 'iss'), fc.jsonValue(), { maxKeys: 4 })
    .map((changes) => sign(kind, { ...good[kind], ...(changes as Record<string, JsonValue>) }));

describe('verifyClientAttestation on a stranger’s bytes', () => {
  it('VCI:C1 answers any texts with a typed error', async () => {
    const text = fc.oneof(fc.string({ unit: 'binary' }), fc.constant(sign('attestation', good.attestation)));
    await fc.assert(fc.asyncProperty(text, text, expectTypedError));
  });

  it('VCI:C5 VCI:C10 takes or refuses signed claims of any type, and throws nothing else', async () => {
    await fc.assert(fc.asyncProperty(spoilt('attestation'), spoilt('pop'), expectTypedError));
  });

  it('VCI:C5 a key that is any JSON is no key', async () => {
    const jwk = fc.jsonValue().filter((value) => !isJsonObject(value as JsonValue) || !('x' in (value as object)));
    await fc.assert(
      fc.asyncProperty(jwk, async (value) => {
        const attestation = sign('attestation', { ...good.attestation, cnf: { jwk: value as JsonValue } });
        await expectTypedError(attestation, sign('pop', good.pop));
      }),
    );
  });

  it('VCI:C17 answers 100 KB with a typed error at once', async () => {
    const brackets = Buffer.from('['.repeat(75_000)).toString('base64url');
    for (const text of ['.'.repeat(100_000), brackets, `${brackets}.e30.AA`]) {
      expect(await fastestAwaitedMilliseconds(() => expectTypedError(text, text))).toBeLessThan(50);
    }
  });
});
