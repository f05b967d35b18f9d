import { randomBytes } from 'node:crypto';
import { deflateRawSync } from 'node:zlib';
import fc from 'fast-check';
import { compactDecrypt, CompactEncrypt, exportJWK, generateKeyPair, importJWK, type JWK } from 'jose';
import type { JsonObject } from '@vestibule/foundation';
import { OAuthError } from '@vestibule/oauth';
import { encryptJwe } from '@vestibule/testkit';
import {
  encryptCredentialAnswer,
  encryptionMetadata,
  openCredentialMessage,
  requestEncryptionKeys,
  type EncryptionPolicy,
} from './index';

const NOW = new Date('2026-03-01T12:00:00Z');
const { published, accepted } = requestEncryptionKeys([randomBytes(32)], NOW);
const policy: EncryptionPolicy = { keys: accepted, required: false };
const required: EncryptionPolicy = { ...policy, required: true };
const PARAMETERS = 'invalid_encryption_parameters';
const code = (expected: string) => expect.objectContaining({ code: expected });

let walletKey: Awaited<ReturnType<typeof generateKeyPair>>['privateKey'];
let walletJwk: JWK;
beforeAll(async () => {
  const pair = await generateKeyPair('ECDH-ES', { crv: 'P-256', extractable: true });
  walletKey = pair.privateKey;
  walletJwk = { ...(await exportJWK(pair.publicKey)), alg: 'ECDH-ES', use: 'enc', kid: 'wallet-1' };
});
const wish = (changes: object = {}) => ({ jwk: walletJwk, enc: 'A256GCM', ...changes });

/** Encrypts as a wallet does: to the published key, with `header` members changed. */
async function encrypted(body: unknown, header: Record<string, unknown> = {}): Promise<string> {
  const recipient = await importJWK({ ...published.publicJwk, alg: 'ECDH-ES' }, 'ECDH-ES');
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const all = { alg: 'ECDH-ES', enc: 'A128GCM', kid: published.kid, ...header };
  return new CompactEncrypt(Buffer.from(text)).setProtectedHeader(all).encrypt(recipient);
}
function reheaded(jwe: string, changes: object): string {
  const [header = '', ...rest] = jwe.split('.');
  const parsed = JSON.parse(Buffer.from(header, 'base64url').toString()) as object;
  return [Buffer.from(JSON.stringify({ ...parsed, ...changes })).toString('base64url'), ...rest].join('.');
}
const opening = async (jwt: string, by = policy) => Promise.resolve(openCredentialMessage({ jwt }, by));

describe('what the metadata says about encryption', () => {
  const metadata = encryptionMetadata({ key: published, required: false });
  const request = metadata['credential_request_encryption'] as JsonObject;
  const response = metadata['credential_response_encryption'] as JsonObject;

  it('VCI:M7 is a JWK Set whose keys are public and have kid and alg', () => {
    expect(request).toEqual({
      jwks: { keys: [{ ...published.publicJwk, use: 'enc', alg: 'ECDH-ES', kid: published.kid }] },
      enc_values_supported: ['A128GCM', 'A256GCM'],
      zip_values_supported: ['DEF'],
      encryption_required: false,
    });
    expect(JSON.stringify(metadata)).not.toMatch(/"(?:d|k)":/);
    expect(JSON.stringify(metadata)).not.toContain(Buffer.from(published.privateKey).toString('base64url'));
  });

  it('VCI:M8 names asymmetric key agreement only', () => {
    expect(response).toEqual({
      alg_values_supported: ['ECDH-ES'],
      enc_values_supported: ['A128GCM', 'A256GCM'],
      zip_values_supported: ['DEF'],
      encryption_required: false,
    });
  });

  it.each([true, false])('VCI:M9 requires %s of both or of none', (demanded) => {
    const both = encryptionMetadata({ key: published, required: demanded });
    expect(Object.values(both).map((one) => (one as JsonObject)['encryption_required'])).toEqual([demanded, demanded]);
  });
});

