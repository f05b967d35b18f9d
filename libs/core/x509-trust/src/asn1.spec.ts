import { execFileSync, spawnSync } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { rootCertificates } from 'node:tls';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { createCertificateAuthority, toPem, type Authority } from '@vestibule/dev-pki';
import { fastestMilliseconds } from '@vestibule/testkit';
import { ascii, der } from './crl.fixture-spec';
import { parseCertificate, parseCertificateFile, parsePemCertificates } from './index';

const now = new Date('2026-03-01T12:00:00Z');
const code = (expected: string) => expect.objectContaining({ code: expected });
const hasOpenSsl = spawnSync('openssl', ['version']).status === 0;
const BASIC_CONSTRAINTS = { oid: '2.5.29.19', critical: true };

let root: Authority;
beforeAll(async () => {
  root = await createCertificateAuthority({ name: 'Root', now });
});

/** Cuts a value into its identifier octet and its content. */
function cut(bytes: Buffer): { readonly tag: number; readonly content: Buffer } {
  const first = bytes[1] ?? 0;
  const octets = first < 0x80 ? 0 : first & 0x7f;
  return { tag: bytes[0] ?? 0, content: bytes.subarray(2 + octets) };
}

/** The values inside a value. */
function inside(bytes: Buffer): Buffer[] {
  const { content } = cut(bytes);
  const values: Buffer[] = [];
  for (let at = 0; at < content.length;) {
    const first = content[at + 1] ?? 0;
    const octets = first < 0x80 ? 0 : first & 0x7f;
    const length = octets === 0 ? first : content.readUIntBE(at + 2, octets);
    values.push(content.subarray(at, at + 2 + octets + length));
    at += 2 + octets + length;
  }
  return values;
}

describe('parseCertificate refuses other encodings of the same certificate', () => {
  const reencoded = (change: (tbs: Buffer[]) => Buffer[]): Buffer => {
    const [tbs, ...rest] = inside(root.certificate) as [Buffer, ...Buffer[]];
    return der(0x30, der(0x30, ...change(inside(tbs))), ...rest);
  };
  const indefinite = (content: Buffer) => Buffer.concat([Buffer.of(0x30, 0x80), content, Buffer.of(0, 0)]);

  it.each<[string, () => Buffer]>([
    ['with an indefinite length', () => indefinite(cut(root.certificate).content)],
    [
      'with an indefinite length inside',
      () => reencoded((tbs) => tbs.with(3, indefinite(cut(tbs[3] as Buffer).content))),
    ],
    [
      'with a length that is longer than it need be',
      () => reencoded(([version, ...rest]) => [Buffer.from('a08103020102', 'hex'), ...rest].slice(version ? 0 : 1)),
    ],
    [
      'whose version is the default, written',
      () => reencoded((tbs) => tbs.slice(0, -1).with(0, Buffer.from('a003020100', 'hex'))),
    ],
    ['of version 4', () => reencoded((tbs) => tbs.with(0, Buffer.from('a003020103', 'hex')))],
    ['of version 1 with extensions', () => reencoded((tbs) => tbs.slice(1))],
    ['whose serial number is empty', () => reencoded((tbs) => tbs.with(1, Buffer.of(2, 0)))],
    ['whose name is in pieces', () => reencoded((tbs) => tbs.with(3, constructedName()))],
    ['whose name has a length that is longer than it need be', () => reencoded((tbs) => tbs.with(3, longName()))],
    ['with a time without seconds', () => reencoded((tbs) => tbs.with(4, validity('2603011200Z', '270301120000Z')))],
    [
      'with a time that does not exist',
      () => reencoded((tbs) => tbs.with(4, validity('260230120000Z', '270301120000Z'))),
    ],
    [
      'with a time in another zone',
      () => reencoded((tbs) => tbs.with(4, validity('260301120000Z', '270301120000+0100'))),
    ],
    ['with something behind the extensions', () => reencoded((tbs) => [...tbs, der(0x05)])],
    ['with a key that has unused bits', () => reencoded((tbs) => tbs.with(6, withUnusedBits(tbs[6] as Buffer)))],
    [
      'whose key is none',
      () => reencoded((tbs) => tbs.with(6, der(0x30, inside(tbs[6] as Buffer)[0] as Buffer, der(3, Buffer.of(0, 1))))),
    ],
    [
      'whose extensions are not in brackets',
      () => reencoded((tbs) => [...tbs.slice(0, -1), cut(tbs.at(-1) as Buffer).content]),
    ],
  ])('%s', (_, make) => {
    expect(() => parseCertificate(make())).toThrow(code('certificate_malformed'));
  });

  it('and takes the same pieces as they were', () => {
    expect(reencoded((tbs) => tbs)).toEqual(root.certificate);
  });

  it.each<[string, string]>([
    ['a default that is written', '3003010100'],
    ['true as 1', '3003010101'],
    ['a boolean of two octets', '30040102ffff'],
    ['a padded number', '30070101ff02020001'],
    ['bytes behind it', '30030101ff00'],
    ['another member', '30060101ff020100' + '0500'],
  ])('with %s in an extension', async (_, hex) => {
    const extension = { ...BASIC_CONSTRAINTS, value: Buffer.from(hex, 'hex') };
    const { certificate } = await root.issue({ name: 'CA', ca: null, extensions: [extension] });
    expect(() => parseCertificate(certificate)).toThrow(code('certificate_malformed'));
  });

  it('with bits in its key usage that the length leaves out', async () => {
    const extension = { oid: '2.5.29.15', critical: true, value: Buffer.from('03020784', 'hex') };
    const { certificate } = await root.issue({ name: 'CA', keyUsages: null, extensions: [extension] });
    expect(() => parseCertificate(certificate)).toThrow(code('certificate_malformed'));
  });

  const constructedName = () => {
    const text = der(0x2c, ascii(0x0c, 'Ro'), ascii(0x0c, 'ot'));
    return der(0x30, der(0x31, der(0x30, der(0x06, Buffer.from('550403', 'hex')), text)));
  };
  const longName = () => {
    const text = Buffer.from('0c8104526f6f74', 'hex');
    return der(0x30, der(0x31, der(0x30, der(0x06, Buffer.from('2a0304', 'hex')), text)));
  };
  const validity = (notBefore: string, notAfter: string) => der(0x30, ascii(0x17, notBefore), ascii(0x17, notAfter));
  const withUnusedBits = (spki: Buffer) => {
    const [algorithm, bits] = inside(spki) as [Buffer, Buffer];
    const { content } = cut(bits);
    return der(0x30, algorithm, der(3, Buffer.of(1), content.subarray(1)));
  };
});

