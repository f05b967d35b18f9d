import { ProcessingFailure, VerificationFailure } from '@vestibule/foundation';
import { createCertificateAuthority, type Authority, type RawExtension } from '@vestibule/dev-pki';
import { hostileUrls } from '@vestibule/testkit';
import { ascii, at, crlOf, der, entry, extension, issuingPoint, now, type CrlParts } from './crl.fixture-spec';
import {
  crlSourcesOf,
  judgeRevocation,
  parseCertificate,
  parseCrl,
  verifyChain,
  type CrlSource,
  type RevocationPolicy,
  type TrustAnchor,
  type VerifiedChain,
} from './index';

const code = (expected: string) => expect.objectContaining({ code: expected });
const hard: RevocationPolicy = { now, hardFail: true };
const soft: RevocationPolicy = { now, hardFail: false };
const URI = 'https://crl.test/1.crl';

const fullName = (...uris: string[]): Buffer => der(0xa0, der(0xa0, ...uris.map((uri) => ascii(0x86, uri))));
const points = (...members: Buffer[]): RawExtension => ({
  oid: '2.5.29.31',
  critical: false,
  value: der(0x30, ...members),
});
const point = (...uris: string[]): RawExtension => points(der(0x30, fullName(...uris)));

let root: Authority;
let ca: Authority;
let leaf: Buffer;
let anchor: TrustAnchor;
let verified: VerifiedChain;
let leafSource: CrlSource;
let caSource: CrlSource;

const verify = (chain: readonly Buffer[], anchors: readonly TrustAnchor[] = [anchor]): VerifiedChain =>
  verifyChain(chain.map(parseCertificate), anchors, { now, purpose: 'credential' });

async function leafSourceWith(...extensions: RawExtension[]): Promise<CrlSource> {
  const { certificate } = await ca.issue({ name: 'Leaf', extensions });
  return crlSourcesOf(verify([certificate, ca.certificate])).at(-1) as CrlSource;
}

beforeAll(async () => {
  root = await createCertificateAuthority({ name: 'Root', now });
  ca = await root.issueAuthority({ name: 'CA', extensions: [point('https://crl.test/root.crl')] });
  leaf = (await ca.issue({ name: 'Leaf', extensions: [point(URI)] })).certificate;
  anchor = { certificate: parseCertificate(root.certificate), purposes: ['credential'] };
  verified = verify([leaf, ca.certificate]);
  [caSource, leafSource] = crlSourcesOf(verified) as [CrlSource, CrlSource];
});