describe('an encrypted request', () => {
  it.each(['A128GCM', 'A256GCM'])('VCI:E1 is opened with %s, whatever its content type says', async (enc) => {
    for (const cty of [undefined, 'json', 'JWT']) {
      const opened = openCredentialMessage(
        { jwt: await encrypted({ a: 1 }, { enc, ...(cty ? { cty } : {}) }) },
        policy,
      );
      expect(opened).toEqual({ body: { a: 1 }, encryption: undefined });
    }
  });

  it('VCI:E1 VCI:E8 is opened as another implementation wrote it, compressed or not', async () => {
    const content = Buffer.from('{"a":1}');
    for (const zip of [undefined, 'DEF'] as const) {
      const order = {
        recipient: published.publicJwk,
        kid: published.kid,
        enc: 'A256GCM',
        random: randomBytes,
        zip,
      } as const;
      const jwt = encryptJwe(content, order, { apu: 'AAAA' });
      expect(openCredentialMessage({ jwt }, policy)).toEqual({ body: { a: 1 }, encryption: undefined });
    }
  });

  it('VCI:E1 VCI:E8 may be compressed, up to 1 MiB of content', async () => {
    const compressed = async (text: string) => {
      const recipient = await importJWK({ ...published.publicJwk, alg: 'ECDH-ES' }, 'ECDH-ES');
      const header = { alg: 'ECDH-ES', enc: 'A128GCM', kid: published.kid, zip: 'DEF' };
      return new CompactEncrypt(Buffer.from(text)).setProtectedHeader(header).encrypt(recipient);
    };
    expect(openCredentialMessage({ jwt: await compressed('{"a":1}') }, policy).body).toEqual({ a: 1 });
    const bomb = `{"a":"${'x'.repeat(5_000_000)}"}`;
    expect(deflateRawSync(bomb).byteLength).toBeLessThan(10_000);
    await expect(opening(await compressed(bomb))).rejects.toThrow(code(PARAMETERS));
  });

  it.each<[string, (jwe: string) => string]>([
    ['an unknown kid', (jwe) => reheaded(jwe, { kid: 'other' })],
    ['no kid', (jwe) => reheaded(jwe, { kid: undefined })],
    ['another key agreement', (jwe) => reheaded(jwe, { alg: 'RSA-OAEP-256' })],
    ['the algorithm of another key', (jwe) => reheaded(jwe, { alg: 'ECDH-ES+A256KW' })],
    ['an encryption that is not listed', (jwe) => reheaded(jwe, { enc: 'A128CBC-HS256' })],
    ['a compression that is not listed', (jwe) => reheaded(jwe, { zip: 'GZ' })],
    ['a changed header', (jwe) => reheaded(jwe, { apu: 'AAAA' })],
    ['another tag', (jwe) => `${jwe.slice(0, -22)}${'A'.repeat(22)}`],
  ])('VCI:E1 with %s is invalid_encryption_parameters', async (_what, change) => {
    await expect(opening(change(await encrypted({ a: 1 })))).rejects.toThrow(code(PARAMETERS));
  });

  it('VCI:E1 that is no JWE, or holds no JSON object, is invalid_credential_request', async () => {
    const texts = [
      '',
      'x',
      'a.b.c',
      await encrypted('no JSON'),
      await encrypted([1]),
      await encrypted('{"a":1,"a":2}'),
    ];
    for (const text of texts) await expect(opening(text)).rejects.toThrow(code('invalid_credential_request'));
  });

  it('VCI:E2 VCI:R15 is demanded where the configuration says so, and its answer must be encrypted too', async () => {
    for (const body of [{}, [], undefined])
      expect(() => openCredentialMessage({ body }, required)).toThrow(code(PARAMETERS));
    await expect(opening(await encrypted({}), required)).rejects.toThrow(code(PARAMETERS));
    const good = await encrypted({ credential_response_encryption: wish() });
    expect(openCredentialMessage({ jwt: good }, required).encryption).toMatchObject({
      kid: 'wallet-1',
      enc: 'A256GCM',
    });
  });

  it('VCI:E1 of any text is opened or refused with a code', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          fc.string(),
          fc.base64String().map((part) => [part, '', part, part, part].join('.')),
        ),
        async (jwt) => {
          await expect(opening(jwt)).rejects.toThrow(OAuthError);
        },
      ),
    );
  });
});

