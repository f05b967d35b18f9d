import { createCertificateAuthority, type Authority } from '@vestibule/dev-pki';
import { createChainVerifier, parseCertificate, type Purpose, type TrustAnchor } from './index';

const now = new Date('2026-03-01T12:00:00Z');
const [VCT, OTHER] = ['urn:example:a', 'urn:example:b'];
const expired = expect.objectContaining({ code: 'trust_anchor_expired' });
const encode = (...chain: readonly { readonly certificate: Buffer }[]) =>
  chain.map(({ certificate }) => certificate.toString('base64'));

let [root, ca, renewed]: Authority[] = [];
let leaf: { readonly certificate: Buffer };
beforeAll(async () => {
  root = await createCertificateAuthority({ name: 'Root', now });
  ca = await root.issueAuthority({ name: 'CA' });
  renewed = await root.issueAuthority({ name: 'CA', privateKey: ca.privateKey });
  leaf = await ca.issue({ name: 'Leaf' });
});

const anchorOf = (authority: Authority | undefined, entry: Partial<TrustAnchor> = {}): TrustAnchor => ({
  certificate: parseCertificate((authority as Authority).certificate),
  purposes: ['credential', 'status'],
  ...entry,
});

/** The anchors that count for a leaf of the intermediate, without and with its certificate in `x5c`, also a renewed one. */
function anchorsOf(anchors: readonly TrustAnchor[], purpose: Purpose = 'credential', vct = VCT) {
  const [own, new_] = [ca as Authority, renewed as Authority];
  return [encode(leaf), encode(leaf, own), encode(leaf, new_)].map(
    (x5c) => createChainVerifier(anchors, { maxEntries: 2 }).verify(x5c, { now, purpose, vct }).anchor,
  );
}
const nobody = [undefined, undefined, undefined];

