import { sign } from 'node:crypto';
import { createCertificateAuthority, type Authority, type IssueOptions } from '@vestibule/dev-pki';
import fc from 'fast-check';
import { ascii, crlOf, der, type CrlParts } from './crl.fixture-spec';
import { parseCertificate, parseCrl } from './index';

const now = new Date('2026-03-01T12:00:00Z');
const malformed = expect.objectContaining({ code: 'certificate_malformed' });
const hex = (text: string): Buffer => Buffer.from(text, 'hex');
const oid = (text: string): Buffer => der(0x06, hex(text));
const ECDSA = '2a8648ce3d040302';

let root: Authority;
/** The parts of a leaf's signed part: version, serial number, algorithm, issuer, validity, subject, key, extensions. */
let fields: readonly Buffer[];
beforeAll(async () => {
  root = await createCertificateAuthority({ name: 'Root', now });
  const { certificate } = await root.issue({ name: 'Leaf' });
  const [signed = Buffer.alloc(0)] = inside(certificate);
  fields = inside(signed);
});

/** The values inside a value. */
function inside(bytes: Buffer): Buffer[] {
  const headerOf = (at: number): [start: number, length: number] => {
    const first = bytes[at + 1] ?? 0;
    const octets = first < 0x80 ? 0 : first & 0x7f;
    return [at + 2 + octets, octets === 0 ? first : bytes.readUIntBE(at + 2, octets)];
  };
  const values: Buffer[] = [];
  for (let [at] = headerOf(0); at < bytes.length;) {
    const [start, length] = headerOf(at);
    values.push(bytes.subarray(at, start + length));
    at = start + length;
  }
  return values;
}

/** A certificate of these parts; the root has signed it. */
function certificateOf(parts: readonly Buffer[], algorithm = der(0x30, oid(ECDSA))): Buffer {
  const signed = der(0x30, ...parts);
  return der(0x30, signed, algorithm, der(0x03, Buffer.of(0), sign('sha256', signed, root.privateKey)));
}

const attribute = (tag: number, value: Uint8Array, type = '550403'): Buffer => der(0x30, oid(type), der(tag, value));
const nameOf = (...attributes: readonly Buffer[]): Buffer => der(0x30, der(0x31, ...attributes));
const utf16 = (text: string): Buffer => Buffer.from(text, 'utf16le').swap16();

describe('VP:N2 a certificate is DER in every part, those that no schema knows as well', () => {
  it('and is taken as it was', () => {
    expect(parseCertificate(certificateOf(fields)).subjectText).toBe('CN=Leaf');
  });

  const withName = (name: () => Buffer) => (parts: readonly Buffer[]) => parts.with(5, name());
  const withTimes = (from: Buffer, until: Buffer) => (parts: readonly Buffer[]) =>
    parts.with(4, der(0x30, from, until));
  it.each<[string, (parts: readonly Buffer[]) => readonly Buffer[]]>([
    ['a boolean of another octet in a name', withName(() => nameOf(attribute(0x01, hex('01'))))],
    ['a NULL with content in a name', withName(() => nameOf(attribute(0x05, hex('00'))))],
    ['a padded number in a name', withName(() => nameOf(attribute(0x02, hex('0001'))))],
    ['a number without octets in a name', withName(() => nameOf(attribute(0x02, hex(''))))],
    ['an attribute without a type', withName(() => nameOf(attribute(0x0c, Buffer.from('x'), '')))],
    ['a set without attributes', withName(() => der(0x30, der(0x31)))],
    [
      'a set in another order',
      withName(() => nameOf(attribute(0x0c, Buffer.from('bb'), '55040a'), attribute(0x0c, Buffer.from('a')))),
    ],
    ['half a character (BMPString)', withName(() => nameOf(attribute(0x1e, utf16('A\ud800B'))))],
    ['half a character (UniversalString)', withName(() => nameOf(attribute(0x1c, hex('0000d800'))))],
    ['fractions of a second', withTimes(ascii(0x18, '20260101000000.5Z'), ascii(0x18, '20270101000000Z'))],
    ['fractions at its end', withTimes(ascii(0x17, '260101000000Z'), ascii(0x18, '20270101000000.001Z'))],
    ['no extensions where they begin', (parts) => parts.with(7, der(0xa3, der(0x30)))],
    ['unique identifiers in version 1', (parts) => [...parts.slice(1, 7), der(0x81, hex('0001'))]],
  ])('it is not with %s', (_, change) => {
    expect(() => parseCertificate(certificateOf(change(fields)))).toThrow(malformed);
  });

  it.each<[string, string, string]>([
    ['a key usage with padding that is set', '551d0f', '030207c0'],
    ['a key usage of more padding than bits', '551d0f', '03020880'],
    ['no alternative names', '551d11', '3000'],
    ['a purpose without a number', '551d25', '30020600'],
  ])('it is not with %s', (_, type, value) => {
    const extension = der(0x30, oid(type), der(0x04, hex(value)));
    const changed = fields.with(7, der(0xa3, der(0x30, extension)));
    expect(() => parseCertificate(certificateOf(changed))).toThrow(malformed);
  });

  it.each<[string, string, string[]]>([
    ['ECDSA with NULL', ECDSA, ['0500']],
    ['ECDSA with anything', ECDSA, ['30030c0178']],
    ['RSA with anything', '2a864886f70d01010b', ['30030c0178']],
    ['RSA with two', '2a864886f70d01010b', ['0500', '0500']],
  ])('it is not with parameters in the signature algorithm: %s', (_, type, parameters) => {
    const algorithm = der(0x30, oid(type), ...parameters.map(hex));
    expect(() => parseCertificate(certificateOf(fields.with(2, algorithm), algorithm))).toThrow(malformed);
  });

  it.each(['', '0500'])('RSA has NULL or nothing: "%s"', (parameters) => {
    const algorithm = der(0x30, oid('2a864886f70d01010b'), hex(parameters));
    expect(() => parseCertificate(certificateOf(fields.with(2, algorithm), algorithm))).not.toThrow();
  });
});