describe('parseCertificate agrees with OpenSSL', () => {
  it('about key, number and times of whatever both accept', () => {
    const change = fc.record({ at: fc.nat(), octet: fc.integer({ min: 0, max: 255 }) });
    fc.assert(
      fc.property(fc.array(change, { minLength: 1, maxLength: 3 }), (changes) => {
        const bytes = Buffer.from(root.certificate);
        for (const { at, octet } of changes) bytes[at % bytes.length] = octet;
        const [ours, theirs] = [accepted(() => parseCertificate(bytes)), accepted(() => new X509Certificate(bytes))];
        if (!ours || !theirs) return;
        expect(ours.publicKey.equals(theirs.publicKey)).toBe(true);
        expect(ours.serialNumber.equals(serialOf(theirs))).toBe(true);
        expect([ours.notBefore, ours.notAfter]).toEqual([new Date(theirs.validFrom), new Date(theirs.validTo)]);
      }),
      { numRuns: 1_000 },
    );
  });

  function accepted<T>(parse: () => T): T | undefined {
    try {
      return parse();
    } catch {
      return undefined;
    }
  }

  /** The octets of the DER INTEGER behind OpenSSL's text. */
  function serialOf({ serialNumber }: X509Certificate): Buffer {
    const isNegative = serialNumber.startsWith('-');
    const number = BigInt(`0x${serialNumber.replace('-', '')}`) * (isNegative ? -1n : 1n);
    let octets = 1;
    while (BigInt.asIntN(octets * 8, number) !== number) octets += 1;
    return Buffer.from(
      BigInt.asUintN(octets * 8, number)
        .toString(16)
        .padStart(octets * 2, '0'),
      'hex',
    );
  }

  it('about the text of every name that Node.js ships', () => {
    for (const pem of rootCertificates) {
      const [ours] = parsePemCertificates(pem);
      expect(ours?.subjectText).toBe(new X509Certificate(pem).subject.replaceAll('\n', ', '));
    }
  });

  it.each(['a, b', ' a ', '#a', 'a+b="c"', 'a<b>;\\', 'a\nCN=b', 'a\u0000b\u007f', 'Müller Straße', 'ü', ''])(
    'about the text of %j in a name',
    async (name) => {
      const { certificate } = await root.issueAuthority({ name: 'CN' });
      const text = ascii(0x0c, Buffer.from(name).toString('latin1'));
      const attribute = der(0x30, der(0x31, der(0x30, der(0x06, Buffer.from('550403', 'hex')), text)));
      const [tbs, ...rest] = inside(certificate) as [Buffer, ...Buffer[]];
      const bytes = der(0x30, der(0x30, ...inside(tbs).with(5, attribute)), ...rest);
      const theirs = new X509Certificate(bytes).subject ?? '';
      expect(parseCertificate(bytes).subjectText).toBe(theirs);
    },
  );
});

