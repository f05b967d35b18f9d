import { createHash } from 'node:crypto';
import { rootCertificates } from 'node:tls';
import { createCertificateAuthority, keyIdentifier, type Authority, type IssuedCertificate } from '@vestibule/dev-pki';
import { findAuthorityKeyIdentifiers } from './find-authority-key-identifiers';
import { parseCertificate, parsePemCertificates, verifyChain, type TrustAnchor } from './index';

const now = new Date('2026-03-01T12:00:00Z');
const own = Buffer.alloc(20, 7);
const parse = ({ certificate }: { certificate: Buffer }) => parseCertificate(certificate);

const anchorsOf = (...authorities: readonly Authority[]): TrustAnchor[] =>
  authorities.map((authority) => ({ certificate: parse(authority), purposes: ['credential'] }));

function identifiersOf(chain: readonly IssuedCertificate[], anchors: readonly TrustAnchor[]): readonly Buffer[] {
  const verified = verifyChain(chain.map(parse), anchors, { now, purpose: 'credential' });
  return verified.authorityKeyIdentifiers.map((text) => Buffer.from(text, 'base64url'));
}

let honest: Authority;
/** Trusted as well, and a liar. */
let other: Authority;
let wanted: Buffer;
beforeAll(async () => {
  honest = await createCertificateAuthority({ name: 'Honest', now });
  other = await createCertificateAuthority({ name: 'Other', now });
  wanted = keyIdentifier(honest.privateKey);
});

describe('the authority key identifiers of a chain', () => {
  it('VP:J20 are those of its authorities, from the leaf upwards', async () => {
    const intermediate = await honest.issueAuthority({ name: 'Intermediate' });
    const chain = [await intermediate.issue({ name: 'Leaf' }), intermediate];
    expect(identifiersOf(chain, anchorsOf(other, honest))).toEqual([keyIdentifier(intermediate.privateKey), wanted]);
    expect(identifiersOf([await honest.issue({ name: 'Leaf' })], anchorsOf(honest))).toEqual([wanted]);
  });

  it('VP:J20 are none where no anchor certified it, or a certificate names none; a subject key identifier never counts', async () => {
    expect(identifiersOf([await honest.issue({ name: 'Leaf' })], anchorsOf(other))).toEqual([]);
    const unnamed = await honest.issue({ name: 'Leaf', authorityKeyIdentifier: null, subjectKeyIdentifier: wanted });
    expect(identifiersOf([unnamed], anchorsOf(honest))).toEqual([]);
  });

  it('VP:J20 are not what a trusted authority writes that means another', async () => {
    const leaf = await other.issue({ name: 'Leaf', authorityKeyIdentifier: wanted });
    expect(identifiersOf([leaf], anchorsOf(honest, other))).toEqual([]);
  });

  it('VP:J20 are not what an intermediate calls its own key that is the key of another', async () => {
    const intermediate = await other.issueAuthority({ name: 'Intermediate', subjectKeyIdentifier: wanted });
    const leaf = await intermediate.issue({ name: 'Leaf', authorityKeyIdentifier: wanted });
    expect(identifiersOf([leaf, intermediate], anchorsOf(honest, other))).toEqual([keyIdentifier(other.privateKey)]);
  });

  it('VP:J20 are not what an anchor calls its own key that is the key of another', async () => {
    const liar = await createCertificateAuthority({ name: 'Liar', now, subjectKeyIdentifier: wanted });
    const leaf = await liar.issue({ name: 'Leaf', authorityKeyIdentifier: wanted });
    expect(identifiersOf([leaf], anchorsOf(honest, liar))).toEqual([]);
    expect(identifiersOf([await honest.issue({ name: 'Leaf' })], anchorsOf(honest, liar))).toEqual([wanted]);
  });
});

