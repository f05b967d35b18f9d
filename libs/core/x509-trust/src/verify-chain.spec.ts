import {
  createCertificateAuthority,
  createPrivateKeyOf,
  createSelfSignedLeaf,
  type Authority,
  type IssuedCertificate,
} from '@vestibule/dev-pki';
import { signCompactJws, parseCompactJws, verifyJws } from '@vestibule/crypto';
import { parseCertificate, verifyChain, type TrustAnchor, type VerifiedChain } from './index';

const now = new Date('2026-03-01T12:00:00Z');
const past = new Date('2026-03-01T11:59:59Z');
const future = new Date('2026-03-01T12:00:01Z');
const code = (expected: string) => expect.objectContaining({ code: expected });
const parse = ({ certificate }: { certificate: Buffer }) => parseCertificate(certificate);

let root: Authority;
let intermediate: Authority;
let leaf: IssuedCertificate;
let anchors: TrustAnchor[];

beforeAll(async () => {
  root = await createCertificateAuthority({ name: 'Root', now });
  intermediate = await root.issueAuthority({ name: 'Intermediate', pathLength: 0 });
  leaf = await intermediate.issue({ name: 'Leaf' });
  anchors = [{ certificate: parse(root), purposes: ['credential'] }];
});

function verify(chain: { certificate: Buffer }[], trusted = anchors, at = now): VerifiedChain {
  return verifyChain(chain.map(parse), trusted, { now: at, purpose: 'credential' });
}

describe('verifyChain: what is accepted', () => {
  it('VP:N5 a chain of leaf and intermediate leads to the configured anchor', () => {
    const verified = verify([leaf, intermediate]);
    expect(verified.anchor).toBe(anchors[0]);
    expect(verified.leaf.der).toEqual(leaf.certificate);
    expect(verified.chain).toHaveLength(2);
  });

  it('VP:N5 an anchor may certify the leaf directly (sd:pos-leaf-directly-under-anchor)', async () => {
    expect(verify([await root.issue({ name: 'Leaf' })]).anchor).toBe(anchors[0]);
  });

  it('VP:N5 an anchor need not be self-signed', () => {
    const trusted: TrustAnchor[] = [{ certificate: parse(intermediate), purposes: ['credential'] }];
    expect(verify([leaf], trusted).anchor).toBe(trusted[0]);
  });

  it('VP:N9 RSA from 2048 bit and ECDSA with SHA-384 may sign above the leaf', async () => {
    const rsa = await createCertificateAuthority({ name: 'RSA root', now, keyType: 'RSA-2048' });
    const p384 = await rsa.issueAuthority({ name: 'P-384 CA', keyType: 'P-384', hash: 'SHA-384' });
    const trusted: TrustAnchor[] = [{ certificate: parse(rsa), purposes: ['credential'] }];
    expect(verify([await p384.issue({ name: 'Leaf', hash: 'SHA-384' }), p384], trusted).anchor).toBe(trusted[0]);
  });

  it('VP:N8 a leaf without key usage is accepted, and so is one with a purpose that nobody else has', async () => {
    expect(verify([await root.issue({ name: 'Leaf', keyUsages: null })]).anchor).toBeDefined();
    const mdocSigner = { oid: '2.5.29.37', critical: true, value: Buffer.from('3009060728818c5d050102', 'hex') };
    expect(verify([await root.issue({ name: 'Leaf', extensions: [mdocSigner] })]).anchor).toBeDefined();
  });

  it('VP:N5 of two anchors with the same name the one whose key signed is found', async () => {
    const namesake = await createCertificateAuthority({ name: 'Root', now });
    const trusted: TrustAnchor[] = [{ certificate: parse(namesake), purposes: ['credential'] }, ...anchors];
    expect(verify([leaf, intermediate], trusted).anchor).toBe(anchors[0]);
  });

  it('VP:N6 of two certificates of the same anchor the one that is valid now is found', async () => {
    const old = await createCertificateAuthority({ name: 'Root', now, privateKey: root.privateKey, notAfter: past });
    const expired: TrustAnchor = { certificate: parse(old), purposes: ['credential'] };
    expect(verify([leaf, intermediate], [expired, ...anchors]).anchor).toBe(anchors[0]);
  });
});

describe('verifyChain: what leads nowhere', () => {
  it('VP:N5 a chain below a root that is not configured has no anchor (sd:neg-x5c-untrusted-root)', async () => {
    const other = await createCertificateAuthority({ name: 'Other root', now });
    const below = await other.issueAuthority({ name: 'Other CA' });
    expect(verify([await below.issue({ name: 'Leaf' }), below]).anchor).toBeUndefined();
  });

  it('VP:N5 a leaf that only bears the name of the anchor has no anchor (sd:neg-x5c-forged-issuer-name)', async () => {
    const forger = await createCertificateAuthority({ name: 'Forger', now });
    expect(verify([await forger.issue({ name: 'Leaf', issuerName: 'Root' })]).anchor).toBeUndefined();
  });

  it('VP:N5 a leaf that the key of the anchor signed under another name has no anchor', async () => {
    expect(verify([await root.issue({ name: 'Leaf', issuerName: 'Other root' })]).anchor).toBeUndefined();
  });

  it('VP:N5 a leaf without its intermediate has no anchor (sd:neg-x5c-missing-intermediate)', () => {
    expect(verify([leaf]).anchor).toBeUndefined();
  });

  it('VP:A9 without configured anchors nothing has an anchor', () => {
    expect(verify([leaf, intermediate], []).anchor).toBeUndefined();
  });
});

