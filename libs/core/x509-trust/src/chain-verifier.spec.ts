import { createCertificateAuthority, createPrivateKeyOf, type Authority } from '@vestibule/dev-pki';
import { createChainVerifier, parseCertificate, type Certificate, type TrustAnchor } from './index';

const now = new Date('2026-03-01T12:00:00Z');
const [start, end] = [new Date('2026-03-01T00:00:00Z'), new Date('2026-03-02T00:00:00Z')];
const code = (expected: string) => expect.objectContaining({ code: expected });
const credential = { now, purpose: 'credential' } as const;

let root: Authority;
let anchors: TrustAnchor[];
let x5c: string[];

const encode = (...chain: { certificate: Buffer }[]) => chain.map(({ certificate }) => certificate.toString('base64'));
const newChain = async (authority: Authority, notAfter?: Date) =>
  encode(await authority.issue({ name: 'Leaf', notBefore: start, ...(notAfter && { notAfter }) }));

beforeAll(async () => {
  root = await createCertificateAuthority({ name: 'Root', now });
  anchors = [
    { certificate: parseCertificate(root.certificate), purposes: ['credential'], vcts: ['a'] },
    { certificate: parseCertificate(root.certificate), purposes: ['status'] },
  ];
  x5c = await newChain(root, end);
});

