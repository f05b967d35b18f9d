import {
  createCertificateAuthority,
  createSelfSignedLeaf,
  type Authority,
  type IssuedCertificate,
} from '@vestibule/dev-pki';
import {
  applyTrustPolicy,
  checkTrustAnchors,
  createChainVerifier,
  crlSourcesOf,
  crowdedNames,
  listedCertificate,
  maySignStatusOf,
  parseCertificate,
  verifyChain,
  type ChainContext,
  type Purpose,
  type TrustAnchor,
} from './index';

const now = new Date('2026-03-01T12:00:00Z');
const VCT = 'urn:pid';
const code = (expected: string) => expect.objectContaining({ code: expected });

let root: Authority;
let authority: Authority;
let signer: IssuedCertificate;
let sibling: IssuedCertificate;
beforeAll(async () => {
  root = await createCertificateAuthority({ name: 'Seal Root', now });
  authority = await root.issueAuthority({ name: 'Seal CA', pathLength: 0 });
  signer = await authority.issue({ name: 'Provider' });
  sibling = await authority.issue({ name: 'Another provider' });
});

interface Listing {
  readonly purposes?: readonly Purpose[];
  readonly entity?: string;
  readonly vcts?: readonly string[];
}
const listed = ({ certificate }: { certificate: Uint8Array }, listing: Listing = {}): TrustAnchor => ({
  ...listedCertificate(parseCertificate(certificate)),
  purposes: ['credential', 'status'],
  list: 'pid',
  entity: 'pid/0',
  ...listing,
});
const context: ChainContext = { now, purpose: 'credential', vct: VCT, needsAnchor: true };
const chainOf = (...certificates: readonly { certificate: Uint8Array }[]) =>
  certificates.map(({ certificate }) => parseCertificate(certificate));
const verify = (
  chain: readonly { certificate: Uint8Array }[],
  anchors: readonly TrustAnchor[],
  changes: Partial<ChainContext> = {},
) => verifyChain(chainOf(...chain), anchors, { ...context, ...changes });

describe('a signer whose own certificate is on a list of trusted entities', () => {
  it('EU:T4 is trusted, whether it sends its authorities along or not', () => {
    const anchor = listed(signer);
    for (const chain of [[signer], [signer, authority]]) {
      const verified = verify(chain, [anchor]);
      expect(verified).toMatchObject({ anchor, belowAnchor: 0, isForPurpose: true, authorityKeyIdentifiers: [] });
      expect(applyTrustPolicy(verified, { ...context, policy: 'enforce', anchors: [anchor] })).toBe(true);
    }
  });

  it('is trusted with each call of a verifier that remembers chains', () => {
    const verifier = createChainVerifier([listed(signer)], { maxEntries: 10 });
    const x5c = [Buffer.from(signer.certificate).toString('base64')];
    for (let call = 0; call < 3; call += 1) expect(verifier.verify(x5c, context).anchor?.isSigner).toBe(true);
  });

  it('vouches for no certificate but its own: not for one with the same name, key or authority', async () => {
    const renewed = await authority.issue({ name: 'Provider', privateKey: signer.privateKey });
    const namesake = await authority.issue({ name: 'Provider' });
    for (const other of [renewed, namesake, sibling]) {
      for (const chain of [[other], [other, authority]])
        expect(() => verify(chain, [listed(signer)])).toThrow(code('untrusted_issuer'));
    }
  });

  it('certifies nothing, though its key has signed a certificate', async () => {
    const pretender = await createCertificateAuthority({ name: 'Provider', now, privateKey: signer.privateKey });
    const below = await pretender.issue({ name: 'Below' });
    expect(() => verify([below], [listed(signer)])).toThrow(code('untrusted_issuer'));
    expect(() => verify([below, signer], [listed(signer)])).toThrow(code('issuer_not_ca'));
  });

  it.each<[string, Listing, Partial<ChainContext>]>([
    ['another purpose', { purposes: ['status'] }, {}],
    ['another type', { vcts: ['urn:other'] }, {}],
    ['types that are not known', { vcts: [VCT] }, { vct: undefined }],
  ])('is none for %s', (_what, listing, changes) => {
    expect(verify([signer], [listed(signer, listing)], changes).anchor).toBeUndefined();
  });

  it('may send an authority along that another entity has listed', () => {
    const anchors = [listed(signer), listed(authority, { entity: 'pid/1' })];
    expect(verify([signer, authority], anchors).anchor).toEqual(anchors[0]);
    expect(() => verify([sibling, authority], anchors)).toThrow(code('trust_anchor_in_x5c'));
  });

  it('is judged as every leaf: by its times and what it is for', async () => {
    const usage = { oid: '2.5.29.37', critical: false, value: Buffer.from('300a06082b06010505070301', 'hex') };
    const wrong = await authority.issue({ name: 'TLS', extensions: [usage] });
    expect(() => verify([wrong], [listed(wrong)])).toThrow(code('extended_key_usage_not_allowed'));
    const later = new Date('2126-01-01T00:00:00Z');
    expect(() => verify([signer], [listed(signer)], { now: later })).toThrow(code('certificate_expired'));
  });

  it('is judged below an authority where one is trusted, too', () => {
    const above: TrustAnchor = { certificate: parseCertificate(root.certificate), purposes: ['credential'] };
    const { anchor, belowAnchor } = verify([signer, authority], [listed(signer), above]);
    expect([anchor, belowAnchor]).toEqual([above, 2]);
    const between = listed(authority, { entity: 'pid/1' });
    expect(verify([signer, authority], [listed(signer), between, above]).anchor).toBe(between);
  });

  it('has no revocation list: the list of trusted entities says whether it is still trusted', () => {
    expect(crlSourcesOf(verify([signer, authority], [listed(signer)]))).toEqual([]);
  });

  it('has those of its authority where that is trusted, too, whichever certificate of the authority it sends along', async () => {
    const stranger = await createCertificateAuthority({ name: 'Stranger', now });
    const crossed = await stranger.issueAuthority({ name: 'Seal CA', privateKey: authority.privateKey });
    const above = listed(authority, { entity: 'pid/1' });
    for (const chain of [[signer], [signer, authority], [signer, crossed]]) {
      const sources = crlSourcesOf(verify(chain, [listed(signer), above]));
      expect(sources.map((source) => [source.certificate.fingerprint, source.issuer])).toEqual([
        [parseCertificate(signer.certificate).fingerprint, above.certificate],
      ]);
    }
    // For who is not listed, an authority that nobody certified revokes nothing: its addresses must not be asked.
    const unlisted = verify([sibling, crossed], [listed(signer), above], { needsAnchor: false });
    expect([unlisted.anchor, unlisted.certifier, crlSourcesOf(unlisted)]).toEqual([undefined, undefined, []]);
  });

  it('takes no place among the keys that are tried for a name', async () => {
    const many = await Promise.all(Array.from({ length: 17 }, () => authority.issue({ name: 'Provider' })));
    expect(crowdedNames(many.map((one) => listed(one)))).toBe(0);
  });

  it('cannot be one that is self-signed, may not sign, or has a key of another kind', async () => {
    const wrong = await Promise.all([
      authority.issue({ name: 'RSA', keyType: 'RSA-2048' }),
      authority.issue({ name: 'Encryption', keyUsages: ['keyCertSign'] }),
      createSelfSignedLeaf({ name: 'Alone', now }),
    ]);
    for (const one of wrong) expect(() => checkTrustAnchors([listed(one)])).toThrow(code('trust_anchor_invalid'));
    expect(() => checkTrustAnchors([listed(signer)])).not.toThrow();
  });
});

