import { randomBytes } from 'node:crypto';
import { isJsonObject, VerificationFailure, type JsonObject } from '@vestibule/foundation';
import fc from 'fast-check';
import { decodeBase58, encodeBase58 } from './base58';
import { createDidKey, publicJwkOf, resolveDidKey } from './did-key';
import { parseCredential, parsePresentation } from './parse-documents';

const member = fc.constantFrom(
  '@context',
  'type',
  'issuer',
  'credentialSubject',
  'proof',
  'validFrom',
  'validUntil',
  'id',
  'holder',
  'verifiableCredential',
  'verificationMethod',
  '__proto__',
);
const value = fc.oneof(
  fc.constantFrom<unknown>(
    'https://www.w3.org/ns/credentials/v2',
    'VerifiableCredential',
    'VerifiablePresentation',
    'DataIntegrityProof',
    'did:key:zDna',
    '2026-02-30T00:00:00Z',
  ),
  fc.jsonValue(),
);
const document = fc.dictionary(member, fc.oneof(value, fc.array(value), fc.dictionary(member, value)));

describe('documents of a stranger', () => {
  it('are read, or refused with a code of their own: never with another error', () => {
    fc.assert(
      fc.property(document, fc.constantFrom(parseCredential, parsePresentation), (input, parse) => {
        try {
          expect(isJsonObject(parse(input as JsonObject))).toBe(true);
        } catch (error) {
          expect(error).toBeInstanceOf(VerificationFailure);
        }
      }),
    );
  });
});

describe('base58', () => {
  it('gives back the bytes that it was given', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 64 }), (bytes) => {
        expect(decodeBase58(encodeBase58(bytes))).toEqual(Buffer.from(bytes));
      }),
    );
  });

  it('reads no other text', () => {
    for (const text of ['0', 'O', 'I', 'l', ' ', 'é', '1'.repeat(129)]) expect(decodeBase58(text)).toBeUndefined();
  });
});

describe('did:key of a stranger', () => {
  it('is a point of the curve, or nothing', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), fc.constantFrom(0, 2, 3, 4), (x, sign) => {
        const did = `did:key:z${encodeBase58(Buffer.concat([Buffer.of(0x80, 0x24, sign), x]))}`;
        const jwk = publicJwkOf(did);
        if (jwk) expect([jwk.x, [2, 3].includes(sign)]).toEqual([Buffer.from(x).toString('base64url'), true]);
        else expect(resolveDidKey(did)).toBeUndefined();
      }),
    );
  });

  it('resolves with its own fragment only', () => {
    const { did } = createDidKey(randomBytes);
    const multibase = did.slice('did:key:'.length);
    expect(resolveDidKey(did)).toMatchObject({ id: did, assertionMethod: [`${did}#${multibase}`] });
    expect(resolveDidKey(`${did}#${multibase}`)).toMatchObject({ type: 'Multikey', publicKeyMultibase: multibase });
    for (const other of [`${did}#`, `${did}#key-1`, `${did}#${multibase}#x`, `${did}?x`, 'did:key:z6Mk', 'did:web:x']) {
      expect(resolveDidKey(other)).toBeUndefined();
    }
  });
});
