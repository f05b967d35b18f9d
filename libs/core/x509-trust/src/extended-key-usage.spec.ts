import { createCertificateAuthority, type Authority, type RawExtension } from '@vestibule/dev-pki';
import { der } from './crl.fixture-spec';
import {
  createChainVerifier,
  EXTENDED_KEY_USAGES,
  parseCertificate,
  PURPOSES,
  type ExtendedKeyUsagePolicy,
  type Purpose,
  type TrustAnchor,
} from './index';

const now = new Date('2026-03-01T12:00:00Z');
const refused = expect.objectContaining({ code: 'extended_key_usage_not_allowed' });

const OIDS = {
  any: '0604551d2500',
  serverAuth: '06082b06010505070301',
  clientAuth: '06082b06010505070302',
  emailProtection: '06082b06010505070304',
  unknown: '06032a0304',
  documentSigner: '060728818c5d050102',
  readerAuthentication: '060728818c5d050106',
  pidSigner: '06082b81020200000102',
  pidReader: '06082b81020200000106',
  pidAuthority: '06082b81020200000107',
};
type Name = keyof typeof OIDS;

const usage = (names: readonly Name[], critical = false): RawExtension => ({
  oid: '2.5.29.37',
  critical,
  value: der(0x30, ...names.map((name) => Buffer.from(OIDS[name], 'hex'))),
});

let root: Authority;
let anchors: TrustAnchor[];
beforeAll(async () => {
  root = await createCertificateAuthority({ name: 'Root', now });
  anchors = [{ certificate: parseCertificate(root.certificate), purposes: PURPOSES }];
});

/** A leaf below an authority, each restricted to what is named. */
async function chainOf(leaf: readonly Name[] | undefined, ca?: readonly Name[], critical = false) {
  const restricted = (names?: readonly Name[]) => (names ? { extensions: [usage(names, critical)] } : {});
  const authority = await root.issueAuthority({ name: 'CA', ...restricted(ca) });
  const issued = await authority.issue({ name: 'Leaf', ...restricted(leaf) });
  return [issued, authority].map(({ certificate }) => certificate.toString('base64'));
}

const verify = (x5c: readonly string[], purpose: Purpose = 'credential', extendedKeyUsage?: ExtendedKeyUsagePolicy) =>
  createChainVerifier(anchors, { maxEntries: 2, ...(extendedKeyUsage && { extendedKeyUsage }) }).verify(x5c, {
    now,
    purpose,
  });

