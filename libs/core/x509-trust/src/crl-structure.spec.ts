import { createCertificateAuthority, type Authority } from '@vestibule/dev-pki';
import { ascii, crlOf, der, entry, extension, issuingPoint, now, reason, time } from './crl.fixture-spec';
import { MAX_CRL_BYTES, MAX_CRL_ENTRIES, parseCertificate, parseCrl, verifyCrl } from './index';

/* Lists whose signature holds, or is not what is wrong with them. */

let authority: Authority;
beforeAll(async () => {
  authority = await createCertificateAuthority({ name: 'Root', now });
});

const hex = (text: string) => Buffer.from(text, 'hex');
const code = (expected: string) => expect.objectContaining({ code: expected });
const SERIAL = der(0x02, Buffer.of(5));
const DATE = time(now);

/** The three parts of a right list, and the name in it. */
function partsOf() {
  const whole = crlOf(authority);
  const { signedBytes, signature, issuer } = parseCrl(whole);
  const bits = der(0x03, Buffer.of(0), signature);
  const algorithm = whole.subarray(whole.indexOf(signedBytes) + signedBytes.length, -bits.length);
  return { whole, signed: signedBytes, algorithm, bits, issuer, signature };
}
type Parts = ReturnType<typeof partsOf>;

describe('the structure of a revocation list', () => {
  it('VP:N11 is what its parts make', () => {
    const { whole, signed, algorithm, bits } = partsOf();
    expect(der(0x30, signed, algorithm, bits)).toEqual(whole);
    expect(() => verifyCrl(parseCrl(whole), parseCertificate(authority.certificate), now)).not.toThrow();
  });

  it.each<[string, (parts: Parts) => Buffer]>([
    ['a value behind it', ({ whole }) => Buffer.concat([whole, der(0x05)])],
    ['a value behind its signature', ({ signed, algorithm, bits }) => der(0x30, signed, algorithm, bits, der(0x05))],
    ['no signature', ({ signed, algorithm }) => der(0x30, signed, algorithm)],
    ['nothing but what is signed', ({ signed }) => der(0x30, signed)],
    ['nothing in it', () => der(0x30)],
    ['nothing in what is signed', ({ algorithm, bits }) => der(0x30, der(0x30), algorithm, bits)],
    ['an algorithm alone', ({ algorithm, bits }) => der(0x30, der(0x30, algorithm), algorithm, bits)],
    ['no times', ({ algorithm, bits, issuer }) => der(0x30, der(0x30, algorithm, issuer), algorithm, bits)],
    [
      'a signature with bits that do not count',
      ({ signed, algorithm, signature }) => {
        const even = Buffer.concat([signature.subarray(0, -1), Buffer.of((signature.at(-1) ?? 0) & 0xfe)]);
        return der(0x30, signed, algorithm, der(0x03, Buffer.of(1), even));
      },
    ],
  ])('VP:N11 is refused with %s', (_what, change) => {
    expect(() => parseCrl(change(partsOf()))).toThrow(code('crl_malformed'));
  });

  it('VP:Q5 is refused beyond 5 MiB, however right it is', () => {
    const one = entry(Buffer.alloc(20, 1));
    const listOf = (bytes: number) => {
      const count = Math.floor(bytes / one.length);
      expect(count).toBeLessThan(MAX_CRL_ENTRIES);
      return crlOf(authority, { entries: [Buffer.alloc(count * one.length, one)] });
    };
    expect(() => parseCrl(listOf(MAX_CRL_BYTES - 500))).not.toThrow();
    expect(() => parseCrl(listOf(MAX_CRL_BYTES))).toThrow(code('crl_malformed'));
  });

  it('may belong to a distribution point of 64 names, and of no more', () => {
    const namesOf = (count: number) => Array.from({ length: count }, (_none, index) => `http://a.test/${index}`);
    const listOf = (uris: readonly string[]) => parseCrl(crlOf(authority, { extensions: [issuingPoint(uris)] }));
    expect(listOf(namesOf(64)).scope.distributionPoint).toEqual(namesOf(64));
    expect(() => listOf(namesOf(65))).toThrow(code('crl_malformed'));
  });

  it('VP:N11 is refused with a parameter of an algorithm that has none', () => {
    const algorithm = der(0x30, der(0x06, hex('2a8648ce3d040302')), der(0x05));
    const list = crlOf(authority, { innerAlgorithm: algorithm, outerAlgorithm: algorithm });
    expect(() => parseCrl(list)).toThrow(code('crl_malformed'));
  });
});

describe('an entry of a revocation list', () => {
  const listOf = (bytes: Uint8Array) => parseCrl(crlOf(authority, { entries: [bytes] }));
  const marked = (oid: string) => der(0x30, der(0x06, hex(oid)), Buffer.of(1, 1, 0xff), der(0x04, hex('0a0101')));

  it.each<[string, Buffer]>([
    ['a serial number that is no integer', der(0x30, der(0x04, Buffer.of(5)), DATE)],
    ['a date that is no time, but as long', der(0x30, SERIAL, ascii(0x16, '20260301110000Z'))],
    ['a generalized time without seconds', der(0x30, SERIAL, ascii(0x18, '202603011100Z'))],
    ['an extension that is a set', entry(Buffer.of(5), [Buffer.concat([Buffer.of(0x31), reason(1).subarray(1)])])],
    ['an extension whose value is no string', entry(Buffer.of(5), [der(0x30, der(0x06, hex('551d15')), der(0x05))])],
  ])('VP:N11 is refused with %s', (_what, bytes) => {
    expect(() => listOf(bytes)).toThrow(code('crl_malformed'));
  });

  it.each(['551d1501', '561d15', '551e15', '2a1d15', '2a0315', '551d18'])(
    'VP:N11 is refused with the critical extension %s, which is no reason',
    (oid) => {
      expect(() => listOf(entry(Buffer.of(5), [marked(oid)]))).toThrow(code('crl_unsupported'));
      expect(() => listOf(entry(Buffer.of(5), [marked('551d15')]))).not.toThrow();
    },
  );

  it('VP:N11 may have an extension that only ends like the name of another authority', () => {
    const others = ['551e1d', '561d1d', '551d1d01'].map((oid) => der(0x30, der(0x06, hex(oid)), der(0x04)));
    expect(() => listOf(entry(Buffer.of(5), others))).not.toThrow();
    expect(() => listOf(entry(Buffer.of(5), [extension('certificateIssuer')]))).toThrow(code('crl_unsupported'));
  });
});
