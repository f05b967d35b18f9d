import { createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import fc from 'fast-check';
import { exportPublicJwk, signCompactJws } from '@vestibule/crypto';
import { createPrivateKeyOf } from '@vestibule/dev-pki';
import type { JsonObject, JsonValue } from '@vestibule/foundation';
import { OAuthError } from '@vestibule/oauth';
import { fastestAwaitedMilliseconds } from '@vestibule/testkit';
import { verifyKeyProofs, type ProofType } from './index';

const newKey = () => generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
const [attester, holder] = [newKey(), newKey()] as [KeyObject, KeyObject];
const now = new Date('2026-03-01T12:00:00Z');
const seconds = now.getTime() / 1000;
const audience = 'https://c.example.com/issuer';
const good: JsonObject = {
  iat: seconds,
  exp: seconds + 60,
  nonce: 'n',
  attested_keys: [{ ...exportPublicJwk(holder) }],
  key_storage: ['iso_18045_high'],
};
const NAMES = ['iat', 'exp', 'nbf', 'nonce', 'attested_keys', 'key_storage', 'user_authentication'];

async function expectTypedError(proofType: ProofType, proof: string): Promise<void> {
  try {
    const { keys } = await verifyKeyProofs(
      { proofType, proofs: [proof] },
      {
        audience,
        now,
        client: 'anonymous',
        attesterKeys: () => [createPublicKey(attester)],
        maxKeys: 10,
        requirement: { keyStorage: ['iso_18045_high'], userAuthentication: [] },
        algorithms: ['ES256'],
      },
    );
    expect(keys.length).toBeGreaterThan(0);
  } catch (error) {
    expect(error).toBeInstanceOf(OAuthError);
  }
}

const attestation = (changes: object) =>
  signCompactJws({ typ: 'key-attestation+jwt' }, { ...good, ...changes } as JsonObject, attester);
const changes = fc.dictionary(fc.constantFrom(...NAMES), fc.jsonValue(), { maxKeys: 3 });

describe('key attestations on a stranger’s bytes', () => {
  it('VCI:K1 answers any text with a typed error', async () => {
    await fc.assert(fc.asyncProperty(fc.string({ unit: 'binary' }), (text) => expectTypedError('attestation', text)));
  });

  it('VCI:K4 VCI:K5 VCI:K8 takes or refuses signed claims of any type, and throws nothing else', async () => {
    await fc.assert(fc.asyncProperty(changes, (changed) => expectTypedError('attestation', attestation(changed))));
  });

  it('VCI:J6 VCI:K6 the same for one in a header, and a kid of any type', async () => {
    await fc.assert(
      fc.asyncProperty(changes, fc.jsonValue(), async (changed, kid) => {
        const header: JsonObject = {
          typ: 'openid4vci-proof+jwt',
          kid: kid as JsonValue,
          key_attestation: attestation(changed),
        };
        await expectTypedError('jwt', signCompactJws(header, { aud: audience, iat: seconds, nonce: 'n' }, holder));
      }),
    );
  });

  it('VCI:K5 a hundred keys are verified at once, and one more is refused', async () => {
    const keys = Array.from({ length: 101 }, () => ({ ...exportPublicJwk(createPrivateKeyOf('P-256')) }));
    const many = attestation({ attested_keys: keys.slice(0, 100) });
    expect(await fastestAwaitedMilliseconds(() => expectTypedError('attestation', many))).toBeLessThan(50);
    await expect(
      verifyKeyProofs(
        { proofType: 'attestation', proofs: [attestation({ attested_keys: keys })] },
        {
          audience,
          now,
          client: 'anonymous',
          attesterKeys: () => [createPublicKey(attester)],
          maxKeys: 10,
          requirement: undefined,
          algorithms: ['ES256'],
        },
      ),
    ).rejects.toThrow(expect.objectContaining({ code: 'invalid_proof' }));
  });
});
