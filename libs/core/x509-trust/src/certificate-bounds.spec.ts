import type * as NodeCrypto from 'node:crypto';
import { randomBytes } from 'node:crypto';
import { createCertificateAuthority, type Authority } from '@vestibule/dev-pki';
import { createChainVerifier, parseCertificate } from './index';
import { ascii, der } from './crl.fixture-spec';

const signatures = jest.spyOn(jest.requireActual<typeof NodeCrypto>('node:crypto'), 'verify');
const imports = jest.spyOn(jest.requireActual<typeof NodeCrypto>('node:crypto'), 'createPublicKey');

const now = new Date('2026-03-01T12:00:00Z');
const code = (expected: string) => expect.objectContaining({ code: expected });

let root: Authority;
beforeAll(async () => {
  root = await createCertificateAuthority({ name: 'Root', now });
});

/** The values inside a value. */
function inside(bytes: Buffer): Buffer[] {
  const headerOf = (at: number) => {
    const first = bytes[at + 1] ?? 0;
    const octets = first < 0x80 ? 0 : first & 0x7f;
    return { start: at + 2 + octets, length: octets === 0 ? first : bytes.readUIntBE(at + 2, octets) };
  };
  const values: Buffer[] = [];
  for (let at = headerOf(0).start; at < bytes.length;) {
    const { start, length } = headerOf(at);
    values.push(bytes.subarray(at, start + length));
    at = start + length;
  }
  return values;
}

/** The root's certificate with another subject (5), key (6) or extensions (7), and a signature that fits nothing. */
function rootWith(position: number, value: Buffer): Buffer {
  const [tbs, ...rest] = inside(root.certificate) as [Buffer, ...Buffer[]];
  return der(0x30, der(0x30, ...inside(tbs).with(position, value)), ...rest);
}

const COMMON_NAME = Buffer.from('0603550403', 'hex');
const subjectOf = (...values: Buffer[]) =>
  der(0x30, ...values.map((value) => der(0x31, der(0x30, COMMON_NAME, value))));
const extensionOf = (oid: string, value: Buffer) =>
  der(0xa3, der(0x30, der(0x30, Buffer.from(oid, 'hex'), der(0x04, value))));
const [ALT_NAMES, EXTENDED_KEY_USAGE, UNKNOWN] = ['0603551d11', '0603551d25', '06032a0304'];
const arcs = (count: number) => der(0x06, Buffer.alloc(count, 0x2b));
const times = (count: number, make: (index: number) => Buffer) => Array.from({ length: count }, (_, at) => make(at));

describe('a certificate that would take long to read', () => {
  it.each<[string, () => Buffer]>([
    ['an object identifier of 15,000 parts in a name', () => rootWith(5, subjectOf(arcs(15_000)))],
    ['a relative one', () => rootWith(5, subjectOf(der(0x0d, Buffer.alloc(15_000, 0x2b))))],
    ['one as the name of an attribute', () => rootWith(5, der(0x30, der(0x31, der(0x30, arcs(65), ascii(0x0c, 'a')))))],
    ['one as an extended key usage', () => rootWith(7, extensionOf(EXTENDED_KEY_USAGE, der(0x30, arcs(15_000))))],
    ['one as the name of an extension', () => rootWith(7, extensionOf(arcs(70).toString('hex'), der(0x05)))],
    [
      'one as an alternative name',
      () => rootWith(7, extensionOf(ALT_NAMES, der(0x30, der(0x88, Buffer.alloc(99, 43))))),
    ],
    [
      'more extended key usages than fit into 1,024 octets',
      () => rootWith(7, extensionOf(EXTENDED_KEY_USAGE, der(0x30, ...times(20, () => arcs(60))))),
    ],
    ['a name of 15,000 characters', () => rootWith(5, subjectOf(ascii(0x0c, 'a'.repeat(15_000))))],
    ['one in characters of four octets', () => rootWith(5, subjectOf(der(0x1c, Buffer.alloc(14_000))))],
    ['an integer of 15,000 octets for a name', () => rootWith(5, subjectOf(der(0x02, Buffer.alloc(15_000, 0x2b))))],
    ['130 names', () => rootWith(5, subjectOf(...times(130, (at) => ascii(0x0c, `${at}`))))],
    [
      '130 alternative names',
      () => rootWith(7, extensionOf(ALT_NAMES, der(0x30, ...times(130, (at) => ascii(0x82, `${at}.a`))))),
    ],
    [
      '65 extensions',
      () =>
        rootWith(
          7,
          der(
            0xa3,
            der(0x30, ...times(65, (at) => der(0x30, der(0x06, Buffer.of(42, at)), der(0x04, Buffer.of(5, 0))))),
          ),
        ),
    ],
    [
      'values that nest 40 times',
      () => rootWith(5, subjectOf(times(40, () => Buffer.of(0)).reduce((inner) => der(0x30, inner), der(0x05)))),
    ],
  ])('is refused before its key is read: %s', (_, make) => {
    const certificate = make();
    imports.mockClear();
    expect(() => parseCertificate(certificate)).toThrow(code('certificate_malformed'));
    expect(imports).not.toHaveBeenCalled();
  });

  it('is none that has long names, many usages and extensions as they occur', () => {
    const names = subjectOf(...times(30, (at) => ascii(0x0c, `${at}`.repeat(200))));
    expect(parseCertificate(rootWith(5, names)).subjectText.length).toBeGreaterThan(9_000);
    const usages = extensionOf(EXTENDED_KEY_USAGE, der(0x30, ...times(40, (at) => der(0x06, Buffer.of(42, 3, at)))));
    expect(parseCertificate(rootWith(7, usages)).extendedKeyUsage?.purposes).toHaveLength(40);
    expect(parseCertificate(rootWith(7, extensionOf(UNKNOWN, randomBytes(14_000)))).der.length).toBeGreaterThan(14_000);
  });
});