describe('VP:N11 a revocation list is DER in the same way', () => {
  const ofCrl = expect.objectContaining({ code: 'crl_malformed' });
  const algorithm = der(0x30, oid(ECDSA), hex('0500'));
  it.each<[string, CrlParts]>([
    ['parameters of ECDSA', { innerAlgorithm: algorithm, outerAlgorithm: algorithm }],
    ['fractions of a second', { thisUpdate: ascii(0x18, '20260301110000.5Z') }],
    ['fractions in its end', { nextUpdate: ascii(0x18, '20260301130000.25Z') }],
    ['half a character', { issuer: nameOf(attribute(0x1e, utf16('\ud800'))) }],
    ['a set without attributes', { issuer: der(0x30, der(0x31)) }],
  ])('it is not with %s', (_, parts) => {
    expect(() => parseCrl(crlOf(root))).not.toThrow();
    expect(() => parseCrl(crlOf(root, parts))).toThrow(ofCrl);
  });
});

describe('the text of a name', () => {
  const textOf = (...attributes: readonly Buffer[]): string =>
    parseCertificate(certificateOf(fields.with(5, nameOf(...attributes)))).subjectText;

  it.each<[string, number, Buffer, string]>([
    ['a right-to-left override', 0x0c, Buffer.from('A\u202eB'), 'CN=A\\E2\\80\\AEB'],
    ['a separator of lines', 0x0c, Buffer.from('A\u2028B'), 'CN=A\\E2\\80\\A8B'],
    ['a control character of the second kind', 0x1e, utf16('A\u0085B'), 'CN=A\\C2\\85B'],
    ['a space of no width', 0x0c, Buffer.from('A\u200bB'), 'CN=A\\E2\\80\\8BB'],
    ['a tag that nobody sees', 0x0c, Buffer.from('A\u{e0041}'), 'CN=A\\F3\\A0\\81\\81'],
    ['a NUL', 0x1e, utf16('A\u0000B'), 'CN=A\\00B'],
    ['an accent', 0x0c, Buffer.from('Müller'), 'CN=Müller'],
    ['a number', 0x02, hex('05'), 'CN=#020105'],
    ['octets', 0x04, Buffer.from('x'), 'CN=#040178'],
    ['NULL', 0x05, hex(''), 'CN=#0500'],
    ['a structure', 0x30, hex('0500'), 'CN=#30020500'],
    ['what looks like the text of a number', 0x0c, Buffer.from('#020105'), 'CN=\\#020105'],
    ['nothing', 0x0c, hex(''), 'CN='],
  ])('shows %s', (_, tag, value, expected) => {
    expect(textOf(attribute(tag, value))).toBe(expected);
  });

  it('is another for every other name of one attribute, and holds nothing that is not seen', () => {
    const text = fc.string({ unit: fc.constantFrom('A', ' ', '#', ',', '+', '=', '\\', '0', '\u202e', '\n', 'ü') });
    const value = fc.oneof(
      text.map((one) => attribute(0x0c, Buffer.from(one))),
      fc.uint8Array({ maxLength: 3 }).map((one) => attribute(0x04, one)),
    );
    fc.assert(
      fc.property(value, value, (one, other) => {
        const [first, second] = [textOf(one), textOf(other)];
        expect(first === second).toBe(one.equals(other));
        expect(first).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u);
      }),
      { numRuns: 200 },
    );
  });
});

describe('a certificate with one octet or one bit changed', () => {
  it('is taken only where it encodes to itself, and then says nothing else of its parts', async () => {
    const options: IssueOptions = { name: 'Leaf', uris: ['https://a.test/x'], dnsNames: ['a.test'] };
    const { certificate } = await root.issue(options);
    const before = parseCertificate(certificate);
    fc.assert(
      fc.property(fc.nat(certificate.length - 1), fc.nat(7), (at, bit) => {
        const bytes = Buffer.from(certificate);
        bytes.writeUInt8((bytes[at] ?? 0) ^ (1 << bit), at);
        try {
          const after = parseCertificate(bytes);
          expect(after.der.equals(bytes)).toBe(true);
          expect(bytes.includes(after.signedBytes)).toBe(true);
          const isSigned = certificate.includes(after.signedBytes);
          expect(isSigned).toBe(after.signedBytes.equals(before.signedBytes));
        } catch (error) {
          expect(error).toMatchObject({
            code: expect.stringMatching(/^certificate_(malformed|algorithm_not_allowed)$/),
          });
        }
      }),
      { numRuns: 500 },
    );
  });
});
