import { randomBytes } from 'node:crypto';
import { deflateRawSync } from 'node:zlib';
import fc from 'fast-check';
import { compactDecrypt, CompactEncrypt, importJWK } from 'jose';
import { DomainError } from '@vestibule/foundation';
import {
  describeWithVectors,
  encryptJwe as encryptAsWallet,
  fastestMilliseconds,
  readJsonVector,
  readVector,
} from '@vestibule/testkit';
import { createEphemeralKeyPair, decryptJwe, encryptJwe, requireOnCurve, type DecryptionKey } from './index';

const pair = createEphemeralKeyPair(randomBytes);
const keys: DecryptionKey[] = [{ kid: 'k1', privateKey: pair.privateKey }];
const code = (expected: string) => expect.objectContaining({ code: expected });
const joseKey = () => importJWK({ ...pair.publicJwk, alg: 'ECDH-ES' }, 'ECDH-ES');
const text = 'some plaintext';

async function fromJose(header: Record<string, unknown>, party = false) {
  const encrypt = new CompactEncrypt(Buffer.from(text)).setProtectedHeader({
    alg: 'ECDH-ES',
    enc: 'A256GCM',
    kid: 'k1',
    ...header,
  });
  if (party) encrypt.setKeyManagementParameters({ apu: randomBytes(7), apv: randomBytes(33) });
  return encrypt.encrypt(await joseKey());
}

function reHeader(jwe: string, change: (header: Record<string, unknown>) => void) {
  const [header = '', ...rest] = jwe.split('.');
  const parsed = JSON.parse(Buffer.from(header, 'base64url').toString()) as Record<string, unknown>;
  change(parsed);
  return [Buffer.from(JSON.stringify(parsed)).toString('base64url'), ...rest].join('.');
}

