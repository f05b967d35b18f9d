import { createCertificateAuthority, createPrivateKeyOf, type Authority, type KeyUsageName } from '@vestibule/dev-pki';
import {
  ascii,
  at,
  crlOf,
  der,
  entry,
  extension,
  issuingPoint,
  now,
  reason,
  time,
  type CrlParts,
} from './crl.fixture-spec';
import {
  findRevocation,
  isRevoked,
  MAX_CRL_ENTRIES,
  parseCertificate,
  parseCrl,
  verifyCrl,
  type Certificate,
} from './index';

const code = (expected: string) => expect.objectContaining({ code: expected });
const serial = (hex: string) => Buffer.from(hex, 'hex');
const EMPTY = Buffer.alloc(0);

let root: Authority;
let issuer: Certificate;
beforeAll(async () => {
  root = await createCertificateAuthority({ name: 'Root', now });
  issuer = parseCertificate(root.certificate);
});

const parsed = (parts: CrlParts) => () => parseCrl(crlOf(root, parts));

describe('parseCrl', () => {
  it('VP:N11 reads issuer, times, scope and entries', () => {
    const crl = parseCrl(crlOf(root, { entries: [entry(serial('05'))], extensions: [extension('cRLNumber')] }));
    expect(crl).toMatchObject({
      issuer: issuer.subject,
      thisUpdate: at(-1),
      nextUpdate: at(1),
      scope: { onlyUserCertificates: false, onlyCaCertificates: false, distributionPoint: undefined },
      signatureAlgorithm: '1.2.840.10045.4.3.2',
    });
    expect(Object.isFrozen(crl)).toBe(true);
  });

  it('VP:N11 keeps what it read when the caller changes the bytes', () => {
    const bytes = crlOf(root, { entries: [entry(serial('05'))] });
    const crl = parseCrl(bytes);
    bytes.fill(0);
    expect(isRevoked(crl, serial('05'))).toBe(true);
  });

  it.each<[string, CrlParts]>([
    ['no entries', { entries: null }],
    ['an empty list of entries', { entries: [] }],
    ['version 1 and no extensions', { version: null, entries: [entry(serial('05'))] }],
    ['extensions that are not critical', { extensions: [extension('unknown'), extension('freshestCRL')] }],
    ['entry extensions that are not critical', { entries: [entry(serial('05'), [reason(1), extension('unknown')])] }],
    ['a UTCTime', { thisUpdate: ascii(0x17, '260301110000Z') }],
  ])('VP:N11 accepts a list with %s', (_, parts) => {
    expect(parsed(parts)).not.toThrow();
  });

  it.each<[string, CrlParts]>([
    ['no next update', { nextUpdate: null }],
    ['no next update and no entries', { nextUpdate: null, entries: null }],
    ['version 3', { version: Buffer.of(2, 1, 2) }],
    ['version 1 that is written', { version: Buffer.of(2, 1, 0) }],
    ['version 1 and extensions', { version: null, extensions: [extension('cRLNumber')] }],
    ['version 1 and an entry extension', { version: null, entries: [entry(serial('05'), [reason(1)])] }],
    ['no issuer', { issuer: der(0x30) }],
    ['two signature algorithms', { outerAlgorithm: der(0x30, der(0x06, serial('2a8648ce3d040303'))) }],
    ['a time without seconds', { thisUpdate: ascii(0x17, '2603011100Z') }],
    ['a time that does not exist', { nextUpdate: ascii(0x17, '260230110000Z') }],
    ['a time with an offset', { nextUpdate: ascii(0x18, '20260301110000+') }],
    ['something behind the extensions', { extensions: [extension('cRLNumber')], after: [der(0x05)] }],
    ['two lists of extensions', { entries: null, extensions: [extension('cRLNumber')], after: [der(0xa0, der(0x30))] }],
    ['two lists of entries', { entries: [], after: [der(0x30)] }],
    ['more fields than there are', { extensions: [extension('cRLNumber')], after: [der(0x05), der(0x05)] }],
    ['version 1 and something behind the entries', { version: null, after: [der(0x05), der(0x05)] }],
    ['an extension twice', { extensions: [extension('unknown'), extension('unknown')] }],
    ['too many extensions', { extensions: Array.from({ length: 65 }, () => extension('unknown')) }],
    ['an unknown member in its scope', { extensions: [issuingPoint(undefined, der(0x86))] }],
    ['a member twice in its scope', { extensions: [issuingPoint(undefined, serial('8101ff'), serial('8101ff'))] }],
    ['a flag of its scope that is neither', { extensions: [issuingPoint(undefined, serial('810101'))] }],
    [
      'a flag of its scope that is written though it is false',
      { extensions: [issuingPoint(undefined, serial('810100'))] },
    ],
    ['an extension that says it is not critical', { extensions: [extension('unknown', { critical: false })] }],
  ])('VP:N11 refuses a list with %s', (_, parts) => {
    expect(parsed(parts)).toThrow(code('crl_malformed'));
  });

  it.each<[string, Buffer]>([
    ['that is empty', der(0x30)],
    ['that is no sequence', der(0x31, der(0x02, serial('05')), time(now))],
    ['without a date', der(0x30, der(0x02, serial('05')))],
    ['without a serial number', der(0x30, time(now))],
    ['with an empty serial number', entry(EMPTY)],
    ['with a padded serial number', entry(serial('0005'))],
    ['with a padded negative serial number', entry(serial('ff85'))],
    ['with a date of another length', der(0x30, der(0x02, serial('05')), ascii(0x17, '2603011100Z'))],
    ['with something behind the extensions', der(0x30, der(0x02, serial('05')), time(now), der(0x30), der(0x05))],
    ['with something else for extensions', der(0x30, der(0x02, serial('05')), time(now), der(0x05))],
    ['with an extension that is no sequence', entry(serial('05'), [der(0x31)])],
    ['with an extension without value', entry(serial('05'), [der(0x30, der(0x06, serial('551d15')))])],
    [
      'with something behind the value of an extension',
      entry(serial('05'), [der(0x30, der(0x06, serial('551d15')), der(0x04), der(0x05))]),
    ],
    ['with an extension without identifier', entry(serial('05'), [der(0x30, der(0x05), der(0x04))])],
    [
      'with a flag that is neither',
      entry(serial('05'), [der(0x30, der(0x06, serial('551d15')), serial('010101'), der(0x04))]),
    ],
    [
      'with an extension that says it is not critical',
      entry(serial('05'), [extension('unknown', { critical: false })]),
    ],
    [
      'with a flag of two octets',
      entry(serial('05'), [der(0x30, der(0x06, serial('551d15')), serial('0102ffff'), der(0x04))]),
    ],
    ['that is longer than the list', serial('3082ffff020105')],
    ['with an indefinite length', serial('3080020105')],
    ['with a length that is not the shortest', serial('30810302010517')],
  ])('VP:N11 refuses a list with an entry %s, listed first or last', (_, bad) => {
    const good = entry(serial('06'));
    for (const entries of [
      [bad, good],
      [good, bad],
    ])
      expect(parsed({ entries })).toThrow(code('crl_malformed'));
  });

  it('VP:N11 refuses PEM, trailing bytes, a truncated list and an empty one', () => {
    const bytes = crlOf(root, { entries: [entry(serial('05'))] });
    const pem = Buffer.from(`-----BEGIN X509 CRL-----\n${bytes.toString('base64')}\n-----END X509 CRL-----\n`);
    for (const other of [pem, Buffer.concat([bytes, Buffer.of(0)]), bytes.subarray(0, -1), EMPTY, root.certificate]) {
      expect(() => parseCrl(other)).toThrow(code('crl_malformed'));
    }
  });

  it('VP:Q5 refuses a list beyond its number of entries', () => {
    const small = der(0x30, der(0x02, serial('05')), ascii(0x17, '260301110000Z'));
    const most = Buffer.alloc(MAX_CRL_ENTRIES * small.length, small);
    expect(parsed({ entries: [most] })).not.toThrow();
    expect(parsed({ entries: [most, small] })).toThrow(code('crl_malformed'));
  });

  it.each<[string, CrlParts]>([
    ['is a delta', { extensions: [extension('deltaCRLIndicator', { critical: true })] }],
    ['is a delta that is not marked critical', { extensions: [extension('deltaCRLIndicator')] }],
    ['has an unknown critical extension', { extensions: [extension('unknown', { critical: true })] }],
    ['is indirect', { extensions: [issuingPoint(undefined, serial('8401ff'))] }],
    ['knows some reasons only', { extensions: [issuingPoint(undefined, serial('83020640'))] }],
    ['knows attribute certificates only', { extensions: [issuingPoint(undefined, serial('8501ff'))] }],
    [
      'has an entry of another authority',
      { entries: [entry(serial('05'), [extension('certificateIssuer', { critical: true })])] },
    ],
    ['has such an entry that is not critical', { entries: [entry(serial('05'), [extension('certificateIssuer')])] }],
    [
      'has an entry with a critical extension',
      { entries: [entry(serial('05'), [extension('unknown', { critical: true })])] },
    ],
    [
      'has such an entry behind others',
      {
        entries: [
          entry(serial('05')),
          entry(serial('06'), [reason(1), extension('invalidityDate', { critical: true })]),
        ],
      },
    ],
  ])('VP:N11 refuses a list that %s', (_, parts) => {
    expect(parsed(parts)).toThrow(code('crl_unsupported'));
  });

  it('VP:N11 reads which certificates and which distribution point a list is for', () => {
    const scopeOf = (extensions: readonly Buffer[]) => parseCrl(crlOf(root, { extensions })).scope;
    const all = { onlyUserCertificates: false, onlyCaCertificates: false, distributionPoint: undefined };
    expect(scopeOf([issuingPoint(undefined, serial('8101ff'))])).toEqual({ ...all, onlyUserCertificates: true });
    expect(scopeOf([issuingPoint(undefined, serial('8201ff'))])).toEqual({ ...all, onlyCaCertificates: true });
    const uris = ['http://a.test/1.crl', 'ldap://a.test'];
    expect(scopeOf([issuingPoint(uris)])).toEqual({ ...all, distributionPoint: uris });
    const name = der(0x30, der(0x06, serial('550403')), ascii(0x0c, 'CRL1'));
    const value = der(0x30, der(0xa0, der(0xa1, name)));
    const relative = extension('issuingDistributionPoint', { critical: true, value });
    expect(scopeOf([relative])).toEqual({ ...all, distributionPoint: [] });
  });
});

