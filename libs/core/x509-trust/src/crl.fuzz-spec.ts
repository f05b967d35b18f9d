import { fastestMilliseconds } from '@vestibule/testkit';
import fc from 'fast-check';
import { createCertificateAuthority, type Authority } from '@vestibule/dev-pki';
import { DomainError } from '@vestibule/foundation';
import { crlOf, der, entry, extension, issuingPoint, now, reason } from './crl.fixture-spec';
import { findRevocation, parseCertificate, parseCrl, verifyCrl, type Certificate } from './index';

let root: Authority;
let issuer: Certificate;
let list: Buffer;
const listed = Buffer.from('0102030405', 'hex');

beforeAll(async () => {
  root = await createCertificateAuthority({ name: 'Root', now });
  issuer = parseCertificate(root.certificate);
  list = crlOf(root, {
    entries: [entry(listed, [reason(1)]), entry(Buffer.of(7), [extension('unknown')])],
    extensions: [extension('cRLNumber'), issuingPoint(['http://a.test/1.crl'], Buffer.of(0x81, 1, 0xff))],
  });
});

/** The value, or undefined after a typed error; everything else fails the test. */
function attempt<T>(action: () => T): T | undefined {
  try {
    return action();
  } catch (error) {
    expect(error).toBeInstanceOf(DomainError);
    return undefined;
  }
}

function use(bytes: Uint8Array): void {
  const crl = attempt(() => parseCrl(bytes));
  if (crl) attempt(() => findRevocation(crl, listed));
  if (crl) attempt(() => verifyCrl(crl, issuer, now));
}

const change = fc.record({ at: fc.nat(), octet: fc.integer({ min: 0, max: 255 }) });

describe('a stranger’s revocation list', () => {
  it('VP:N11 meets parseCrl with a result or a typed error, whatever the bytes', () => {
    fc.assert(
      fc.property(fc.array(change, { maxLength: 4 }), fc.option(fc.nat()), (changes, length) => {
        const bytes = Buffer.from(list);
        for (const { at, octet } of changes) bytes[at % bytes.length] = octet;
        use(length === null ? bytes : bytes.subarray(0, length % bytes.length));
      }),
      { numRuns: 3_000 },
    );
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
        use(bytes);
        use(der(0x30, bytes));
        use(crlOf(root, { entries: [bytes] }));
        use(crlOf(root, { entries: [der(0x30, der(2, listed), bytes)] }));
        use(crlOf(root, { extensions: [Buffer.from(bytes)] }));
        use(crlOf(root, { extensions: [extension('issuingDistributionPoint', { critical: true, value: bytes })] }));
      }),
    );
  });

  it('VP:N11 is accepted with no change in any octet', () => {
    for (let at = 0; at < list.length; at += 1) {
      for (const bit of [at % 8, (at + 3) % 8]) {
        const changed = Buffer.from(list);
        changed[at] = (changed[at] ?? 0) ^ (1 << bit);
        const accepted = attempt(() => {
          verifyCrl(parseCrl(changed), issuer, now);
          return true;
        });
        expect(accepted).toBeUndefined();
      }
    }
  });

  const filled = (hex: string): Buffer => Buffer.alloc(100_000, hex, 'hex');
  const repeated = (part: Buffer): Buffer => Buffer.alloc(Math.floor(100_000 / part.length) * part.length, part);
  const fastest = (bytes: Buffer): number => fastestMilliseconds(() => use(bytes));

  it.each<[string, () => Buffer]>([
    ['nested sequences', () => filled('30830000')],
    ['empty values', () => der(0x30, filled('0500'))],
    ['one octet', () => filled('30')],
    ['a long identifier', () => der(0x30, filled('80'))],
    ['empty values in the signed part', () => der(0x30, der(0x30, filled('0500')))],
    ['empty entries', () => crlOf(root, { entries: [filled('3000')] })],
    ['small entries', () => crlOf(root, { entries: [repeated(entry(Buffer.of(7)))] })],
    [
      'entries with extensions',
      () => crlOf(root, { entries: [repeated(entry(listed.subarray(1), [reason(1), reason(2)]))] }),
    ],
    ['one entry with many extensions', () => crlOf(root, { entries: [entry(listed, [repeated(reason(1))])] })],
    ['many extensions', () => crlOf(root, { extensions: [repeated(extension('unknown'))] })],
    ['a long extension identifier', () => crlOf(root, { extensions: [der(0x30, der(6, filled('81')), der(4))] })],
    ['many names', () => crlOf(root, { extensions: [issuingPoint(Array.from({ length: 20_000 }, () => 'a:b'))] })],
    ['one long serial number', () => crlOf(root, { entries: [entry(filled('11'))] })],
  ])('VP:N11 is answered within 50 ms for 100 KB of %s', (_, make) => {
    expect(fastest(make())).toBeLessThan(50);
  });

  const most = Buffer.alloc(5_000_000, '0500', 'hex');
  it.each<[string, () => Buffer]>([
    ['in the list', () => der(0x30, most)],
    ['in its signed part', () => crlOf(root, { after: [most] })],
    ['in its extensions', () => crlOf(root, { extensions: [most] })],
    ['in its scope', () => crlOf(root, { extensions: [issuingPoint(undefined, most)] })],
    [
      'in its distribution point',
      () => crlOf(root, { extensions: [issuingPoint(undefined, der(0xa0, der(0xa0, most)))] }),
    ],
    ['in an algorithm', () => crlOf(root, { innerAlgorithm: der(0x30, most), outerAlgorithm: der(0x30, most) })],
  ])('VP:Q5 is answered within 50 ms for 5 MB of empty values %s', (_, make) => {
    expect(fastest(make())).toBeLessThan(50);
  });
});
