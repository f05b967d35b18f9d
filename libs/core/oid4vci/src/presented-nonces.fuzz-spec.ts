import { generateKeyPairSync } from 'node:crypto';
import fc from 'fast-check';
import { signCompactJws } from '@vestibule/crypto';
import type { JsonObject } from '@vestibule/foundation';
import { fastestMilliseconds } from '@vestibule/testkit';
import { presentedNonces } from './index';

const key = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
const jws = (header: JsonObject, payload: JsonObject) => signCompactJws(header, payload, key);

describe('presented nonces of a stranger’s bytes', () => {
  const anything = fc.oneof(fc.jsonValue(), fc.string({ unit: 'binary' }));
  const proof = fc.oneof(
    anything,
    fc
      .tuple(fc.jsonValue(), fc.jsonValue())
      .map(([nonce, attestation]) => jws({ key_attestation: attestation } as JsonObject, { nonce } as JsonObject)),
  );
  const member = fc.oneof(anything, fc.array(proof));
  const body = fc.oneof(
    anything,
    fc.record({ proofs: fc.oneof(anything, fc.record({ jwt: member, attestation: member }, { requiredKeys: [] })) }),
  );

  it('VCI:J10 are texts of bounded length and number, whatever the body is', () => {
    fc.assert(
      fc.property(body, fc.integer({ min: 1, max: 5 }), (value, maxProofs) => {
        const nonces = presentedNonces(value, maxProofs);
        expect(nonces.length).toBeLessThanOrEqual(4 * maxProofs);
        for (const nonce of nonces) expect(nonce.length).toBeLessThanOrEqual(512);
      }),
    );
  });

  it('cost little for the largest body: nothing is read twice, and nothing deeper than an attestation', () => {
    let nested = jws({}, { nonce: 'a' });
    while (nested.length < 60_000) nested = jws({ key_attestation: nested }, { nonce: 'a' });
    const jwt = Array.from({ length: 10 }, () => nested);
    expect(fastestMilliseconds(() => presentedNonces({ proofs: { jwt } }, 10), 60)).toBeLessThan(60);
  });
});
