import { createPublicKey } from 'node:crypto';
import { createEphemeralKeyPair, decryptJwe, jwsClaims, parseCompactJws, verifyJws } from '@vestibule/crypto';
import { randomBytes } from 'node:crypto';
import {
  createAgreementKey,
  createSigningKey,
  decryptJwe as openJwe,
  encodeJson,
  encryptJwe,
  readJwt,
  signJwt,
} from './wallet-crypto';

describe('the crypto of the driver', () => {
  it('signs what the product verifies', () => {
    const { privateKey, jwk } = createSigningKey();
    const jwt = signJwt(encodeJson({ typ: 'kb+jwt', alg: 'ES256' }), { nonce: 'n' }, privateKey);
    const jws = parseCompactJws(jwt);
    expect(() => verifyJws(jws, createPublicKey({ key: { ...jwk }, format: 'jwk' }))).not.toThrow();
    expect(jwsClaims(jws)).toEqual({ nonce: 'n' });
    expect(readJwt(jwt)).toEqual({ nonce: 'n' });
  });

  it.each(['A128GCM', 'A256GCM'] as const)('encrypts with %s what the product decrypts, again and again', (enc) => {
    const recipient = createEphemeralKeyPair(randomBytes);
    const key = createAgreementKey();
    for (const text of ['{"vp_token":{}}', 'ä€😀', '']) {
      const jwe = encryptJwe(text, { jwk: recipient.publicJwk as never, kid: 'one', enc }, key);
      const { plaintext } = decryptJwe(jwe, [{ kid: 'one', privateKey: recipient.privateKey }]);
      expect(Buffer.from(plaintext).toString('utf8')).toBe(text);
    }
  });

  it('decrypts what was encrypted for it, and nothing else', async () => {
    const [key, other] = [createAgreementKey(), createAgreementKey()];
    const jwe = encryptJwe('{"credentials":[]}', { jwk: key.jwk, kid: 'wallet', enc: 'A256GCM' }, other);
    await expect(openJwe(jwe, key)).resolves.toBe('{"credentials":[]}');
    await expect(openJwe(jwe, other)).rejects.toThrow();
  });
});