describe('findRevocation', () => {
  const list = () =>
    parseCrl(
      crlOf(root, {
        entries: [
          entry(serial('05')),
          entry(serial('0102030405'), [reason(1)]),
          entry(serial('00ff'), [extension('unknown'), reason(6)]),
          entry(serial('06'), [reason(7)]),
          entry(serial('07'), [reason(11)]),
          entry(serial('09'), [extension('reasonCode', { critical: true, value: Buffer.of(0x0a, 1, 8) })]),
        ],
      }),
    );

  it('VP:N11 finds listed serial numbers with their reasons, holds included', () => {
    const reasonOf = (hex: string) => findRevocation(list(), serial(hex));
    expect(reasonOf('05')).toEqual({ reason: undefined });
    expect(reasonOf('0102030405')).toEqual({ reason: 'keyCompromise' });
    expect(reasonOf('00ff')).toEqual({ reason: 'certificateHold' });
    expect(reasonOf('06')).toEqual({ reason: undefined });
    expect(reasonOf('07')).toEqual({ reason: undefined });
    expect(reasonOf('09')).toEqual({ reason: 'removeFromCRL' });
  });

  it('VP:N11 finds nothing that only looks like a serial number', () => {
    for (const hex of ['', '04', '01020304', '02030405', '010203040506', '0005', 'ff', '0202']) {
      expect(isRevoked(list(), serial(hex))).toBe(false);
    }
  });

  it('VP:N11 counts a revocation whose date lies ahead', () => {
    const ahead = der(0x30, der(0x02, serial('05')), time(at(24)));
    expect(isRevoked(parseCrl(crlOf(root, { entries: [ahead] })), serial('05'))).toBe(true);
  });

  it('VP:N11 takes a reason that cannot be read for none', () => {
    for (const value of [Buffer.of(0x0a, 2, 0, 1), Buffer.of(0x02, 1, 1), Buffer.of(0x0a, 0)]) {
      const entries = [entry(serial('05'), [extension('reasonCode', { value })])];
      expect(findRevocation(parseCrl(crlOf(root, { entries })), serial('05'))).toEqual({ reason: undefined });
    }
  });
});

