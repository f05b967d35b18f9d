import { generateKeyPairSync, sign } from 'node:crypto';
import fc from 'fast-check';
import { compactVerify, CompactSign } from 'jose';
import { DomainError } from '@vestibule/foundation';
import {
  jwsClaims,
  parseCompactJws,
  requireEs256,
  signCompactJws,
  signCompactJwsBy,
  signEs256,
  verifyJws,
} from './index';

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

  const parts = [
    'e30.e30.AAAA.AAAA',
    'e30.e30.AAAA.',
    'e30.e30.',
    'e30..AAAA',
    '.e30.AAAA',
    'e30.e30',
    'e30',
    '',
    '..',
  ];
  const spellings = ['W10.e30.AAAA', 'e3.e30.AAAA', 'e30.e3.AAAA', 'e30.e30.AA==', 'e30.e30.A'];
  it.each([...parts, ...spellings])('refuses %j', (text) => {
    expect(parseCompactJws('e30.e30.AAAA').header).toEqual({});
    expect(() => parseCompactJws(text)).toThrow(code('jws_malformed'));
  });

  it('has as many characters as the limits allow, and by default no more than 512 KiB and 64 KiB of header', () => {
    const text = signCompactJws({ typ: 'test' }, { a: 1 }, privateKey);
    const exact = { maxLength: text.length, maxHeaderLength: text.indexOf('.') };
    expect(parseCompactJws(text, exact).header).toMatchObject({ typ: 'test' });
    for (const limits of [
      { ...exact, maxLength: exact.maxLength - 1 },
      { ...exact, maxHeaderLength: exact.maxHeaderLength - 1 },
    ]) {
      expect(() => parseCompactJws(text, limits)).toThrow(code('jws_malformed'));
    }
    const payload = (length: number) => `e30.${'A'.repeat(length - 8)}.AAA`;
    expect(parseCompactJws(payload(524_288)).header).toEqual({});
    expect(() => parseCompactJws(payload(524_292))).toThrow(code('jws_malformed'));
    const header = (length: number) => `${Buffer.from(`{}${' '.repeat(length - 2)}`).toString('base64url')}.e30.AAAA`;
    expect(parseCompactJws(header(49_152)).header).toEqual({});
    expect(() => parseCompactJws(header(49_155))).toThrow(code('jws_malformed'));
  });

  it('says of a number that is not exact where it is, and of a payload that it is no object', () => {
    const inexact = Buffer.from('{"a":1e999}').toString('base64url');
    expect(() => parseCompactJws(`${inexact}.e30.AAAA`)).toThrow(code('jws_number_not_exact'));
    expect(() => jwsClaims(parseCompactJws(`e30.${inexact}.AAAA`))).toThrow(code('jws_number_not_exact'));
    expect(() => jwsClaims(parseCompactJws('e30.W10.AAAA'))).toThrow(code('jws_malformed'));
    const header = Buffer.from('{"iat":1780315200.0999999}').toString('base64url');
    expect(() => parseCompactJws(`${header}.e30.AAAA`)).toThrow(code('jws_number_not_exact'));
  });

  it('is for ES256 alone where nothing else is said', () => {
    expect(() => requireEs256(parseCompactJws(withHeader({ alg: 'ES256' })))).not.toThrow();
    for (const alg of ['ES384', 'none', undefined]) {
      expect(() => requireEs256(parseCompactJws(withHeader({ alg })))).toThrow(code('jws_algorithm_not_allowed'));
    }
  });

  it('is made by a device as by a key at hand', async () => {
    const sign = (input: Uint8Array) => Promise.resolve(signEs256(privateKey, input));
    const jws = parseCompactJws(await signCompactJwsBy({ typ: 'test', alg: 'none' }, { a: 1 }, sign));
    verifyJws(jws, publicKey);
    expect([jws.header, jwsClaims(jws)]).toEqual([{ typ: 'test', alg: 'ES256' }, { a: 1 }]);
  });

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