describe('decryptJwe', () => {
  it.each(['A128GCM', 'A256GCM'])('VP:H2 opens what jose encrypts with %s', async (enc) => {
    const opened = decryptJwe(await fromJose({ enc }), keys);
    expect(Buffer.from(opened.plaintext).toString()).toBe(text);
    expect(opened.kid).toBe('k1');
  });

  it('VP:H6 takes any apu and apv', async () => {
    expect(Buffer.from(decryptJwe(await fromJose({}, true), keys).plaintext).toString()).toBe(text);
  });

  it('VP:H3 refuses ECDH-ES+A256KW (jwe:jwe-alg-ecdh-es-a256kw)', async () => {
    const jwe = await fromJose({ alg: 'ECDH-ES+A256KW' });
    expect(() => decryptJwe(jwe, keys)).toThrow(code('jwe_algorithm_not_allowed'));
  });

  it('VP:H4 refuses content encryption that was not offered (jwe:jwe-enc-not-offered)', async () => {
    const jwe = await fromJose({ enc: 'A128CBC-HS256' });
    expect(() => decryptJwe(jwe, keys)).toThrow(code('jwe_algorithm_not_allowed'));
  });

  it('VP:H5 refuses an unknown and a missing kid (jwe:jwe-kid-unknown, jwe:jwe-kid-missing)', async () => {
    const unknown = await fromJose({ kid: 'k2' });
    const missing = await fromJose({ kid: undefined });
    expect(() => decryptJwe(unknown, keys)).toThrow(code('jwe_key_unknown'));
    expect(() => decryptJwe(missing, keys)).toThrow(code('jwe_key_unknown'));
  });

  it('VP:H8 refuses zip and crit', async () => {
    const jwe = await fromJose({});
    expect(() =>
      decryptJwe(
        reHeader(jwe, (h) => (h['zip'] = 'DEF')),
        keys,
      ),
    ).toThrow(code('jwe_algorithm_not_allowed'));
    expect(() =>
      decryptJwe(
        reHeader(jwe, (h) => (h['crit'] = ['exp'])),
        keys,
      ),
    ).toThrow(code('jwe_malformed'));
  });

  it('VP:H9 refuses an ephemeral key that is not on the curve', async () => {
    const jwe = reHeader(await fromJose({}), (h) => (h['epk'] = { ...pair.publicJwk, x: pair.publicJwk.y }));
    expect(() => decryptJwe(jwe, keys)).toThrow(code('jwe_decryption_failed'));
  });

  it('refuses a changed tag, ciphertext or header', async () => {
    const jwe = await fromJose({});
    const parts = jwe.split('.');
    const flip = (part: string) => `${part.startsWith('A') ? 'B' : 'A'}${part.slice(1)}`;
    for (const index of [3, 4]) {
      const changed = parts.map((part, at) => (at === index ? flip(part) : part)).join('.');
      expect(() => decryptJwe(changed, keys)).toThrow(DomainError);
    }
    expect(() =>
      decryptJwe(
        reHeader(jwe, (h) => (h['cty'] = 'json')),
        keys,
      ),
    ).toThrow(code('jwe_decryption_failed'));
  });

  it.each(['', 'a.b.c.d.e', '....', 'e30....', 'not a jwe'])('refuses %j', (garbage) => {
    expect(() => decryptJwe(garbage, keys)).toThrow(DomainError);
  });

  const order = { recipient: pair.publicJwk, kid: 'k1', enc: 'A256GCM', random: randomBytes } as const;
  const right = encryptAsWallet(Buffer.from(text), order).split('.');
  const replacing = (index: number, part: string) => right.map((own, at) => (at === index ? part : own)).join('.');
  const bytesOf = (index: number) => Buffer.from(right[index] ?? '', 'base64url');
  it.each([
    ['a sixth part', [...right, 'AAAA'].join('.')],
    ['an empty sixth part', [...right, ''].join('.')],
    ['four parts', right.slice(0, 4).join('.')],
    ['an encrypted key', replacing(1, 'AAAA')],
    ['an initialization vector of 128 bits', replacing(2, randomBytes(16).toString('base64url'))],
    ['an initialization vector that is no base64url', replacing(2, '=')],
    ['a ciphertext that is no base64url', replacing(3, '=')],
    ['a tag of 96 bits', replacing(4, bytesOf(4).subarray(0, 12).toString('base64url'))],
    ['a tag of 17 bytes', replacing(4, Buffer.concat([bytesOf(4), Buffer.of(0)]).toString('base64url'))],
    ['a tag that is no base64url', replacing(4, '=')],
    ['a header of more than 8 KiB', encryptAsWallet(Buffer.from(text), order, { cty: 'x'.repeat(6_200) })],
    ['more than 1 MiB', encryptAsWallet(Buffer.alloc(786_432), order)],
  ])('VP:H2 VP:H10 refuses %s for its form, before it decrypts', (_what, jwe) => {
    expect(() => decryptJwe(jwe, keys)).toThrow(code('jwe_malformed'));
  });

  it('VP:H10 opens what has the most characters that are allowed', () => {
    const header = encryptAsWallet(Buffer.from(text), order, { cty: 'x'.repeat(5_900) });
    expect(header.indexOf('.')).toBeGreaterThan(8_000);
    expect(Buffer.from(decryptJwe(header, keys).plaintext).toString()).toBe(text);
    expect(decryptJwe(encryptAsWallet(Buffer.alloc(786_000), order), keys).plaintext.byteLength).toBe(786_000);
  });

  it('VP:H4 takes no list of algorithms for one', () => {
    const listed = reHeader(right.join('.'), (header) => (header['enc'] = ['A256GCM']));
    expect(() => decryptJwe(listed, keys)).toThrow(code('jwe_algorithm_not_allowed'));
  });

  it('meets any text with a typed error', () => {
    const parts = fc.array(fc.base64String(), { minLength: 4, maxLength: 6 }).map((all) => all.join('.'));
    fc.assert(
      fc.property(fc.oneof(fc.string(), parts), (garbage) => {
        expect(() => decryptJwe(garbage, keys)).toThrow(DomainError);
      }),
    );
  });

  it('answers 100 KB of dots within 50 ms', () => {
    const milliseconds = fastestMilliseconds(() => {
      expect(() => decryptJwe('.'.repeat(100_000), keys)).toThrow(DomainError);
    });
    expect(milliseconds).toBeLessThan(50);
  });
});

describe('a compressed JWE', () => {
  const order = { recipient: pair.publicJwk, kid: 'k1', enc: 'A128GCM', random: randomBytes } as const;
  const opening = (jwe: string, maxInflatedBytes: number) => decryptJwe(jwe, keys, maxInflatedBytes).plaintext;
  const compressed = (content: string) => encryptAsWallet(Buffer.from(content), { ...order, zip: 'DEF' });
  /** Content that is encrypted as it is, under a header that calls it compressed. */
  const pretended = (content: Uint8Array) => encryptAsWallet(content, order, { zip: 'DEF' });

  it('VCI:E8 is taken with DEFLATE where the receiver says so, up to a limit, and with no other compression', () => {
    const jwe = compressed('a'.repeat(5_000));
    expect(jwe.length).toBeLessThan(1_000);
    expect(Buffer.from(opening(jwe, 5_000)).toString()).toBe('a'.repeat(5_000));
    expect(() => opening(jwe, 4_999)).toThrow(code('jwe_decryption_failed'));
    expect(() => opening(jwe, 0)).toThrow(code('jwe_algorithm_not_allowed'));
    for (const zip of ['GZ', 'def', null, 1]) {
      const changed = reHeader(jwe, (header) => (header['zip'] = zip));
      expect(() => opening(changed, 5_000)).toThrow(code('jwe_algorithm_not_allowed'));
    }
  });

  it('VCI:E8 that is cut off, is no DEFLATE, has bytes behind its end or grows beyond the limit is refused', () => {
    const contents = [Buffer.alloc(0), randomBytes(100), Buffer.from('{"a":1}')];
    for (const content of contents)
      expect(() => opening(pretended(content), 5_000)).toThrow(code('jwe_decryption_failed'));
    const stream = deflateRawSync('{"a":1}');
    expect(opening(pretended(stream), 5_000)).toEqual(Buffer.from('{"a":1}'));
    for (const trailing of [Buffer.of(0), Buffer.from('x'.repeat(100)), stream]) {
      const jwe = pretended(Buffer.concat([stream, trailing]));
      expect(() => opening(jwe, 5_000)).toThrow(code('jwe_decryption_failed'));
    }
    const bomb = compressed('x'.repeat(50_000_000));
    expect(bomb.length).toBeLessThan(100_000);
    expect(() => opening(bomb, 1_048_576)).toThrow(code('jwe_decryption_failed'));
  });
});