describe('VP:N12 VP:Q3 an authority of the trust file below another one', () => {
  it('of other types: the root does not vouch for the types that its intermediate may not, in x5c or not', () => {
    const restricted = anchorOf(ca, { vcts: [OTHER] });
    expect(anchorsOf([anchorOf(root), restricted])).toEqual(nobody);
    expect(anchorsOf([anchorOf(root, { vcts: [VCT] }), restricted])).toEqual(nobody);
    expect(anchorsOf([anchorOf(root), restricted], 'credential', OTHER)).toEqual([restricted, restricted, restricted]);
  });

  it('of other types takes nothing away from the chains of other authorities', async () => {
    const other = await (root as Authority).issueAuthority({ name: 'Other CA' });
    const above = anchorOf(root);
    expect(anchorsOf([above, anchorOf(other, { vcts: [OTHER] })])).toEqual([undefined, above, above]);
  });

  it('of other types or for other issuers may not sign credentials with its own certificate', async () => {
    const scope = { now, purpose: 'credential', vct: VCT } as const;
    const { name, privateKey } = ca as Authority;
    const keyUsages = ['keyCertSign', 'cRLSign', 'digitalSignature'] as const;
    const own = await (root as Authority).issueAuthority({ name, privateKey, keyUsages });
    const anchorOver = (...anchors: readonly TrustAnchor[]) =>
      createChainVerifier(anchors, { maxEntries: 2 }).verify(encode(own), scope).anchor;
    const above = anchorOf(root);
    const issuerBinding = { policy: 'allowlist' as const, issuers: ['https://a.test'] };
    for (const restriction of [{ vcts: [OTHER] }, { issuerBinding }]) {
      expect(anchorOver(above, anchorOf(ca, restriction))).toBeUndefined();
    }
    expect(anchorOver(above, anchorOf(own, { vcts: [OTHER] }))).toBeUndefined();
    expect(anchorOver(above, anchorOf(ca, { vcts: [VCT], issuerBinding }))).toBeUndefined();
    expect(anchorOver(above, anchorOf(ca, { vcts: [VCT, OTHER] }))).toBe(above);
    expect(anchorOver(anchorOf(root, { vcts: [OTHER] }), anchorOf(ca, { vcts: [VCT] }))).toBeUndefined();
    expect(anchorOver(above, anchorOf(ca, { purposes: ['status'], vcts: [OTHER] }))).toBe(above);
    expect(anchorOver(above)).toBe(above);
  });

  it('of other types: after a change of its key the root vouches for its types alone, until it has an entry again', async () => {
    const successor = await (root as Authority).issueAuthority({ name: 'CA' });
    const below = await successor.issue({ name: 'Leaf' });
    const person = await (root as Authority).issue({ name: 'CA' });
    const [above, restricted] = [anchorOf(root), anchorOf(ca, { vcts: [OTHER] })];
    const anchorOver = (x5c: readonly string[], anchors: readonly TrustAnchor[], vct = VCT) =>
      createChainVerifier(anchors, { maxEntries: 2 }).verify(x5c, { now, purpose: 'credential', vct }).anchor;
    const chain = encode(below, successor);
    expect(anchorOver(chain, [above, restricted])).toBeUndefined();
    expect(anchorOver(chain, [above, restricted], OTHER)).toBe(above);
    const issuerBinding = { policy: 'allowlist' as const, issuers: ['https://a.test'] };
    expect(anchorOver(chain, [above, anchorOf(ca, { vcts: [OTHER], issuerBinding })], OTHER)).toBeUndefined();
    const added = anchorOf(successor, { vcts: [OTHER] });
    expect(anchorOver(chain, [above, restricted, added])).toBeUndefined();
    expect(anchorOver(chain, [above, restricted, added], OTHER)).toBe(added);
    expect(anchorOver(chain, [above, anchorOf(ca)])).toBe(above);
    expect(anchorOver(encode(person), [above, restricted])).toBe(above);
  });

  it('of other types: under another name its key gains nothing, below it or as its own, whoever certified that', async () => {
    const [top, own] = [root as Authority, ca as Authority];
    const { privateKey } = own;
    const renamed = await top.issueAuthority({ name: 'Renamed CA', privateKey });
    const issuer = await top.issue({ name: 'Issuer', privateKey });
    const chains = [encode(await renamed.issue({ name: 'Leaf' }), renamed), encode(issuer)];
    const [above, restricted] = [anchorOf(top), anchorOf(own, { vcts: [OTHER] })];
    const anchorsOver = (anchors: readonly TrustAnchor[], vct = VCT) =>
      chains.map(
        (x5c) =>
          createChainVerifier(anchors, { maxEntries: 2 }).verify(x5c, { now, purpose: 'credential', vct }).anchor,
      );
    expect(anchorsOver([above, restricted])).toEqual([undefined, undefined]);
    expect(anchorsOver([above, restricted], OTHER)).toEqual([above, above]);
    const added = anchorOf(renamed, { vcts: [VCT] });
    expect(anchorsOver([above, restricted, added])[0]).toBe(added);
    const issuerBinding = { policy: 'allowlist' as const, issuers: ['https://a.test'] };
    const bound = anchorOf(own, { vcts: [OTHER], issuerBinding });
    expect(anchorsOver([above, bound, restricted], OTHER)).toEqual([undefined, undefined]);
    expect(anchorsOver([above, restricted, bound], OTHER)).toEqual([above, above]);
  });

  it('of other types: a new authority with another name and key is not known to be its own', async () => {
    const other = await (root as Authority).issueAuthority({ name: 'Second CA' });
    const below = await other.issue({ name: 'Leaf' });
    const scope = { now, purpose: 'credential', vct: VCT } as const;
    const anchorOver = (x5c: readonly string[], anchors: readonly TrustAnchor[]) =>
      createChainVerifier(anchors, { maxEntries: 2 }).verify(x5c, scope).anchor;
    const [above, restricted] = [anchorOf(root), anchorOf(ca, { vcts: [OTHER] })];
    expect(anchorOver(encode(below, other), [above, restricted])).toBe(above);
    const lower = await (ca as Authority).issueAuthority({ name: 'Second CA', privateKey: other.privateKey });
    expect(anchorOver(encode(below, lower, ca as Authority), [above, restricted])).toBeUndefined();
    expect(anchorOver(encode(below, lower), [above, restricted])).toBeUndefined();
  });

  it('that is a root: it vouches for the link to its next key, within its own restriction', async () => {
    const [old, next] = [root as Authority, await createCertificateAuthority({ name: 'Root', now })];
    const link = await old.issueAuthority({ name: 'Root', privateKey: next.privateKey });
    const below = await next.issue({ name: 'Leaf' });
    const anchorOver = (anchor: TrustAnchor, vct = VCT) =>
      createChainVerifier([anchor], { maxEntries: 2 }).verify(encode(below, link), { now, purpose: 'credential', vct })
        .anchor;
    const issuerBinding = { policy: 'allowlist' as const, issuers: ['https://a.test'] };
    for (const restriction of [{ vcts: [VCT] }, { issuerBinding }]) {
      const restricted = anchorOf(old, restriction);
      expect(anchorOver(restricted)).toBe(restricted);
    }
    expect(anchorOver(anchorOf(old, { vcts: [OTHER] }))).toBeUndefined();
  });

  it('for other issuers: its binding holds, and with several entries each of them counts', () => {
    const bound = anchorOf(ca, { issuerBinding: { policy: 'allowlist', issuers: ['https://a.test'] } });
    expect(anchorsOf([anchorOf(root), bound])).toEqual([bound, bound, bound]);
    const [one, other] = [anchorOf(ca, { vcts: [OTHER] }), anchorOf(ca, { vcts: [VCT] })];
    expect(anchorsOf([anchorOf(root), one, other])).toEqual([other, other, other]);
  });

  it('that has expired: the root does not vouch in its stead, unless there was no restriction', async () => {
    const ended = await (root as Authority).issueAuthority({
      name: 'CA',
      privateKey: (ca as Authority).privateKey,
      notAfter: new Date(now.getTime() - 86_400_000),
    });
    expect(() => anchorsOf([anchorOf(root), anchorOf(ended, { vcts: [VCT] })])).toThrow(expired);
    const issuerBinding = { policy: 'allowlist' as const, issuers: ['https://a.test'] };
    const bound = [anchorOf(root), anchorOf(ended, { issuerBinding })];
    expect(() => anchorsOf(bound)).toThrow(expired);
    const verifier = createChainVerifier(bound, { maxEntries: 2 });
    const scope = { now, purpose: 'credential', vct: VCT } as const;
    expect(() => verifier.verify(encode(leaf, ca as Authority), scope)).toThrow(expired);
    const current = anchorOf(ca, { vcts: [VCT] });
    expect(anchorsOf([anchorOf(root), anchorOf(ended, { vcts: [VCT] }), current])).toEqual([current, current, current]);
    const above = anchorOf(root);
    const { anchor } = createChainVerifier([above, anchorOf(ended)], { maxEntries: 2 }).verify(
      encode(leaf, ca as Authority),
      { now, purpose: 'credential', vct: VCT },
    );
    expect(anchor).toBe(above);
  });

  it('that is sent along in another certificate counts below its root, and alone for nothing', () => {
    const own = anchorOf(ca);
    const scope = { now, purpose: 'credential', vct: VCT } as const;
    const anchorOver = (anchors: readonly TrustAnchor[]) =>
      createChainVerifier(anchors, { maxEntries: 2 }).verify(encode(leaf, renewed as Authority), scope).anchor;
    expect(anchorOver([own])).toBeUndefined();
    expect(anchorOver([own, anchorOf(root)])).toBe(own);
  });

  it('for another purpose: it takes nothing away', () => {
    const [own, wallets] = [anchorOf(root), anchorOf(root, { purposes: ['wallet_attestation', 'status'] })];
    const status = anchorOf(ca, { purposes: ['status'], vcts: [OTHER] });
    expect(anchorsOf([own, status]).slice(1)).toEqual([own, own]);
    const keys = anchorOf(ca, { purposes: ['key_attestation', 'status'] });
    expect(anchorsOf([wallets, keys], 'wallet_attestation').slice(1)).toEqual([wallets, wallets]);
  });

  it('and lists of trusted entities: neither takes away what the other gives', () => {
    const listed = anchorOf(root, { list: 'pid' });
    expect(anchorsOf([listed, anchorOf(ca, { vcts: [OTHER] })]).slice(1)).toEqual([listed, listed]);
    const own = anchorOf(root);
    expect(anchorsOf([own, anchorOf(ca, { vcts: [OTHER], list: 'pid' })]).slice(1)).toEqual([own, own]);
  });
});
