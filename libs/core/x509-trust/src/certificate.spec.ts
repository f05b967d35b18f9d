import { execFileSync, spawnSync } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { rootCertificates } from 'node:tls';
import { createCertificateAuthority, type Authority, type RawExtension } from '@vestibule/dev-pki';
import { certificateHash, parseCertificate, parsePemCertificates, type Certificate } from './index';

const now = new Date('2026-03-01T12:00:00Z');
const code = (expected: string) => expect.objectContaining({ code: expected });
const hasOpenSsl = spawnSync('openssl', ['version']).status === 0;

/** No root has a negative serial number. */
const serialOf = ({ serialNumber }: Certificate): bigint => BigInt(`0x${serialNumber.toString('hex')}`);

let root: Authority;
beforeAll(async () => {
  root = await createCertificateAuthority({ name: 'Root', now });
});

const withExtensions = async (...extensions: RawExtension[]) =>
  (await root.issue({ name: 'Leaf', extensions })).certificate;

describe('parseCertificate', () => {
  it('reads what dev-pki writes', async () => {
    const [notBefore, notAfter] = [new Date('1999-12-31T23:59:59Z'), new Date('2050-01-01T00:00:00Z')];
    const [ski, aki] = [Buffer.from('01', 'hex'), Buffer.from('02', 'hex')];
    const issued = await root.issueAuthority({
      name: 'Everything',
      notBefore,
      notAfter,
      pathLength: 3,
      keyUsages: ['digitalSignature', 'keyCertSign', 'decipherOnly'],
      dnsNames: ['a.test', '*.b.test'],
      uris: ['https://a.test/issuer'],
      subjectKeyIdentifier: ski,
      authorityKeyIdentifier: aki,
    });
    const certificate = parseCertificate(issued.certificate);
    expect(certificate).toMatchObject({
      isCa: true,
      pathLength: 3,
      keyUsage: ['digitalSignature', 'keyCertSign', 'decipherOnly'],
      extendedKeyUsage: undefined,
      subjectAltName: { dnsNames: ['a.test', '*.b.test'], uris: ['https://a.test/issuer'] },
      unprocessedExtensions: [],
      signatureAlgorithm: '1.2.840.10045.4.3.2',
      subjectText: 'CN=Everything',
      notBefore,
      notAfter,
    });
    expect(certificate.subjectKeyIdentifier).toEqual(ski);
    expect(certificate.authorityKeyIdentifier).toEqual(aki);
    expect(certificate.issuer).toEqual(parseCertificate(root.certificate).subject);
    expect(Object.isFrozen(certificate)).toBe(true);
  });

  it('agrees with OpenSSL about every root that Node.js ships', () => {
    for (const pem of rootCertificates) {
      const theirs = new X509Certificate(pem);
      const [ours] = parsePemCertificates(pem);
      expect([ours?.notBefore, ours?.notAfter]).toEqual([new Date(theirs.validFrom), new Date(theirs.validTo)]);
      expect(ours?.subject.equals(ours.issuer)).toBe(theirs.checkIssued(theirs));
      expect(ours?.der).toEqual(theirs.raw);
      expect(ours && serialOf(ours)).toBe(BigInt(`0x${theirs.serialNumber}`));
      // Roots of version 1 have no extensions, and OpenSSL takes them for authorities nevertheless.
      if (ours?.keyUsage) expect(ours.isCa).toBe(theirs.ca);
    }
  }, 30_000);

  it('keeps what it read when the caller changes the bytes', () => {
    const bytes = Buffer.from(root.certificate);
    const certificate = parseCertificate(bytes);
    bytes.fill(0);
    expect(certificate.der).toEqual(root.certificate);
  });

  it('VP:N1 refuses PEM, trailing bytes, a truncated certificate and one beyond 16 KiB', async () => {
    const der = root.certificate;
    const large: RawExtension = { oid: '1.2.3', critical: false, value: Buffer.alloc(16_384) };
    for (const bytes of [
      Buffer.from(new X509Certificate(der).toString()),
      Buffer.concat([der, Buffer.of(0)]),
      der.subarray(0, -1),
      Buffer.alloc(0),
      await withExtensions(large),
    ]) {
      expect(() => parseCertificate(bytes)).toThrow(code('certificate_malformed'));
    }
  });

  it('refuses an extension that occurs twice', async () => {
    const extension: RawExtension = { oid: '1.2.3', critical: false, value: Buffer.from('0500', 'hex') };
    const der = await withExtensions(extension, extension);
    expect(() => parseCertificate(der)).toThrow(code('certificate_malformed'));
  });

  it.each([
    ['a name with a NUL', '2.5.29.17', '3008820661002e746573'],
    ['a name that is not ASCII', '2.5.29.17', '30038201e4'],
    ['a name that ends early', '2.5.29.17', '30058206612e74'],
    ['an indefinite length', '2.5.29.17', '308082016100' + '00'],
    ['a length with a leading zero', '2.5.29.17', '308200038201' + '61'],
    ['an extended key usage without identifiers', '2.5.29.37', '30020500'],
    ['an identifier with a leading zero', '2.5.29.37', '30050603802a03'],
    ['an identifier without an end', '2.5.29.37', '300406022a83'],
    ['bytes after the value', '2.5.29.37', '300406022a030500'],
  ])('refuses an extension with %s', async (_, oid, hex) => {
    const der = await withExtensions({ oid, critical: false, value: Buffer.from(hex, 'hex') });
    expect(() => parseCertificate(der)).toThrow(code('certificate_malformed'));
  });

  it.each([
    ['a negative path length', '30060101ff0201ff'],
    ['a path length beyond 32 bit', '300a0101ff02050100000000'],
    ['a boolean that is neither', '3003010101'],
  ])('refuses basic constraints with %s', async (_, hex) => {
    const extensions = [{ oid: '2.5.29.19', critical: true, value: Buffer.from(hex, 'hex') }];
    const { certificate } = await root.issue({ name: 'CA', ca: null, extensions });
    expect(() => parseCertificate(certificate)).toThrow(code('certificate_malformed'));
  });

  it('VP:N11 refuses a serial number that is not the shortest: it would be missed on a list', () => {
    const der = Buffer.from(root.certificate);
    const serial = parseCertificate(der).serialNumber;
    const at = der.indexOf(serial);
    for (const start of [
      [0x00, 0x01],
      [0xff, 0x81],
    ]) {
      Buffer.from(start).copy(der, at);
      expect(() => parseCertificate(der)).toThrow(code('certificate_malformed'));
    }
  });

  it('refuses two different signature algorithms in one certificate', () => {
    const der = Buffer.from(root.certificate);
    const oid = Buffer.from('06082a8648ce3d040302', 'hex');
    der[der.lastIndexOf(oid) + oid.length - 1] = 3;
    expect(() => parseCertificate(der)).toThrow(code('certificate_malformed'));
  });
});

describe('certificateHash', () => {
  it('VP:A6 is SHA-256 over the DER in base64url, as the fingerprint of node:crypto', () => {
    const fingerprint = new X509Certificate(root.certificate).fingerprint256.replaceAll(':', '');
    const hash = certificateHash(parseCertificate(root.certificate));
    expect(hash).toBe(Buffer.from(fingerprint, 'hex').toString('base64url'));
    expect(hash).toHaveLength(43);
  });

  (hasOpenSsl ? it : it.skip)('VP:A6 equals openssl dgst -sha256 -binary of the DER in base64url', () => {
    const digest = execFileSync('openssl', ['dgst', '-sha256', '-binary'], { input: root.certificate });
    expect(certificateHash(parseCertificate(root.certificate))).toBe(digest.toString('base64url'));
  });
});