const RSA = Buffer.from('300d06092a864886f70d0101010500', 'hex');
const number = (octets: number) => {
  const content = randomBytes(octets);
  content.writeUInt8(content.readUInt8(0) | 0x80, 0);
  content.writeUInt8(content.readUInt8(octets - 1) | 1, octets - 1);
  return der(0x02, Buffer.of(0), content);
};
const rsaKey = (bits: number, exponent: Buffer) =>
  der(0x30, RSA, der(0x03, Buffer.of(0), der(0x30, number(bits / 8), der(0x02, exponent))));

describe('a key that would take long to verify with', () => {
  const SMALL = Buffer.from('010001', 'hex');

  it.each<[string, Buffer]>([
    ['RSA of 16,384 bits', rsaKey(16_384, SMALL)],
    ['RSA of 8,200 bits', rsaKey(8_200, SMALL)],
    ['RSA with an exponent of 33 bits', rsaKey(4_096, Buffer.from('0100000001', 'hex'))],
    ['RSA with an exponent of 2,048 bits', rsaKey(4_096, randomBytes(256).fill(0x55, 0, 1))],
  ])('is refused, and nothing is verified with it: %s', async (_, key) => {
    const leaf = await root.issue({ name: 'Leaf', issuerName: 'Root' });
    const x5c = [leaf.certificate, rootWith(6, key)].map((der64) => der64.toString('base64'));
    const verifier = createChainVerifier([], { maxEntries: 1 });
    signatures.mockClear();
    expect(() => verifier.verify(x5c, { now, purpose: 'credential' })).toThrow(
      code('certificate_algorithm_not_allowed'),
    );
    expect(signatures).not.toHaveBeenCalled();
  });

  it.each<[string, Buffer]>([
    ['RSA of 100,000 bits', rsaKey(100_000, SMALL)],
    ['RSA with an exponent of 14,000 octets', rsaKey(2_048, randomBytes(14_000).fill(0x55, 0, 1))],
    ['a key of 14,000 octets of anything', der(0x30, RSA, der(0x03, Buffer.of(0), randomBytes(14_000)))],
  ])('is not even read where it is larger than any: %s', (_, key) => {
    imports.mockClear();
    expect(() => parseCertificate(rootWith(6, key))).toThrow(code('certificate_algorithm_not_allowed'));
    expect(imports).not.toHaveBeenCalled();
  });

  it.each([2_048, 4_096, 8_192])('is none of RSA with %i bits', (bits) => {
    expect(parseCertificate(rootWith(6, rsaKey(bits, SMALL))).publicKey.asymmetricKeyDetails?.modulusLength).toBe(bits);
  });
});
