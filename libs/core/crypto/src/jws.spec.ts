import { generateKeyPairSync, sign } from 'node:crypto';
import fc from 'fast-check';
import { compactVerify, CompactSign } from 'jose';
import { DomainError } from '@vestibule/foundation';
import { jwsClaims, parseCompactJws, signCompactJws, verifyJws } from './index';

const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const other = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const code = (expected: string) => expect.objectContaining({ code: expected });
const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
const withHeader = (header: object) => `${encode(header)}.${encode({})}.AAAA`;

describe('compact JWS', () => {
  it('is signed so that jose verifies it', async () => {
    const jws = signCompactJws({ typ: 'test' }, { a: 1 }, privateKey);
    const verified = await compactVerify(jws, publicKey);
    expect(verified.protectedHeader).toEqual({ typ: 'test', alg: 'ES256' });
    expect(verified.payload).toEqual(new Uint8Array(Buffer.from('{"a":1}')));
  });

  it('verifies what jose signs', async () => {
    const text = await new CompactSign(Buffer.from('{"b":2}')).setProtectedHeader({ alg: 'ES256' }).sign(privateKey);
    const jws = parseCompactJws(text);
    verifyJws(jws, publicKey);
    expect(jwsClaims(jws)).toEqual({ b: 2 });
  });

  it('fails with another key, another payload and a DER signature', () => {
    const text = signCompactJws({}, { a: 1 }, privateKey);
    expect(() => verifyJws(parseCompactJws(text), other.publicKey)).toThrow(code('jws_signature_invalid'));
    const [header, , signature] = text.split('.');
    const changed = parseCompactJws(`${header}.${encode({ a: 2 })}.${signature}`);
    expect(() => verifyJws(changed, publicKey)).toThrow(code('jws_signature_invalid'));
    const der = sign('sha256', Buffer.from(`${header}.${encode({ a: 1 })}`), privateKey).toString('base64url');
    expect(() => verifyJws(parseCompactJws(`${header}.${encode({ a: 1 })}.${der}`), publicKey)).toThrow(
      code('jws_signature_invalid'),
    );
  });

  it.each(['none', 'HS256', 'ES384', 'es256', 7])('refuses alg %j', (alg) => {
    expect(() => verifyJws(parseCompactJws(withHeader({ alg })), publicKey)).toThrow(code('jws_algorithm_not_allowed'));
  });

  it('refuses critical header extensions', () => {
    expect(() => parseCompactJws(withHeader({ alg: 'ES256', crit: ['x'] }))).toThrow(code('jws_critical_header'));
    expect(() => parseCompactJws(withHeader({ alg: 'ES256', b64: false }))).toThrow(code('jws_critical_header'));
  });

  it.each(['', 'a', 'a.b', 'a.b.c.d', '..', 'e30.e30.', 'e30..AAAA', 'W10.e30.AAAA', 'e30.e30.AA=='])(
    'refuses %j',
    (text) => {
      expect(() => parseCompactJws(text)).toThrow(code('jws_malformed'));
    },
  );

  it('meets any text with a result or a typed error', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.array(fc.base64String(), { maxLength: 5 }).map((p) => p.join('.')),
        ),
        (text) => {
          try {
            parseCompactJws(text);
          } catch (error) {
            expect(error).toBeInstanceOf(DomainError);
          }
        },
      ),
    );
  });
});