describe('a wish for an encrypted answer', () => {
  const asking = async (value: unknown) => opening(await encrypted({ credential_response_encryption: value }));

  it('VCI:E3 in a plain request is refused, or anybody on the way could put in a key of his own', async () => {
    const body = { credential_response_encryption: wish() };
    expect(() => openCredentialMessage({ body }, policy)).toThrow(code(PARAMETERS));
  });

  it.each<[string, () => unknown]>([
    ['false', () => false],
    ['a text', () => 'A128GCM'],
    ['no key', () => wish({ jwk: undefined })],
    ['a key without alg', () => wish({ jwk: { ...walletJwk, alg: undefined } })],
    ['alg beside the key, as in older drafts', () => wish({ alg: 'ECDH-ES', jwk: { ...walletJwk, alg: undefined } })],
    ['another alg', () => wish({ jwk: { ...walletJwk, alg: 'RSA-OAEP-256' } })],
    ['a private key', () => wish({ jwk: { ...walletJwk, d: walletJwk.x } })],
    ['another curve', () => wish({ jwk: { ...walletJwk, crv: 'P-384' } })],
    ['a point that is not on the curve', () => wish({ jwk: { ...walletJwk, y: walletJwk.x } })],
    ['no enc', () => wish({ enc: undefined })],
    ['an enc that is not listed', () => wish({ enc: 'A128CBC-HS256' })],
    ['an inherited name as enc', () => wish({ enc: 'toString' })],
    ['a list with an enc', () => wish({ enc: ['A128GCM'] })],
    ['a kid of 257 characters', () => wish({ jwk: { ...walletJwk, kid: 'k'.repeat(257) } })],
    ['a kid that is no text', () => wish({ jwk: { ...walletJwk, kid: 1 } })],
    ['a zip that is no text', () => wish({ zip: 1 })],
  ])('VCI:E4 VCI:R15 with %s is invalid_encryption_parameters', async (_what, value) => {
    await expect(asking(value())).rejects.toThrow(code(PARAMETERS));
  });

  it('VCI:E4 VCI:E8 takes a compression and a kid that are null for none', async () => {
    const wished = wish({ zip: null, jwk: { ...walletJwk, kid: null } });
    expect((await asking(wished)).encryption).toMatchObject({ kid: undefined, zip: undefined, enc: 'A256GCM' });
  });

  it('VCI:E4 may have a kid of 256 characters', async () => {
    const kid = 'k'.repeat(256);
    expect((await asking(wish({ jwk: { ...walletJwk, kid } }))).encryption).toMatchObject({ kid });
  });

  it('VCI:E2 VCI:R15 that is null is none: granted where answers may be plain, refused where they must not', async () => {
    expect((await asking(null)).encryption).toBeUndefined();
    const body = { credential_response_encryption: null };
    expect(openCredentialMessage({ body }, policy)).toEqual({ body, encryption: undefined });
    expect(() => openCredentialMessage({ body }, required)).toThrow(code(PARAMETERS));
    await expect(opening(await encrypted(body), required)).rejects.toThrow(code(PARAMETERS));
  });

  it.each<[string, object, string | undefined]>([
    ['as it is', {}, undefined],
    ['compressed', { zip: 'DEF' }, 'DEF'],
    ['without the compression that is not offered', { zip: 'GZ' }, undefined],
  ])('VCI:E5 VCI:E8 is granted %s, with alg, enc and kid of the request', async (_what, changes, zip) => {
    const { encryption } = await asking(wish(changes));
    if (!encryption) throw new Error('the wish was not read');
    const jwe = encryptCredentialAnswer({ credentials: [] }, encryption, randomBytes);
    const { plaintext, protectedHeader } = await compactDecrypt(jwe, walletKey);
    expect(JSON.parse(Buffer.from(plaintext).toString())).toEqual({ credentials: [] });
    expect(protectedHeader).toMatchObject({ alg: 'ECDH-ES', enc: 'A256GCM', kid: 'wallet-1' });
    expect(protectedHeader.zip).toBe(zip);
  });

  it('VCI:E5 without a kid gets an answer without one', async () => {
    const { encryption } = await asking(wish({ jwk: { ...walletJwk, kid: undefined } }));
    if (!encryption) throw new Error('the wish was not read');
    const { protectedHeader } = await compactDecrypt(encryptCredentialAnswer({}, encryption, randomBytes), walletKey);
    expect(protectedHeader).not.toHaveProperty('kid');
  });
});
