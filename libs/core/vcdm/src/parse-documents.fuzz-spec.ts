import { isJsonObject, VerificationFailure, type JsonObject } from '@vestibule/foundation';
import fc from 'fast-check';
import { decodeBase58, encodeBase58 } from './base58';
import { publicJwkOf, publicKeyOf } from './did-key';
import { canonicalize } from './canonicalize';
import { parseCredential, parsePresentation } from './parse-documents';
import { UNDEFINED_TERMS } from './testing/stranger.fixture-spec';

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
  ...['__proto__', '@id', '@type', '@nest', '@included', '@reverse', '@index', '@value', '@list', '@set', '@graph'],
  ...['name', 'a:b', 'credentialStatus', 'toString'],
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

describe('documents of a stranger with known contexts', () => {
  const contexts = new Map<string, JsonObject>();
  const nested = fc.dictionary(member, fc.oneof(value, fc.array(value), document), { noNullPrototype: true });

  it('are canonicalized, or refused with a code of their own, even when nobody looked at them before', async () => {
    await fc.assert(
      fc.asyncProperty(nested, fc.constantFrom('credential', 'presentation'), async (members, kind) => {
        const content = {
          ...(members as JsonObject),
          '@context': ['https://www.w3.org/ns/credentials/v2', UNDEFINED_TERMS],
        };
        const proof = { type: 'DataIntegrityProof', cryptosuite: 'ecdsa-rdfc-2019' };
        const request = { kind: kind as 'credential', document: content, proof, contexts };
        const failure = await canonicalize(request).catch((error: unknown) => error);
        expect(failure).toBeInstanceOf(VerificationFailure);
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
        expect(publicKeyOf(did) === undefined).toBe(jwk === undefined);
      }),
    );
  });
});
