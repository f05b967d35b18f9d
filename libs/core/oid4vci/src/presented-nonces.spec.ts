import { generateKeyPairSync } from 'node:crypto';
import { signCompactJws } from '@vestibule/crypto';
import type { JsonObject, JsonValue } from '@vestibule/foundation';
import { presentedNonces } from './index';

const key = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
const jws = (payload: JsonObject, header: JsonObject = {}) => signCompactJws(header, payload, key);
const attested = (nonce: JsonValue, own: JsonValue = 'own') => jws({ nonce: own }, { key_attestation: jws({ nonce }) });

describe('presentedNonces', () => {
  it('VCI:J10 are those of every proof, each once', () => {
    const long = 'a'.repeat(512);
    const jwt = ['a', 'b', long, 'a'].map((nonce) => jws({ nonce }));
    expect(presentedNonces({ proofs: { jwt } }, 10)).toEqual(['a', 'b', long]);
    expect(presentedNonces({ proofs: { attestation: [jws({ nonce: 'c' })] } }, 10)).toEqual(['c']);
  });

  it('VCI:K9 are also those of a key attestation in a header, but of nothing further in', () => {
    expect(presentedNonces({ proofs: { jwt: [attested('inner')] } }, 10)).toEqual(['own', 'inner']);
    const twice = jws({ nonce: 'own' }, { key_attestation: attested('innermost', 'inner') });
    expect(presentedNonces({ proofs: { jwt: [twice] } }, 10)).toEqual(['own', 'inner']);
  });

  it('are those of the first proofs only', () => {
    const jwt = ['a', 'b', 'c'].map((nonce) => jws({ nonce }));
    expect(presentedNonces({ proofs: { jwt } }, 2)).toEqual(['a', 'b']);
  });

  it.each<[string, unknown]>([
    ['no body', undefined],
    ['a text', 'text'],
    ['no proofs', {}],
    ['proofs that are a list', { proofs: [jws({ nonce: 'a' })] }],
    ['proofs that are a text', { proofs: { jwt: jws({ nonce: 'a' }) } }],
    ['a proof that is no text', { proofs: { jwt: [{ nonce: 'a' }, 7, null] } }],
    ['a proof that is no JWS', { proofs: { jwt: ['a.b.c', '', 'a'] } }],
    ['a payload that is no object', { proofs: { jwt: [jws([] as unknown as JsonObject)] } }],
    ['a nonce that is no text', { proofs: { jwt: [jws({ nonce: 7 }), jws({ nonce: ['a'] }), jws({})] } }],
    ['a nonce that is too long', { proofs: { jwt: [jws({ nonce: 'a'.repeat(513) })] } }],
    ['a proof that is too long', { proofs: { jwt: [jws({ nonce: 'a', more: 'x'.repeat(200_000) })] } }],
    ['an inherited member', { proofs: Object.create({ jwt: [jws({ nonce: 'a' })] }) as object }],
  ])('are none in %s', (_what, body) => {
    expect(presentedNonces(body, 10)).toEqual([]);
  });
});