describe('an identifier that is not a hash of the key', () => {
  const issuedBy = async (authority: Authority) =>
    authority.issue({ name: 'Leaf', authorityKeyIdentifier: own, subjectKeyIdentifier: null });

  it('VP:J20 counts for an anchor, unless another anchor has it too', async () => {
    const anchor = await createCertificateAuthority({ name: 'Anchor', now, subjectKeyIdentifier: own });
    const liar = await createCertificateAuthority({ name: 'Liar', now, subjectKeyIdentifier: own });
    expect(identifiersOf([await issuedBy(anchor)], anchorsOf(anchor))).toEqual([own]);
    expect(identifiersOf([await issuedBy(anchor)], anchorsOf(anchor, liar))).toEqual([]);
  });

  it('VP:J20 counts for no authority on a list, which may call its key what an intermediate of another is called', async () => {
    const intermediate = await honest.issueAuthority({ name: 'Intermediate' });
    const wantedBelow = keyIdentifier(intermediate.privateKey);
    const listed = await createCertificateAuthority({ name: 'Listed', now, subjectKeyIdentifier: wantedBelow });
    const anchors = anchorsOf(listed).map((anchor) => ({ ...anchor, list: 'pid', entity: 'pid/listed' }));
    const leaf = await listed.issue({ name: 'Leaf', authorityKeyIdentifier: wantedBelow });
    expect(identifiersOf([leaf], [...anchorsOf(honest), ...anchors])).toEqual([]);
    expect(identifiersOf([leaf], [...anchorsOf(listed), ...anchors])).toEqual([wantedBelow]);
    const copied = anchorsOf(
      await createCertificateAuthority({ name: 'Copy', now, subjectKeyIdentifier: wantedBelow }),
    );
    const copies = copied.map((anchor) => ({ ...anchor, list: 'pid', entity: 'pid/copy' }));
    expect(identifiersOf([leaf], [...anchorsOf(listed), ...copies])).toEqual([wantedBelow]);
    const chain = [await intermediate.issue({ name: 'Leaf' }), intermediate];
    expect(identifiersOf(chain, [...anchorsOf(honest), ...anchors])).toEqual([wantedBelow, wanted]);
  });

  it('VP:J20 counts for an intermediate only if that is an anchor too', async () => {
    const intermediate = await honest.issueAuthority({ name: 'Intermediate', subjectKeyIdentifier: own });
    const chain = [await issuedBy(intermediate), intermediate];
    expect(identifiersOf(chain, anchorsOf(honest))).toEqual([wanted]);
    expect(identifiersOf(chain, anchorsOf(honest, intermediate))).toEqual([own, wanted]);
  });
});

describe('an identifier that is a hash of the key', () => {
  const spki = () => parse(honest).publicKey.export({ type: 'spki', format: 'der' });
  /** A point on P-256 is the end of its SubjectPublicKeyInfo. */
  const bits = () => spki().subarray(-65);
  const digest = (hash: string, bytes: Buffer) => createHash(hash).update(bytes).digest();

  it.each<readonly [string, () => Buffer, boolean]>([
    ['SHA-1 over the bits', () => digest('sha1', bits()), true],
    ['160 bits of SHA-256 over the bits', () => digest('sha256', bits()).subarray(0, 20), true],
    ['160 bits of SHA-512 over the bits', () => digest('sha512', bits()).subarray(0, 20), true],
    ['SHA-256 over all of the key', () => digest('sha256', spki()), true],
    ['64 bits of SHA-1, which could be found for another key', () => digest('sha1', bits()).subarray(0, 8), false],
    ['nothing', () => Buffer.alloc(0), false],
  ])('VP:J20 may be %s', async (_what, make, counts) => {
    const intermediate = await other.issueAuthority({ name: 'Intermediate', privateKey: honest.privateKey });
    const leaf = await intermediate.issue({ name: 'Leaf', authorityKeyIdentifier: make() });
    const anchors = anchorsOf(other);
    expect(identifiersOf([leaf, intermediate], anchors)).toContainEqual(keyIdentifier(other.privateKey));
    expect(identifiersOf([leaf, intermediate], anchors)).toHaveLength(counts ? 2 : 1);
  });

  it('VP:J20 is what nearly all roots have that Node.js ships', () => {
    const roots = rootCertificates.flatMap((pem) => parsePemCertificates(pem));
    const named = roots.filter(({ subjectKeyIdentifier }) => subjectKeyIdentifier);
    const derived = named.filter((root) => {
      const issued = { ...root, authorityKeyIdentifier: root.subjectKeyIdentifier };
      return findAuthorityKeyIdentifiers([issued], root.publicKey, []).length === 1;
    });
    expect(named.length).toBeGreaterThan(100);
    expect(derived.length / named.length).toBeGreaterThan(0.95);
  });
});