describe('parseCertificate is not made to work', () => {
  const many = (length: number, part: Buffer): Buffer[] => Array.from({ length }, () => part);
  const name = der(0x31, der(0x30, der(0x06, Buffer.from('550403', 'hex')), ascii(0x0c, 'a')));
  const point = der(0x30, der(0xa0, der(0xa0, ascii(0x86, 'http://a'))));

  it.each<[string, string, Buffer]>([
    ['names', '2.5.29.17', der(0x30, ...many(2_000, ascii(0x82, 'a.test')))],
    ['addresses', '2.5.29.17', der(0x30, ...many(800, der(0x87, Buffer.alloc(16, 1))))],
    ['attributes of a name', '2.5.29.17', der(0x30, der(0xa4, der(0x30, ...many(1_000, name))))],
    ['purposes', '2.5.29.37', der(0x30, ...many(3_000, Buffer.from('06032a0304', 'hex')))],
    ['distribution points', '2.5.29.31', der(0x30, ...many(800, point))],
    [
      'attributes of the issuer of its issuer',
      '2.5.29.35',
      der(0x30, der(0xa1, der(0xa4, der(0x30, ...many(1_000, name))))),
    ],
    ['levels', '2.5.29.17', Array.from({ length: 4_000 }).reduce<Buffer>((value) => der(0x30, value), der(0x05))],
  ])('by an extension with many %s', async (_, oid, value) => {
    const { certificate } = await root.issue({ name: 'Leaf', extensions: [{ oid, critical: false, value }] });
    expect(() => parseCertificate(certificate)).toThrow(code('certificate_malformed'));
    const milliseconds = fastestMilliseconds(() => {
      expect(() => parseCertificate(certificate)).toThrow();
    }, 10);
    expect(milliseconds).toBeLessThan(10);
  });

  it('by many extensions, attributes or unique identifiers of its own', async () => {
    const [tbs, ...rest] = inside(root.certificate) as [Buffer, ...Buffer[]];
    const fields = inside(tbs);
    for (const changed of [
      fields.with(5, der(0x30, ...many(1_000, name))),
      fields.with(3, der(0x30, der(0x31, ...many(1_000, cut(name).content)))),
      fields.with(-1, der(0xa3, der(0x30, ...many(1_000, der(0x30, Buffer.from('06032a03040400', 'hex')))))),
    ]) {
      const bytes = der(0x30, der(0x30, ...changed), ...rest);
      expect(() => parseCertificate(bytes)).toThrow(code('certificate_malformed'));
      expect(fastestMilliseconds(() => expect(() => parseCertificate(bytes)).toThrow(), 20)).toBeLessThan(20);
    }
  });
});

describe('parseCertificateFile', () => {
  it('reads DER as DER, and never as the PEM that stands in it', async () => {
    const other = await createCertificateAuthority({ name: 'Other', now });
    const value = Buffer.from(`\n${toPem(other.certificate)}`);
    const extensions = [{ oid: '1.2.3', critical: false, value }];
    const { certificate } = await createCertificateAuthority({ name: 'Trusted', now, extensions });
    expect(parseCertificateFile(certificate).map((parsed) => parsed.subjectText)).toEqual(['CN=Trusted']);
    const broken = Buffer.concat([certificate, Buffer.of(0x0a)]);
    expect(() => parseCertificateFile(broken)).toThrow(code('certificate_file_invalid'));
    const inPem = toPem([certificate, other.certificate]);
    expect(parseCertificateFile(Buffer.from(inPem)).map((parsed) => parsed.subjectText)).toEqual([
      'CN=Trusted',
      'CN=Other',
    ]);
    expect(parseCertificateFile(Buffer.from(`0 s:CN=Other\n${toPem(other.certificate)}`))).toHaveLength(1);
  });
});

(hasOpenSsl ? describe : describe.skip)('a certificate that openssl made', () => {
  it('is read with names and identifiers of every usual kind', () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'x509-'));
    const [key, file] = [path.join(folder, 'key.pem'), path.join(folder, 'certificate.pem')];
    const names = [
      'DNS:a.test,URI:https://a.test/issuer,email:a@a.test,IP:192.0.2.1,IP:2001:db8::1,RID:1.2.3.4',
      'otherName:1.3.6.1.4.1.311.20.2.3;UTF8:a@a.test',
    ].join(',');
    const extensions = [
      `subjectAltName=${names}`,
      'authorityKeyIdentifier=keyid:always,issuer:always',
      'extendedKeyUsage=1.0.18013.5.1.2',
      'crlDistributionPoints=URI:http://a.test/1.crl,URI:ldap://a.test/1',
      'certificatePolicies=1.2.3.4',
      'noCheck=ignored',
    ];
    const added = extensions.flatMap((extension) => ['-addext', extension]);
    const subject = '/C=AT/O=Ministerium für Äpfel/organizationIdentifier=VATAT-U1/CN=a + b\\, c/serialNumber=1';
    const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256'];
    const output = ['-utf8', '-subj', subject, '-nodes', '-keyout', key, '-out', file];
    execFileSync('openssl', ['req', '-x509', '-days', '30', ...curve, ...output, ...added], { stdio: 'ignore' });
    const pem = readFileSync(file, 'utf8');
    rmSync(folder, { recursive: true });
    const [certificate] = parsePemCertificates(pem);
    expect(certificate).toMatchObject({
      isCa: true,
      subjectAltName: { dnsNames: ['a.test'], uris: ['https://a.test/issuer'] },
      crlDistributionPoints: ['http://a.test/1.crl'],
      unprocessedExtensions: [],
      subjectText: new X509Certificate(pem).subject.replaceAll('\n', ', '),
    });
    expect(certificate?.authorityKeyIdentifier).toEqual(certificate?.subjectKeyIdentifier);
  });
});