describe('the status list of an issuer whose own certificate is on a list', () => {
  /** May `by` sign for a credential of `signer`? */
  function serves(by: IssuedCertificate, anchors: readonly TrustAnchor[], chain = [by, authority]): boolean {
    const credential = verify([signer, authority], anchors);
    const of = verify(chain, anchors, { purpose: 'status' });
    return maySignStatusOf(credential, of, { anchors, issued: { purpose: 'credential', vct: VCT } });
  }

  it('EU:T5 may be signed by itself, and by another certificate of its entity', () => {
    expect(serves(signer, [listed(signer)])).toBe(true);
    for (const purposes of [['status'], ['credential', 'status']] as const)
      expect(serves(sibling, [listed(signer), listed(sibling, { purposes })])).toBe(true);
  });

  it('EU:T5 may not be signed by another entity, though one authority has certified both', () => {
    const other = listed(sibling, { entity: 'pid/1' });
    for (const chain of [[sibling], [sibling, authority]])
      expect(serves(sibling, [listed(signer), other], chain)).toBe(false);
  });

  it('EU:T5 may not be signed by an entity that lists the authority of it, whether it sends that along or not', async () => {
    const other = await createCertificateAuthority({ name: 'Other', now });
    const revoking = await other.issue({ name: 'Revoking' });
    const anchors = [
      listed(signer),
      listed(authority, { entity: 'pid/1' }),
      listed(other, { purposes: ['status'], entity: 'pid/1' }),
    ];
    expect(serves(revoking, anchors, [revoking])).toBe(false);
    expect(serves(sibling, anchors, [sibling])).toBe(false);
  });

  it('EU:T5 may not be signed by a signer that another entity lists, though the authority of both is listed', () => {
    const anchors = [
      listed(authority, { purposes: ['credential'] }),
      listed(sibling, { purposes: ['status'], entity: 'pid/1' }),
    ];
    const credential = verify([signer], anchors);
    for (const chain of [[sibling], [sibling, authority]]) {
      const of = verify(chain, anchors, { purpose: 'status' });
      expect(maySignStatusOf(credential, of, { anchors, issued: { purpose: 'credential', vct: VCT } })).toBe(false);
    }
  });

  it('EU:T5 may not be signed by an entity that has copied its certificate, nor by one that it has copied', () => {
    const copied = [listed(signer), listed(signer, { entity: 'pid/1' }), listed(sibling, { entity: 'pid/1' })];
    expect(serves(sibling, copied)).toBe(false);
  });
});
