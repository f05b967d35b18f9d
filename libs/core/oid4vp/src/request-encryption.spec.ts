import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { exportPublicJwk } from '@vestibule/crypto';
import { compactDecrypt } from 'jose';
import fc from 'fast-check';
import { encryptRequestObject, parseRequestPost } from './index';

const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const RECIPIENT = exportPublicJwk(publicKey);
const KEY = { ...RECIPIENT, use: 'enc', alg: 'ECDH-ES', kid: 'wallet' };
const RSA = { kty: 'RSA', n: 'AQAB', e: 'AQAB', use: 'enc' };
const P384 = generateKeyPairSync('ec', { namedCurve: 'P-384' }).publicKey.export({ format: 'jwk' });

const invalid = expect.objectContaining({ code: 'invalid_request' });
const post = (metadata: unknown) => parseRequestPost([['wallet_metadata', JSON.stringify(metadata)]]);
const wanted = (keys: unknown, more: object = {}) => post({ jwks: { keys }, ...more }).encryption;
const ALGS = 'request_object_encryption_alg_values_supported';
const ENCS = 'request_object_encryption_enc_values_supported';

describe('VP:B11 EU:P3 a wallet wants its request object encrypted', () => {
  it.each<readonly [string, unknown, object, object]>([
    ['with nothing but a key', [RECIPIENT], {}, { kid: undefined, enc: 'A256GCM' }],
    ['with a key id that is null', [{ ...KEY, kid: null }], {}, { kid: undefined, enc: 'A256GCM' }],
    ['with a key for encryption', [KEY], {}, { kid: 'wallet', enc: 'A256GCM' }],
    ['with one of several keys', [RSA, P384, { ...KEY, use: 'sig' }, KEY], {}, { kid: 'wallet', enc: 'A256GCM' }],
    ['with members that are null', [{ ...KEY, use: null, alg: null, key_ops: null }], {}, { kid: 'wallet' }],
    ['with a key that derives keys', [{ ...RECIPIENT, key_ops: ['deriveKey'] }], {}, { enc: 'A256GCM' }],
    ['with a key that derives bits', [{ ...RECIPIENT, key_ops: ['deriveBits'] }], {}, { enc: 'A256GCM' }],
    ['with a key that encrypts', [{ ...RECIPIENT, key_ops: ['encrypt', 'verify'] }], {}, { enc: 'A256GCM' }],
    ['with a key that does nothing by itself', [{ ...RECIPIENT, key_ops: [] }], {}, { enc: 'A256GCM' }],
    [
      'with one beside keys that cannot be read (RFC 7517 §5)',
      ['key', null, { ...KEY, x: 'AA' }, { ...KEY, kid: 1 }, { ...KEY, d: KEY.x }, KEY],
      {},
      { kid: 'wallet' },
    ],
    ['with algorithms', [KEY], { [ALGS]: ['RSA-OAEP', 'ECDH-ES'], [ENCS]: ['A128GCM'] }, { enc: 'A128GCM' }],
    ['with both that we know', [KEY], { [ENCS]: ['A128GCM', 'A256GCM'] }, { enc: 'A256GCM' }],
  ])('%s', (_what, keys, more, expected) => {
    expect(wanted(keys, more)).toMatchObject({ recipient: RECIPIENT, ...expected });
  });

  it.each<readonly [string, unknown]>([
    ['without keys', {}],
    ['with an address of keys, which is never read', { jwks_uri: 'https://wallet.example/keys' }],
    ['with no key', { jwks: { keys: [] } }],
    ['with keys of other kinds', { jwks: { keys: [RSA, P384] } }],
    ['with a key for signatures', { jwks: { keys: [{ ...KEY, use: 'sig' }] } }],
    ['with a key that verifies', { jwks: { keys: [{ ...RECIPIENT, key_ops: ['verify'] }] } }],
    ['with a key for another algorithm', { jwks: { keys: [{ ...KEY, alg: 'ECDH-ES+A256KW' }] } }],
    ['with another algorithm alone', { jwks: { keys: [KEY] }, [ALGS]: ['ECDH-ES+A256KW'] }],
    ['with another content encryption alone', { jwks: { keys: [KEY] }, [ENCS]: ['A256CBC-HS512'] }],
  ])('not %s', (_what, metadata) => {
    expect(post(metadata)).toEqual({});
  });

  it.each<readonly [string, unknown]>([
    ['jwks that is no object', { jwks: [KEY] }],
    ['jwks without keys', { jwks: {} }],
    ['a key that is text', { jwks: { keys: ['key'] } }],
    ['a key with a short coordinate', { jwks: { keys: [{ ...KEY, x: 'AA' }] } }],
    ['a private key', { jwks: { keys: [{ ...KEY, d: KEY.x }] } }],
    ['a key id that is a number', { jwks: { keys: [{ ...KEY, kid: 1 }] } }],
    ['a key id of 257 characters', { jwks: { keys: [{ ...KEY, kid: 'k'.repeat(257) }] } }],
    ['17 keys', { jwks: { keys: Array.from({ length: 17 }, () => RSA) } }],
    ['algorithms as text', { jwks: { keys: [KEY] }, [ALGS]: 'ECDH-ES' }],
    ['content encryptions as text', { jwks: { keys: [KEY] }, [ENCS]: 'A256GCM' }],
  ])('%s is refused', (_what, metadata) => {
    expect(() => post(metadata)).toThrow(invalid);
  });

  it('refuses any other metadata as invalid_request, if at all', () => {
    const keys = fc.array(fc.record({ ...fcMembers(KEY) }, { requiredKeys: [] }), { maxLength: 3 });
    fc.assert(
      fc.property(keys, fc.jsonValue({ maxDepth: 3 }), fc.jsonValue({ maxDepth: 2 }), (some, algs, encs) => {
        try {
          const encryption = wanted(some, { [ALGS]: algs, [ENCS]: encs });
          if (encryption) expect(['A128GCM', 'A256GCM']).toContain(encryption.enc);
        } catch (error) {
          expect(error).toEqual(invalid);
        }
      }),
    );
  });
});

/** Each member right, or anything. */
function fcMembers(right: Readonly<Record<string, string>>) {
  return Object.fromEntries(
    Object.entries(right).map(([name, value]) => [name, fc.oneof(fc.constant(value), fc.jsonValue({ maxDepth: 2 }))]),
  );
}

describe('VP:B11 an encrypted request object', () => {
  it.each(['A128GCM', 'A256GCM'] as const)('holds the signed one, with %s', async (enc) => {
    const jwe = encryptRequestObject('a.b.c', { recipient: RECIPIENT, kid: 'wallet', enc }, randomBytes);
    const { plaintext, protectedHeader } = await compactDecrypt(jwe, privateKey);
    expect(Buffer.from(plaintext).toString()).toBe('a.b.c');
    expect(protectedHeader).toMatchObject({ alg: 'ECDH-ES', enc, kid: 'wallet', cty: 'JWT' });
  });

  it('is refused for a key that is not on its curve', () => {
    const recipient = { ...RECIPIENT, x: RECIPIENT.y, y: RECIPIENT.x };
    const encrypt = () => encryptRequestObject('a.b.c', { recipient, kid: undefined, enc: 'A128GCM' }, randomBytes);
    expect(encrypt).toThrow(invalid);
  });
});
