import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { CompactEncrypt, importJWK } from 'jose';
import { DomainError } from '@vestibule/foundation';
import { fastestMilliseconds, describeWithVectors, readJsonVector, readVector } from '@vestibule/testkit';
import { createEphemeralKeyPair, decryptJwe, type DecryptionKey } from './index';

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