describe('verifyChain: order and signatures', () => {
  it('VP:N2 the key of the first certificate verifies the object, another key does not (sd:neg-x5c-leaf-key-mismatch)', () => {
    const { leaf: verified } = verify([leaf, intermediate]);
    verifyJws(parseCompactJws(signCompactJws({}, {}, leaf.privateKey)), verified.publicKey);
    const other = parseCompactJws(signCompactJws({}, {}, createPrivateKeyOf('P-256')));
    expect(() => verifyJws(other, verified.publicKey)).toThrow(code('jws_signature_invalid'));
  });

  it('VP:N2 a chain that starts with the intermediate is refused (sd:neg-x5c-wrong-order)', () => {
    expect(() => verify([intermediate, leaf])).toThrow(code('chain_broken'));
  });

  it('VP:N5 a certificate signed by another key than its issuer claims is refused', async () => {
    const forged = await intermediate.issue({ name: 'Leaf', signingKey: createPrivateKeyOf('P-256') });
    expect(() => verify([forged, intermediate])).toThrow(code('chain_signature_invalid'));
  });

  it('VP:N2 an empty chain is refused', () => {
    expect(() => verify([])).toThrow(code('x5c_malformed'));
  });
});

describe('verifyChain: self-signed certificates', () => {
  it('VP:N3 a self-signed leaf is refused (sd:neg-x5c-leaf-self-signed)', async () => {
    expect(() => verify([{ ...leaf, certificate: root.certificate }])).toThrow(code('leaf_self_signed'));
    const selfSigned = await createSelfSignedLeaf({ name: 'Leaf', now });
    expect(() => verify([selfSigned])).toThrow(code('leaf_self_signed'));
  });

  it('VP:N3 a leaf signed with its own key is self-signed whatever issuer it names', async () => {
    const privateKey = createPrivateKeyOf('P-256');
    const disguised = await intermediate.issue({ name: 'Leaf', privateKey, signingKey: privateKey });
    expect(() => verify([disguised, intermediate])).toThrow(code('leaf_self_signed'));
  });

  it('VP:N3 a leaf that bears the name of its issuer is not self-signed by that', async () => {
    expect(verify([await root.issue({ name: 'Root' })]).anchor).toBe(anchors[0]);
  });

  it('VP:N4 the anchor in x5c is refused (sd:neg-x5c-root-included)', () => {
    expect(() => verify([leaf, intermediate, root])).toThrow(code('trust_anchor_in_x5c'));
  });

  it('VP:N4 an anchor in x5c that is not self-signed is refused, unless another anchor certified it', () => {
    const pinned: TrustAnchor = { certificate: parse(intermediate), purposes: ['credential'] };
    expect(() => verify([leaf, intermediate], [pinned])).toThrow(code('trust_anchor_in_x5c'));
    expect(verify([leaf, intermediate], [pinned, ...anchors]).anchor).toBe(pinned);
  });

  it('VP:N4 a foreign root in x5c is refused (sd:neg-x5c-untrusted-root-incl)', async () => {
    const other = await createCertificateAuthority({ name: 'Other root', now });
    const chain = [await other.issue({ name: 'Leaf' }), other];
    expect(() => verify(chain)).toThrow(code('trust_anchor_in_x5c'));
  });
});

describe('verifyChain: validity', () => {
  it('VP:N6 an expired leaf is refused (sd:neg-x5c-expired-leaf)', async () => {
    const expired = await intermediate.issue({ name: 'Leaf', notAfter: past });
    expect(() => verify([expired, intermediate])).toThrow(code('certificate_expired'));
  });

  it('VP:N6 a leaf that is not yet valid is refused (sd:neg-x5c-not-yet-valid-leaf)', async () => {
    const early = await intermediate.issue({ name: 'Leaf', notBefore: future });
    expect(() => verify([early, intermediate])).toThrow(code('certificate_not_yet_valid'));
  });

  it('VP:N6 the ends of the validity belong to it', async () => {
    const brief = await intermediate.issue({ name: 'Leaf', notBefore: past, notAfter: future });
    expect(verify([brief, intermediate], anchors, past).anchor).toBeDefined();
    expect(verify([brief, intermediate], anchors, future).anchor).toBeDefined();
  });

  it('VP:N6 an expired intermediate is refused', async () => {
    const expired = await root.issueAuthority({ name: 'CA', notAfter: past });
    const chain = [await expired.issue({ name: 'Leaf' }), expired];
    expect(() => verify(chain)).toThrow(code('certificate_expired'));
  });

  it('VP:N6 an expired anchor is refused', async () => {
    // One that has not begun is no more usable than one that has ended.
    for (const validity of [{ notAfter: past }, { notBefore: future }]) {
      const unusable = await createCertificateAuthority({ name: 'Old root', now, ...validity });
      const trusted: TrustAnchor[] = [{ certificate: parse(unusable), purposes: ['credential'] }];
      const below = await unusable.issue({ name: 'Leaf' });
      expect(() => verify([below], trusted)).toThrow(code('trust_anchor_expired'));
    }
  });

  it('VP:N6 a time that is no time is never inside a validity', () => {
    expect(() => verify([leaf, intermediate], anchors, new Date(NaN))).toThrow(code('certificate_not_yet_valid'));
  });
});
