import { ECDH, generateKeyPairSync, sign, type KeyObject } from 'node:crypto';
import { DomainError } from '@vestibule/foundation';
import { createCertificateAuthority, type Authority } from '@vestibule/dev-pki';
import fc from 'fast-check';
import { der } from './crl.fixture-spec';
import { createChainVerifier, parseCertificate } from './index';

const now = new Date('2026-03-01T12:00:00Z');
const P256_HEX = '06082a8648ce3d030107';
const ECDSA_SHA256 = der(0x30, der(0x06, Buffer.from('2a8648ce3d040302', 'hex')));

const spkiOf = (key: KeyObject): Buffer => key.export({ type: 'spki', format: 'der' });
const bits = (content: Uint8Array, unused = 0): Buffer => der(0x03, Buffer.of(unused), content);
const algorithm = (oid: string, ...parameters: Uint8Array[]): Buffer =>
  der(0x30, der(0x06, Buffer.from(oid, 'hex')), ...parameters);
const ecAlgorithm = (parameters: Uint8Array = Buffer.from(P256_HEX, 'hex')): Buffer =>
  algorithm('2a8648ce3d0201', parameters);
const ecKey = (point: Uint8Array, parameters?: Uint8Array): Buffer => der(0x30, ecAlgorithm(parameters), bits(point));

let root: Authority;
/** The signed part of a leaf of the root, before and after its SubjectPublicKeyInfo. */
let around: readonly [Buffer, Buffer];
let point: Buffer;

beforeAll(async () => {
  root = await createCertificateAuthority({ name: 'Root', now });
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  point = spkiOf(publicKey).subarray(-65);
  const { certificate } = await root.issue({ name: 'Leaf', privateKey });
  const at = certificate.indexOf(spkiOf(publicKey));
  // Two headers of four octets each: of the certificate, and of its signed part, whose length says where it ends.
  around = [certificate.subarray(8, at), certificate.subarray(at + 91, 8 + certificate.readUInt16BE(6))];
});

/** A leaf that the root has signed, whatever its key is. */
function leafWith(spki: Uint8Array): Buffer {
  const [before, after] = around;
  const signed = der(0x30, before, spki, after);
  return der(0x30, signed, ECDSA_SHA256, bits(sign('sha256', signed, root.privateKey)));
}

/** How a verifier that trusts the root, or nobody, takes this leaf. */
function judge(spki: Uint8Array, isTrusted = true): string {
  const anchor = { certificate: parseCertificate(root.certificate), purposes: ['credential' as const] };
  const chains = createChainVerifier(isTrusted ? [anchor] : [], { maxEntries: 1 });
  try {
    chains.verify([leafWith(spki).toString('base64')], { now, purpose: 'credential' });
    return 'taken';
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    return error.code;
  }
}

const ofKind = (kind: 'ed25519' | 'x25519' | 'ed448'): Buffer =>
  spkiOf(generateKeyPairSync(kind as 'ed25519').publicKey);
const converted = (form: 'compressed' | 'hybrid'): Buffer =>
  ECDH.convertKey(point, 'prime256v1', undefined, undefined, form) as Buffer;