describe('crlSourcesOf', () => {
  it('VP:N11 names nothing from the anchor upwards where its own certificate was sent along', () => {
    const [, own] = verified.chain;
    if (!own) throw new TypeError('the chain has an intermediate');
    const below = { ...verified, anchor: { ...anchor, certificate: own }, belowAnchor: 1 };
    expect(crlSourcesOf(below)).toEqual([{ certificate: verified.leaf, issuer: own, uris: [URI] }]);
  });

  it('VP:N11 names each certificate below the anchor with its issuer and addresses, the highest authority first', () => {
    expect(crlSourcesOf(verified)).toEqual([
      { certificate: verified.chain[1], issuer: anchor.certificate, uris: ['https://crl.test/root.crl'] },
      { certificate: verified.leaf, issuer: verified.chain[1], uris: [URI] },
    ]);
  });

  it('VP:N11 VP:Q5 names no address of a chain that no anchor vouches for', () => {
    expect(crlSourcesOf(verify([leaf, ca.certificate], []))).toEqual([]);
  });

  it('VP:N11 does not mix up no distribution point and none that can be fetched', async () => {
    const urisOf = async (...extensions: RawExtension[]) => (await leafSourceWith(...extensions)).uris;
    expect(await urisOf()).toBeUndefined();
    expect(await urisOf(point('ldap://crl.test/cn=a b'))).toEqual([]);
    expect(await urisOf(points(der(0x30, der(0xa0, der(0xa1)))))).toEqual([]);
    expect(await urisOf(points(der(0x30)))).toEqual([]);
  });

  it('VP:N11 leaves out points for some reasons and of other authorities', async () => {
    const partial = der(0x30, fullName('https://crl.test/some.crl'), der(0x81, Buffer.of(6, 0x40)));
    const authority = der(0xa4, parseCertificate(root.certificate).subject);
    const foreign = der(0x30, fullName('https://crl.test/other.crl'), der(0xa2, authority));
    const { uris } = await leafSourceWith(points(partial, foreign, der(0x30, fullName(URI))));
    expect(uris).toEqual([URI]);
  });

  it('VP:Q5 keeps http and https addresses only, each once, and eight at most', async () => {
    const kept = ['http://crl.test/1', 'https://crl.test/2'];
    const others = [
      ...hostileUrls('crl.test').map(([, text]) => text),
      'HTTPS://crl.test/2',
      'ftp://crl.test/1',
      'file:///etc/passwd',
      'http://',
      'http://a b',
      'http://a\u00e9',
      'javascript:1',
      '',
    ];
    expect((await leafSourceWith(point(...others, ...kept, ...kept))).uris).toEqual(kept);
    const many = Array.from({ length: 20 }, (_, index) => `http://crl.test/${index}`);
    expect((await leafSourceWith(point(...many))).uris).toEqual(many.slice(0, 8));
  });

  it('VP:N11 a certificate whose distribution points are not DER is malformed', async () => {
    for (const value of [der(0x31), der(0x30, der(0x31)), Buffer.of(0x30, 5), der(0x30, der(0x30, der(0xa0)))]) {
      const { certificate } = await ca.issue({ name: 'Leaf', extensions: [{ ...point(), value }] });
      expect(() => parseCertificate(certificate)).toThrow(code('certificate_malformed'));
    }
  });

  it('VP:N8 critical distribution points are still refused: they demand a check that is optional', async () => {
    const { certificate } = await ca.issue({ name: 'Leaf', extensions: [{ ...point(URI), critical: true }] });
    expect(() => verify([certificate, ca.certificate])).toThrow(code('certificate_critical_extension'));
  });
});