describe('encryptJwe', () => {
  const order = { recipient: pair.publicJwk, kid: 'k1', enc: 'A128GCM', random: randomBytes } as const;
  const byJose = async (jwe: string) => {
    const jwk = { ...pair.publicJwk, d: Buffer.from(pair.privateKey).toString('base64url') };
    const { plaintext, protectedHeader } = await compactDecrypt(jwe, await importJWK(jwk, 'ECDH-ES'));
    return { content: Buffer.from(plaintext), header: protectedHeader };
  };

  it('makes what jose opens, whatever the content, the algorithm, the compression and the header', async () => {
    const header = fc.dictionary(fc.constantFrom('cty', 'typ', 'a'), fc.string());
    const kids = fc.option(fc.string(), { nil: undefined });
    await fc.assert(
      fc.asyncProperty(
        fc.uint8Array({ maxLength: 3_000 }),
        fc.constantFrom('A128GCM', 'A256GCM'),
        fc.constantFrom(undefined, 'DEF'),
        fc.tuple(kids, header),
        async (content, enc, zip, [kid, members]) => {
          const opened = await byJose(encryptJwe(content, { ...order, enc, zip, kid }, members));
          expect(opened.content).toEqual(Buffer.from(content));
          const { epk, ...others } = opened.header;
          expect(others).toEqual({
            ...members,
            alg: 'ECDH-ES',
            enc,
            ...(kid === undefined ? {} : { kid }),
            ...(zip ? { zip } : {}),
          });
          expect(Object.keys(epk as object).sort()).toEqual(['crv', 'kty', 'x', 'y']);
        },
      ),
    );
  });

  it('cannot be told another algorithm, key or compression by further members of the header', async () => {
    const jwe = encryptJwe(Buffer.from(text), order, { alg: 'dir', enc: 'A256GCM', epk: {}, kid: 'k2' });
    expect((await byJose(jwe)).header).toMatchObject({ alg: 'ECDH-ES', enc: 'A128GCM', kid: 'k1' });
  });

  it('VCI:E8 compresses', async () => {
    const long = Buffer.from(text.repeat(20));
    const jwe = encryptJwe(long, { ...order, zip: 'DEF' });
    const opened = await byJose(jwe);
    expect([opened.content, opened.header.zip]).toEqual([long, 'DEF']);
    expect(jwe.length).toBeLessThan(encryptJwe(long, order).length);
  });

  it('never uses a key or an initialization vector twice', () => {
    const parts = Array.from({ length: 20 }, () => encryptJwe(Buffer.from(text), order).split('.'));
    for (const index of [0, 2, 3]) expect(new Set(parts.map((part) => part[index])).size).toBe(20);
  });

  it('refuses a recipient that is not on the curve', () => {
    for (const recipient of [
      { ...pair.publicJwk, x: pair.publicJwk.y },
      { ...pair.publicJwk, x: 'A'.repeat(43), y: 'A'.repeat(43) },
    ]) {
      expect(() => encryptJwe(Buffer.from(text), { ...order, recipient })).toThrow(code('jwk_not_allowed'));
      expect(() => requireOnCurve(recipient)).toThrow(code('jwk_not_allowed'));
    }
    expect(() => requireOnCurve(pair.publicJwk)).not.toThrow();
  });
});

describeWithVectors('VP:H2 the encrypted response of OpenID4VP 1.0 §8.3', () => {
  const folder = 'verifier/openid4vp-1.0/encrypted-response';
  it('decrypts to the published payload', () => {
    const jwk = readJsonVector(`${folder}/private_jwk.json`) as { d: string; kid: string };
    const opened = decryptJwe(readVector(`${folder}/response.jwe.txt`), [
      { kid: jwk.kid, privateKey: Buffer.from(jwk.d, 'base64url') },
    ]);
    expect(JSON.parse(Buffer.from(opened.plaintext).toString())).toEqual(readJsonVector(`${folder}/payload.json`));
  });
});