describe('the key of a certificate', () => {
  it('is taken on its curve, uncompressed and compressed (RFC 5480 §2.2)', () => {
    expect(judge(ecKey(point))).toBe('taken');
    expect(judge(ecKey(converted('compressed')))).toBe('taken');
  });

  it.each<[string, () => Buffer]>([
    ['the point at infinity', () => Buffer.of(0)],
    ['the point at infinity, written long', () => Buffer.alloc(65)],
    ['nothing at all', () => Buffer.alloc(0)],
    ['a form alone', () => Buffer.of(4)],
    ['a hybrid point', () => converted('hybrid')],
    ['a point that is not on the curve', () => Buffer.concat([Buffer.of(4), Buffer.alloc(64, 1)])],
    ['a point with a byte behind it', () => Buffer.concat([point, Buffer.of(0)])],
    ['a compressed point with a byte behind it', () => Buffer.concat([converted('compressed'), Buffer.of(0)])],
    ['a coordinate beyond the field', () => Buffer.concat([Buffer.of(2), Buffer.alloc(32, 0xff)])],
    ['a form that is none', () => Buffer.concat([Buffer.of(5), point.subarray(1)])],
  ])('VP:N2 is malformed as %s, and no process ends of it, trusted or not', (_, make) => {
    expect(judge(ecKey(make()))).toBe('certificate_malformed');
    expect(judge(ecKey(make()), false)).toBe('certificate_malformed');
  });

  it.each<[string, () => Buffer]>([
    ['an infinite point on a curve of its own', () => ecKey(Buffer.of(0), der(0x30, Buffer.of(2, 1, 1)))],
    ['P-256 with its parameters written out (RFC 5480 §2.1.1)', () => ecKey(point, EXPLICIT_P256)],
    ['an implicit curve', () => ecKey(point, der(0x05))],
    ['no curve', () => der(0x30, algorithm('2a8648ce3d0201'), bits(point))],
    ['a curve that nobody knows', () => ecKey(point, Buffer.from('06032a0304', 'hex'))],
    ['the curve of SM2', () => ecKey(point, Buffer.from('06082a811ccf5501822d', 'hex'))],
    ['secp256k1', () => spkiOf(generateKeyPairSync('ec', { namedCurve: 'secp256k1' }).publicKey)],
    ['P-224', () => spkiOf(generateKeyPairSync('ec', { namedCurve: 'secp224r1' }).publicKey)],
    ['a key for agreement alone (id-ecDH)', () => der(0x30, algorithm('2b8104010c', P256), bits(point))],
    ['Ed25519', () => ofKind('ed25519')],
    ['X25519', () => ofKind('x25519')],
    ['Ed448', () => ofKind('ed448')],
    ['RSASSA-PSS', () => der(0x30, algorithm('2a864886f70d01010a'), bits(der(0x30)))],
    ['an algorithm that nobody knows', () => der(0x30, algorithm('2a0304'), bits(point))],
  ])('VP:N9 is not allowed as %s', (_, make) => {
    expect(judge(make())).toBe('certificate_algorithm_not_allowed');
    expect(judge(make(), false)).toBe('certificate_algorithm_not_allowed');
  });

  const rsaKey = (modulus: Uint8Array, exponent: Uint8Array, ...parameters: Buffer[]): Buffer =>
    der(0x30, algorithm('2a864886f70d010101', ...parameters), bits(der(0x30, der(2, modulus), der(2, exponent))));
  const modulus = Buffer.concat([Buffer.of(0), Buffer.alloc(256, 0xfb)]);

  it.each<[string, Buffer, string]>([
    ['an exponent of 1, with which anybody signs', rsaKey(modulus, Buffer.of(1), der(0x05)), 'algorithm_not_allowed'],
    ['an exponent of 0', rsaKey(modulus, Buffer.of(0), der(0x05)), 'algorithm_not_allowed'],
    ['an even exponent', rsaKey(modulus, Buffer.of(2), der(0x05)), 'algorithm_not_allowed'],
    ['a modulus of 0', rsaKey(Buffer.of(0), Buffer.of(3), der(0x05)), 'algorithm_not_allowed'],
    ['no parameters', rsaKey(modulus, Buffer.of(3)), 'malformed'],
    ['other parameters', rsaKey(modulus, Buffer.of(3), der(0x30)), 'malformed'],
    [
      'a key that is no RSA key',
      der(0x30, algorithm('2a864886f70d010101', der(0x05)), bits(Buffer.of(1))),
      'malformed',
    ],
  ])('VP:N9 is not taken as RSA with %s', (_, spki, code) => {
    expect(judge(spki)).toBe(`certificate_${code}`);
  });

  it('is judged, whatever its bytes are', () => {
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 140 }),
      fc.tuple(fc.nat(7), fc.uint8Array({ maxLength: 133 })).map(([form, rest]) => Uint8Array.of(form, ...rest)),
    );
    const parameters = fc.constantFrom(P256_HEX, '06052b81040022', '06052b81040023', '0500', '30030201', '060100', '');
    const oids = fc.constantFrom('2a8648ce3d0201', '2a864886f70d010101', '2a864886f70d01010a', '2b6570', '');
    fc.assert(
      fc.property(oids, parameters, bytes, fc.boolean(), (oid, curve, key, isTrusted) => {
        const spki = der(0x30, algorithm(oid, Buffer.from(curve, 'hex')), bits(key));
        expect(judge(spki, isTrusted)).toMatch(/^certificate_(malformed|algorithm_not_allowed)$/);
      }),
      { numRuns: 300 },
    );
  });
});

const P256 = Buffer.from(P256_HEX, 'hex');
/** ECParameters with the field, the coefficients, the generator and the order of P-256 (RFC 3279 §2.3.5). */
const EXPLICIT_P256 = ((): Buffer => {
  const octets = (hex: string): Buffer => der(0x04, Buffer.from(hex, 'hex'));
  const number = (hex: string): Buffer => der(0x02, Buffer.from(`00${hex}`, 'hex'));
  const prime = 'ffffffff00000001000000000000000000000000ffffffffffffffffffffffff';
  const a = 'ffffffff00000001000000000000000000000000fffffffffffffffffffffffc';
  const b = '5ac635d8aa3a93e7b3ebbd55769886bc651d06b0cc53b0f63bce3c3e27d2604b';
  const x = '6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296';
  const y = '4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5';
  const order = 'ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551';
  const field = der(0x30, der(0x06, Buffer.from('2a8648ce3d0101', 'hex')), number(prime));
  const curve = der(0x30, octets(a), octets(b));
  return der(0x30, Buffer.of(2, 1, 1), field, curve, octets(`04${x}${y}`), number(order), Buffer.of(2, 1, 1));
})();