describe('VP:N8 extended key usage', () => {
  it.each<readonly [Name, readonly Purpose[]]>([
    ['any', PURPOSES],
    ['documentSigner', ['credential', 'status']],
    ['readerAuthentication', ['access']],
    ['pidSigner', ['credential', 'status']],
    ['pidReader', ['access']],
    ['pidAuthority', ['credential', 'status']],
    ['serverAuth', []],
    ['clientAuth', []],
    ['emailProtection', []],
    ['unknown', []],
  ])('%s allows %j and nothing else, on the leaf and above it, critical or not', async (name, allowed) => {
    for (const critical of [true, false]) {
      for (const x5c of [await chainOf([name], undefined, critical), await chainOf(undefined, [name], critical)]) {
        for (const purpose of PURPOSES) {
          if (allowed.includes(purpose)) expect(verify(x5c, purpose).anchor).toBe(anchors[0]);
          else expect(() => verify(x5c, purpose)).toThrow(refused);
        }
      }
    }
  });

  it('is enough when one of several purposes fits, and nothing when the list is empty', async () => {
    expect(verify(await chainOf(['serverAuth', 'documentSigner'])).anchor).toBe(anchors[0]);
    expect(() => verify([])).toThrow();
    const empty = await chainOf([]);
    expect(() => verify(empty)).toThrow(refused);
    const above = await chainOf(['documentSigner'], ['serverAuth']);
    expect(() => verify(above)).toThrow(refused);
  });

  it('counts for a chain without anchor and for an anchor too', async () => {
    const stranger = await createCertificateAuthority({ name: 'Stranger', now });
    const { certificate } = await stranger.issue({ name: 'Leaf', extensions: [usage(['serverAuth'])] });
    const untrusted = [certificate.toString('base64')];
    expect(() => verify(untrusted)).toThrow(refused);
    const forTls = await createCertificateAuthority({ name: 'TLS', now, extensions: [usage(['serverAuth'])] });
    const below = [(await forTls.issue({ name: 'Leaf' })).certificate.toString('base64')];
    const trusted: TrustAnchor[] = [{ certificate: parseCertificate(forTls.certificate), purposes: PURPOSES }];
    const verifier = createChainVerifier(trusted, { maxEntries: 1 });
    expect(() => verifier.verify(below, { now, purpose: 'credential' })).toThrow(refused);
  });

  it('is judged for each purpose anew, though the chain is remembered', async () => {
    const verifier = createChainVerifier(anchors, { maxEntries: 2 });
    const x5c = await chainOf(['documentSigner']);
    for (let round = 0; round < 2; round += 1) {
      expect(verifier.verify(x5c, { now, purpose: 'credential' }).isForPurpose).toBe(true);
      expect(() => verifier.verify(x5c, { now, purpose: 'wallet_attestation' })).toThrow(refused);
    }
  });

  it('is only reported, once for a chain, where the operator says so', async () => {
    const reports: string[] = [];
    const verifier = createChainVerifier(anchors, {
      maxEntries: 2,
      extendedKeyUsage: 'report',
      reportUsage: ({ subjectText }, purpose) => reports.push(`${subjectText} ${purpose}`),
    });
    const x5c = await chainOf(['serverAuth']);
    for (let round = 0; round < 2; round += 1) {
      const { anchor, isForPurpose } = verifier.verify(x5c, { now, purpose: 'credential' });
      expect([anchor, isForPurpose]).toEqual([anchors[0], false]);
    }
    expect(verifier.verify(await chainOf(['documentSigner']), { now, purpose: 'credential' }).isForPurpose).toBe(true);
    expect(reports).toEqual(['CN=Leaf credential']);
  });

  it.each<readonly [string, readonly Name[] | undefined, readonly Name[] | undefined, readonly Name[] | undefined]>([
    ['Leaf', ['serverAuth'], ['clientAuth'], undefined],
    ['CA', undefined, ['serverAuth'], ['serverAuth']],
    ['Root', undefined, ['any'], ['serverAuth']],
    ['Root', ['documentSigner'], undefined, []],
  ])('is reported with the certificate that has it: %s', async (name, leaf, ca, anchor) => {
    const restricted = (names?: readonly Name[]) => (names ? { extensions: [usage(names)] } : {});
    const top = await createCertificateAuthority({ name: 'Root', now, ...restricted(anchor) });
    const authority = await top.issueAuthority({ name: 'CA', ...restricted(ca) });
    const issued = await authority.issue({ name: 'Leaf', ...restricted(leaf) });
    const reports: string[] = [];
    const verifier = createChainVerifier([{ certificate: parseCertificate(top.certificate), purposes: PURPOSES }], {
      maxEntries: 2,
      extendedKeyUsage: 'report',
      reportUsage: ({ subjectText }) => reports.push(subjectText),
    });
    const x5c = [issued, authority].map(({ certificate }) => certificate.toString('base64'));
    verifier.verify(x5c, { now, purpose: 'credential', judgesAnchorLater: true });
    expect(reports).toEqual([]);
    expect(verifier.verify(x5c, { now, purpose: 'credential' }).isForPurpose).toBe(false);
    expect(reports).toEqual([`CN=${name}`]);
  });

  it('lists serverAuth for no purpose', () => {
    expect(Object.values(EXTENDED_KEY_USAGES).flat()).not.toContain('1.3.6.1.5.5.7.3.1');
    expect(Object.keys(EXTENDED_KEY_USAGES)).toEqual([...PURPOSES]);
  });
});