describe('createChainVerifier', () => {
  it('remembers a chain: the second answer has the same certificates', () => {
    const verifier = createChainVerifier(anchors, { maxEntries: 10 });
    const first = verifier.verify(x5c, { ...credential, vct: 'a' });
    expect(first.anchor).toBe(anchors[0]);
    expect(verifier.verify([...x5c], { ...credential, vct: 'a' }).leaf).toBe(first.leaf);
  });

  it('takes leaves on P-256, and on other curves where it is told so', async () => {
    const leaf = encode(await root.issue({ name: 'Leaf', keyType: 'P-384' }));
    const usual = createChainVerifier(anchors, { maxEntries: 10 });
    expect(() => usual.verify(leaf, { ...credential, vct: 'a' })).toThrow(code('leaf_key_not_allowed'));
    const both = createChainVerifier(anchors, { maxEntries: 10, leafCurves: ['P-256', 'P-384'] });
    for (const chain of [leaf, x5c]) expect(both.verify(chain, { ...credential, vct: 'a' }).anchor).toBe(anchors[0]);
  });

  it('VP:N6 judges the time on every call, remembered or not', () => {
    const verifier = createChainVerifier(anchors, { maxEntries: 10 });
    const at = (instant: Date) => () => verifier.verify(x5c, { purpose: 'status', now: instant });
    expect(at(now)().anchor).toBe(anchors[1]);
    expect(at(new Date(end.getTime() + 1))).toThrow(code('certificate_expired'));
    expect(at(new Date(start.getTime() - 1))).toThrow(code('certificate_not_yet_valid'));
    const { leaf } = at(now)();
    expect(at(now)().leaf).toBe(leaf);
    expect(at(new Date(end.getTime() + 1))).toThrow(code('certificate_expired'));
    expect(at(now)().leaf).not.toBe(leaf);
  });

  it('VP:N6 judges the time of the anchor on every call', async () => {
    const brief = await createCertificateAuthority({ name: 'Brief root', now, notBefore: start, notAfter: end });
    const trusted: TrustAnchor[] = [{ certificate: parseCertificate(brief.certificate), purposes: ['status'] }];
    const verifier = createChainVerifier(trusted, { maxEntries: 10 });
    const chain = await newChain(brief);
    expect(verifier.verify(chain, { purpose: 'status', now }).anchor).toBe(trusted[0]);
    const later = new Date(end.getTime() + 1);
    expect(() => verifier.verify(chain, { purpose: 'status', now: later })).toThrow(code('trust_anchor_expired'));
  });

  it('VP:N12 judges purpose and type on every call, remembered or not', () => {
    const verifier = createChainVerifier(anchors, { maxEntries: 10 });
    const anchorOf = (scope: object) => verifier.verify(x5c, { ...credential, ...scope }).anchor;
    expect(anchorOf({ vct: 'a' })).toBe(anchors[0]);
    expect(anchorOf({ vct: 'b' })).toBeUndefined();
    expect(anchorOf({})).toBeUndefined();
    expect(anchorOf({ purpose: 'status', vct: 'b' })).toBe(anchors[1]);
    expect(anchorOf({ purpose: 'wallet_attestation' })).toBeUndefined();
  });

  it('VP:N12 VP:O6 an anchor of another purpose in x5c is only an intermediate, and an anchor for its own', async () => {
    const lower = await root.issueAuthority({ name: 'CA' });
    const trusted: TrustAnchor[] = [
      { certificate: parseCertificate(root.certificate), purposes: ['credential'] },
      { certificate: parseCertificate(lower.certificate), purposes: ['status'] },
    ];
    const verifier = createChainVerifier(trusted, { maxEntries: 10 });
    const chain = encode(await lower.issue({ name: 'Leaf' }), lower);
    expect(verifier.verify(chain, credential).anchor).toBe(trusted[0]);
    expect(verifier.verify(chain, { ...credential, purpose: 'status' }).anchor).toBe(trusted[1]);
  });

  it('never remembers a fault, nor takes two certificates in one string for the chain it knows', async () => {
    const verifier = createChainVerifier(anchors, { maxEntries: 10 });
    const lower = await root.issueAuthority({ name: 'CA' });
    const forged = encode(await lower.issue({ name: 'Leaf', signingKey: createPrivateKeyOf('P-256') }), lower);
    const sound = encode(await lower.issue({ name: 'Leaf' }), lower);
    verifier.verify(sound, credential);
    for (let round = 0; round < 2; round += 1) {
      expect(() => verifier.verify(forged, credential)).toThrow(code('chain_signature_invalid'));
      expect(() => verifier.verify([sound.join('","')], credential)).toThrow(code('x5c_malformed'));
    }
  });

  it('forgets the chain that was not used for longest', async () => {
    const verifier = createChainVerifier(anchors, { maxEntries: 2 });
    const [one, two, three] = [await newChain(root), await newChain(root), await newChain(root)];
    const leafOf = (chain: string[]): Certificate => verifier.verify(chain, credential).leaf;
    const [first, second] = [leafOf(one), leafOf(two)];
    expect(leafOf(one)).toBe(first);
    leafOf(three);
    expect(leafOf(one)).toBe(first);
    expect(leafOf(two)).not.toBe(second);
  });

  it('keeps trusted chains whatever strangers send', async () => {
    const verifier = createChainVerifier(anchors, { maxEntries: 1 });
    const trusted = verifier.verify(x5c, credential).leaf;
    const stranger = await createCertificateAuthority({ name: 'Stranger', now });
    for (const chain of [await newChain(stranger), await newChain(stranger)]) verifier.verify(chain, credential);
    expect(verifier.verify(x5c, credential).leaf).toBe(trusted);
  });

  it.each([undefined, null, 'x', [], [1], { length: 1 }])('VP:N1 refuses %j as x5c', (value) => {
    const verifier = createChainVerifier(anchors, { maxEntries: 1 });
    expect(() => verifier.verify(value, credential)).toThrow(code('x5c_malformed'));
  });

  it.each([
    ['that is no certification authority', { ca: false }],
    ['that may not sign certificates', { keyUsages: ['digitalSignature'] }],
    ['with a weak key', { keyType: 'RSA-1024' }],
  ] as const)('refuses a configured anchor %s', async (_, options) => {
    const { certificate } = await createCertificateAuthority({ name: 'Weak', now, ...options });
    const trusted: TrustAnchor[] = [{ certificate: parseCertificate(certificate), purposes: ['status'] }];
    expect(() => createChainVerifier(trusted, { maxEntries: 1 })).toThrow(code('trust_anchor_invalid'));
  });
});