describe('judgeRevocation', () => {
  const judged = (parts: CrlParts, source = leafSource, policy = hard) =>
    expect(() => judgeRevocation(source, crlOf(ca, parts), policy));

  it('VP:N11 passes a certificate that the list of its issuer does not name, fetched or from a cache', () => {
    const other = Buffer.concat([leafSource.certificate.serialNumber, Buffer.of(1)]);
    const list = crlOf(ca, { entries: [entry(other)] });
    expect(judgeRevocation(leafSource, list, hard)).toBe('not_revoked');
    expect(judgeRevocation(leafSource, parseCrl(list), hard)).toBe('not_revoked');
    expect(judgeRevocation(leafSource, new Uint8Array(list), soft)).toBe('not_revoked');
  });

  it('VP:N11 refuses a listed certificate, whatever the policy', () => {
    const entries = [entry(leafSource.certificate.serialNumber)];
    for (const policy of [hard, soft]) judged({ entries }, leafSource, policy).toThrow(code('certificate_revoked'));
  });

  it('VP:N11 refuses a revoked intermediate by the list of the anchor', () => {
    const list = crlOf(root, { entries: [entry(caSource.certificate.serialNumber)] });
    expect(() => judgeRevocation(caSource, list, hard)).toThrow(code('certificate_revoked'));
    expect(judgeRevocation(caSource, crlOf(root), hard)).toBe('not_revoked');
  });

  it('VP:N11 a list that cannot be had is a failure of processing, not of the sender, by hard fail', () => {
    expect(() => judgeRevocation(leafSource, undefined, hard)).toThrow(ProcessingFailure);
    expect(() => judgeRevocation(leafSource, undefined, hard)).toThrow(
      expect.objectContaining({ code: 'crl_unavailable', kind: 'unavailable' }),
    );
    expect(judgeRevocation(leafSource, undefined, soft)).toBe('unavailable');
  });

  it('VP:N11 a distribution point that cannot be fetched counts as a list that cannot be had', async () => {
    const source = await leafSourceWith(point('ldap://crl.test'));
    expect(() => judgeRevocation(source, undefined, hard)).toThrow(code('crl_unavailable'));
    expect(() => judgeRevocation(source, undefined, { ...soft, withoutSource: 'refuse' })).not.toThrow();
  });

  it('VP:N11 a certificate without distribution point passes unless told otherwise', async () => {
    const source = await leafSourceWith();
    expect(judgeRevocation(source, undefined, hard)).toBe('no_source');
    expect(judgeRevocation(source, undefined, { ...hard, withoutSource: 'accept' })).toBe('no_source');
    for (const policy of [hard, soft]) {
      const judge = () => judgeRevocation(source, undefined, { ...policy, withoutSource: 'refuse' });
      expect(judge).toThrow(VerificationFailure);
      expect(judge).toThrow(code('certificate_without_crl'));
    }
    const entries = [entry(source.certificate.serialNumber)];
    judged({ entries }, source).toThrow(code('certificate_revoked'));
  });

  it.each<[string, string, () => Uint8Array]>([
    ['crl_malformed', 'no list', () => Buffer.from('<html>')],
    ['crl_malformed', 'an empty answer', () => Buffer.alloc(0)],
    ['crl_malformed', 'no next update', () => crlOf(ca, { nextUpdate: null })],
    [
      'crl_unsupported',
      'a delta',
      () => crlOf(ca, { extensions: [extension('deltaCRLIndicator', { critical: true })] }),
    ],
    ['crl_invalid', 'the list of another authority', () => crlOf(root)],
    [
      'crl_invalid',
      'a list with the name of the issuer and another key',
      () => crlOf(root, { issuer: parseCertificate(ca.certificate).subject }),
    ],
    ['crl_expired', 'a list of yesterday', () => crlOf(ca, { nextUpdate: der(0x18, Buffer.from('20260301115959Z')) })],
    [
      'crl_not_yet_valid',
      'a list of tomorrow',
      () => crlOf(ca, { thisUpdate: der(0x18, Buffer.from('20260301120001Z')) }),
    ],
  ])('VP:N11 %s: %s proves nothing, hard or soft', (expected, _, list) => {
    for (const policy of [hard, soft]) {
      expect(() => judgeRevocation(leafSource, list(), policy)).toThrow(VerificationFailure);
      expect(() => judgeRevocation(leafSource, list(), policy)).toThrow(code(expected));
    }
  });

  it('VP:N11 a cached list is judged by its time on every call', () => {
    const list = parseCrl(crlOf(ca));
    expect(judgeRevocation(leafSource, list, hard)).toBe('not_revoked');
    expect(() => judgeRevocation(leafSource, list, { ...hard, now: at(2) })).toThrow(code('crl_expired'));
  });

  it('VP:N11 a list for another kind of certificate does not cover this one', () => {
    const [users, authorities] = [Buffer.of(0x81, 1, 0xff), Buffer.of(0x82, 1, 0xff)];
    const scoped = (...members: Buffer[]) => ({ extensions: [issuingPoint(undefined, ...members)] });
    judged(scoped(users)).not.toThrow();
    judged(scoped(authorities)).toThrow(code('crl_scope_mismatch'));
    judged(scoped(users, authorities)).toThrow(code('crl_scope_mismatch'));
    const ofRoot = (member: Buffer) => () => judgeRevocation(caSource, crlOf(root, scoped(member)), hard);
    expect(ofRoot(authorities)).not.toThrow();
    expect(ofRoot(users)).toThrow(code('crl_scope_mismatch'));
  });

  it('VP:N11 a list of another distribution point does not cover the certificate, though the issuer signed it', async () => {
    const pointed = (...uris: string[]) => ({ extensions: [issuingPoint(uris)] });
    judged(pointed(URI)).not.toThrow();
    judged(pointed('https://crl.test/0.crl', URI)).not.toThrow();
    judged(pointed('https://crl.test/2.crl')).toThrow(code('crl_scope_mismatch'));
    judged(pointed('ldap://crl.test/2')).toThrow(code('crl_scope_mismatch'));
    judged(pointed()).toThrow(code('crl_malformed'));
    judged(pointed(URI), await leafSourceWith()).toThrow(code('crl_scope_mismatch'));
  });

  it('VP:N11 a serial number of another authority says nothing', () => {
    const list = crlOf(root, { entries: [entry(leafSource.certificate.serialNumber)] });
    expect(judgeRevocation(caSource, list, hard)).toBe('not_revoked');
  });
});