describe('VP:O6 VP:N4 anchors above one another, and VP:N6 clocks that differ', () => {
  const encode = (...chain: { certificate: Buffer }[]) =>
    chain.map(({ certificate }) => certificate.toString('base64'));
  const anchorOf = (authority: Authority, ...purposes: Purpose[]): TrustAnchor => ({
    certificate: parseCertificate(authority.certificate),
    purposes,
  });
  const inX5c = expect.objectContaining({ code: 'trust_anchor_in_x5c' });

  it('a root and its intermediate may both be configured: the nearer one counts, in x5c or not', async () => {
    const ca = await root.issueAuthority({ name: 'CA' });
    const leaf = await ca.issue({ name: 'Leaf' });
    const both = [anchorOf(root, 'credential'), anchorOf(ca, 'credential')];
    const verifier = createChainVerifier(both, { maxEntries: 2 });
    for (const x5c of [encode(leaf), encode(leaf, ca)]) {
      const { anchor, belowAnchor } = verifier.verify(x5c, { now, purpose: 'credential' });
      expect([anchor, belowAnchor]).toEqual([both[1], 1]);
    }
  });

  it('an intermediate that is renewed under its key cannot be used to get round the anchor that is nearer', async () => {
    const ca = await root.issueAuthority({ name: 'CA' });
    const renewed = await root.issueAuthority({ name: 'CA', privateKey: ca.privateKey });
    const both = [anchorOf(root, 'credential'), anchorOf(ca, 'credential')];
    const x5c = encode(await ca.issue({ name: 'Leaf' }), renewed);
    expect(createChainVerifier(both, { maxEntries: 2 }).verify(x5c, { now, purpose: 'credential' }).anchor).toBe(
      both[1],
    );
  });

  it('an anchor in x5c is refused where no other one certified it, and as a leaf', async () => {
    const ca = await root.issueAuthority({ name: 'CA' });
    const leaf = await ca.issue({ name: 'Leaf' });
    const alone = createChainVerifier([anchorOf(ca, 'credential')], { maxEntries: 2 });
    expect(() => alone.verify(encode(leaf, ca), { now, purpose: 'credential' })).toThrow(inX5c);
    const signing = await root.issueAuthority({ name: 'CA', keyUsages: ['digitalSignature', 'keyCertSign'] });
    const both = createChainVerifier([anchorOf(root, 'credential'), anchorOf(signing, 'credential')], {
      maxEntries: 2,
    });
    expect(() => both.verify(encode(signing), { now, purpose: 'credential' })).toThrow(inX5c);
    expect(() => both.verify(encode(leaf, ca, root), { now, purpose: 'credential' })).toThrow(inX5c);
  });

  it('a forged intermediate with the name of an anchor gains nothing', async () => {
    const ca = await root.issueAuthority({ name: 'CA' });
    const forger = await createCertificateAuthority({ name: 'CA', now });
    const both = createChainVerifier([anchorOf(root, 'credential'), anchorOf(ca, 'credential')], { maxEntries: 2 });
    const forged = await root.issueAuthority({ name: 'CA', signingKey: forger.privateKey });
    const x5c = encode(await forged.issue({ name: 'Leaf' }), forged);
    expect(both.verify(x5c, { now, purpose: 'credential' }).anchor).toBeUndefined();
  });

  it.each([
    ['at the end of the skew after its end', 60_000, undefined],
    ['later', 60_001, 'certificate_expired'],
  ])('a certificate is judged %s', async (_what, later, code) => {
    const leaf = await root.issue({ name: 'Leaf', notAfter: now });
    const verifier = createChainVerifier(anchors, { maxEntries: 2, skewSeconds: 60 });
    const at = () => verifier.verify(encode(leaf), { now: new Date(now.getTime() + later), purpose: 'credential' });
    if (code) expect(at).toThrow(expect.objectContaining({ code }));
    else expect(at().anchor).toBe(anchors[0]);
  });

  it('begins the skew before its beginning, and so does an anchor', async () => {
    const young = await createCertificateAuthority({ name: 'Young', now, notBefore: now });
    const leaf = encode(await young.issue({ name: 'Leaf', notBefore: now }));
    const verifier = createChainVerifier([anchorOf(young, 'credential')], { maxEntries: 2, skewSeconds: 60 });
    const at = (earlier: number) => () =>
      verifier.verify(leaf, { now: new Date(now.getTime() - earlier), purpose: 'credential' }).anchor;
    expect(at(60_000)()).toBeDefined();
    expect(at(60_001)).toThrow(expect.objectContaining({ code: 'certificate_not_yet_valid' }));
  });
});
