import { createPublicKey, generateKeyPairSync, randomBytes } from 'node:crypto';
import { deflateRawSync } from 'node:zlib';
import { compactDecrypt, importJWK } from 'jose';
import { encodeBase64url, VerificationFailure, type DomainError, type JsonObject } from '@vestibule/foundation';
import { describeWithVectors, encryptJwe, readJsonVector, readVector } from '@vestibule/testkit';
import {
  createEphemeralKeyPair,
  decryptJwe,
  decryptJweByJose,
  encryptJweByJose,
  importPublicJwkByJose,
  parseCompactJws,
  parsePublicJwk,
  jwkThumbprintByJose,
  signCompactJws,
  verifyJwsByJose,
  type PublishedDecryptionKey,
} from './index';

const pair = createEphemeralKeyPair(randomBytes);
const key: PublishedDecryptionKey = { kid: 'k1', ...pair };
const order = { recipient: pair.publicJwk, kid: 'k1', enc: 'A128GCM', random: randomBytes } as const;
const code = (expected: string) => expect.objectContaining({ code: expected });

function reHeader(jwe: string, change: (header: JsonObject) => void): string {
  const [header = '', ...rest] = jwe.split('.');
  const parsed = JSON.parse(Buffer.from(header, 'base64url').toString()) as JsonObject;
  change(parsed);
  return [Buffer.from(JSON.stringify(parsed)).toString('base64url'), ...rest].join('.');
}

describe('a compressed JWE', () => {
  const opening = (jwe: string, maxInflatedBytes: number) => decryptJweByJose(jwe, [key], { maxInflatedBytes });
  const compressed = (content: string) => encryptJwe(Buffer.from(content), { ...order, zip: 'DEF' });
  /** Content that is encrypted as it is, under a header that calls it compressed. */
  const pretended = (content: Uint8Array) => encryptJwe(content, order, { zip: 'DEF' });

  it('VCI:E8 is taken with DEFLATE where the receiver says so, up to a limit, and with no other compression', async () => {
    const jwe = compressed('a'.repeat(5_000));
    expect(jwe.length).toBeLessThan(1_000);
    const { plaintext } = await opening(jwe, 5_000);
    expect(Buffer.from(plaintext).toString()).toBe('a'.repeat(5_000));
    await expect(opening(jwe, 4_999)).rejects.toThrow(code('jwe_decryption_failed'));
    await expect(opening(jwe, 0)).rejects.toThrow(code('jwe_algorithm_not_allowed'));
    for (const zip of ['GZ', 'def', null, 1]) {
      const changed = reHeader(jwe, (header) => (header['zip'] = zip));
      await expect(opening(changed, 5_000)).rejects.toThrow(code('jwe_algorithm_not_allowed'));
    }
  });

  it('VCI:E8 that is cut off, is no DEFLATE, has bytes behind its end or grows beyond the limit is refused', async () => {
    const contents = [Buffer.alloc(0), randomBytes(100), Buffer.from('{"a":1}')];
    for (const content of contents) {
      await expect(opening(pretended(content), 5_000)).rejects.toThrow(code('jwe_decryption_failed'));
    }
    const stream = deflateRawSync('{"a":1}');
    expect((await opening(pretended(stream), 5_000)).plaintext).toEqual(Buffer.from('{"a":1}'));
    for (const trailing of [Buffer.of(0), Buffer.from('x'.repeat(100)), stream]) {
      const jwe = pretended(Buffer.concat([stream, trailing]));
      await expect(opening(jwe, 5_000)).rejects.toThrow(code('jwe_decryption_failed'));
    }
    const bomb = compressed('x'.repeat(50_000_000));
    expect(bomb.length).toBeLessThan(100_000);
    await expect(opening(bomb, 1_048_576)).rejects.toThrow(code('jwe_decryption_failed'));
  });
});

describe('encryptJweByJose', () => {
  const text = Buffer.from('some plaintext '.repeat(20));

  it.each(['A128GCM', 'A256GCM'] as const)('makes what node:crypto opens with %s', async (enc) => {
    const jwe = await encryptJweByJose(text, { recipient: pair.publicJwk, kid: 'k1', enc }, { cty: 'json' });
    const opened = decryptJwe(jwe, [key]);
    expect(Buffer.from(opened.plaintext)).toEqual(text);
    expect(opened.header).toMatchObject({ alg: 'ECDH-ES', enc, kid: 'k1', cty: 'json' });
  });

  it('VCI:E8 compresses', async () => {
    const { publicJwk, privateKey } = pair;
    const jwe = await encryptJweByJose(text, { recipient: publicJwk, kid: 'k1', enc: 'A256GCM', zip: 'DEF' });
    const own = await importJWK({ ...publicJwk, d: encodeBase64url(privateKey) }, 'ECDH-ES');
    const opened = await compactDecrypt(jwe, own);
    expect([Buffer.from(opened.plaintext), opened.protectedHeader.zip]).toEqual([text, 'DEF']);
    expect(jwe.length).toBeLessThan((await encryptJweByJose(text, { ...order, zip: undefined })).length);
  });

  it('never uses a key or an initialization vector twice', async () => {
    const made = await Promise.all(Array.from({ length: 20 }, () => encryptJweByJose(text, order)));
    const parts = made.map((jwe) => jwe.split('.'));
    for (const index of [0, 2, 3]) expect(new Set(parts.map((part) => part[index])).size).toBe(20);
  });

  it('refuses a recipient that is not on the curve', async () => {
    const recipient = { ...pair.publicJwk, x: pair.publicJwk.y };
    await expect(encryptJweByJose(text, { ...order, recipient })).rejects.toThrow(code('jwk_not_allowed'));
  });
});

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
    const jwe = encryptJwe(Buffer.from(claim), { ...order, kid: claim });
    const stranger = { ...createEphemeralKeyPair(randomBytes), kid: claim };
    const failures = [
      await failureOf(verifyJwsByJose(jws, other.publicKey)),
      await failureOf(decryptJweByJose(jwe, [stranger], { maxInflatedBytes: 0 })),
      await failureOf(importPublicJwkByJose({ ...pair.publicJwk, x: pair.publicJwk.y })),
    ];
    expect(failures.map(({ code: name }) => name)).toEqual([
      'jws_signature_invalid',
      'jwe_decryption_failed',
      'jwk_not_allowed',
    ]);
    for (const failure of failures) {
      const shown = `${failure.message} ${failure.stack} ${JSON.stringify(failure)} ${Object.values(failure).join()}`;
      expect(shown).not.toMatch(/Mustermann|ERR_|JOSE(?:Error|Alg)|operation failed|verification failed/);
    }
  });
});

describeWithVectors('VP:H2 the encrypted response of OpenID4VP 1.0 §8.3, by jose', () => {
  const folder = 'verifier/openid4vp-1.0/encrypted-response';
  it('decrypts to the published payload', async () => {
    const jwk = readJsonVector(`${folder}/private_jwk.json`) as { d: string; kid: string };
    const privateKey = Buffer.from(jwk.d, 'base64url');
    const { d: _d, ...publicJwk } = { ...jwk };
    const keys = [{ kid: jwk.kid, privateKey, publicJwk: parsePublicJwk(publicJwk) }];
    const opened = await decryptJweByJose(readVector(`${folder}/response.jwe.txt`), keys, { maxInflatedBytes: 0 });
    expect(JSON.parse(Buffer.from(opened.plaintext).toString())).toEqual(readJsonVector(`${folder}/payload.json`));
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