describe('verifyCrl', () => {
  const verified = (parts: CrlParts, by: Certificate = issuer, time = now) =>
    expect(() => verifyCrl(parseCrl(crlOf(root, parts)), by, time));
  const authority = async (keyUsages: readonly KeyUsageName[] | null) =>
    parseCertificate((await root.issueAuthority({ name: 'Root', keyUsages, privateKey: root.privateKey })).certificate);

  it('VP:N11 accepts the list of the authority in its time, first and last instant included', () => {
    for (const instant of [now, at(-1), at(1)]) verified({}, issuer, instant).not.toThrow();
  });

  it('VP:N11 refuses a list before its time, after it, and at no time at all', () => {
    const crl = parseCrl(crlOf(root));
    verifyCrl(crl, issuer, now);
    expect(() => verifyCrl(crl, issuer, new Date(at(1).getTime() + 1))).toThrow(code('crl_expired'));
    expect(() => verifyCrl(crl, issuer, new Date(at(-1).getTime() - 1))).toThrow(code('crl_not_yet_valid'));
    expect(() => verifyCrl(crl, issuer, new Date(NaN))).toThrow(code('crl_not_yet_valid'));
  });

  it('VP:N11 refuses a list of another name, another key or a changed list', async () => {
    const other = await createCertificateAuthority({ name: 'Other', now });
    verified({ issuer: parseCertificate(other.certificate).subject }).toThrow(code('crl_invalid'));
    const namesake = await createCertificateAuthority({ name: 'Root', now });
    verified({}, parseCertificate(namesake.certificate)).toThrow(code('crl_invalid'));
    const signature = Buffer.from(parseCrl(crlOf(root)).signature);
    verified({ signature, entries: [entry(serial('05'))] }).toThrow(code('crl_invalid'));
    verified({ signature: EMPTY }).toThrow(code('crl_invalid'));
  });

  it('VP:N11 remembers whose signature held, for that authority only', async () => {
    const crl = parseCrl(crlOf(root));
    verifyCrl(crl, issuer, now);
    const namesake = parseCertificate((await createCertificateAuthority({ name: 'Root', now })).certificate);
    expect(() => verifyCrl(crl, namesake, now)).toThrow(code('crl_invalid'));
    expect(() => verifyCrl(crl, issuer, now)).not.toThrow();
  });

  it('VP:N11 refuses a list of an authority whose key usage lacks cRLSign, and demands no key usage', async () => {
    verified({}, await authority(['keyCertSign'])).toThrow(code('crl_invalid'));
    verified({}, await authority(['cRLSign'])).not.toThrow();
    verified({}, await authority(null)).not.toThrow();
  });

  it.each(['2a8648ce3d0401', '2b6570', '2a864886f70d01010b'])('VP:N11 refuses the algorithm %s', (oid) => {
    const algorithm = der(0x30, der(0x06, serial(oid)));
    verified({ innerAlgorithm: algorithm, outerAlgorithm: algorithm }).toThrow(code('crl_invalid'));
  });

  it('VP:N11 refuses a list whose signer has a weak key', async () => {
    const privateKey = createPrivateKeyOf('RSA-1024');
    const weak = await root.issueAuthority({ name: 'Root', privateKey });
    const rsa = der(0x30, der(0x06, serial('2a864886f70d01010b')), der(0x05));
    const list = crlOf({ ...root, privateKey }, { innerAlgorithm: rsa, outerAlgorithm: rsa });
    expect(() => verifyCrl(parseCrl(list), parseCertificate(weak.certificate), now)).toThrow(code('crl_invalid'));
  });
});
