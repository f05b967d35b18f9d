import { generateKeyPairSync, createPublicKey, type KeyObject } from 'node:crypto';
import { isJsonObject } from '@vestibule/foundation';
import {
  createCertificateAuthority,
  createPrivateKeyOf,
  createSelfSignedLeaf,
  type Authority,
  type IssuedCertificate,
} from '@vestibule/dev-pki';
import { describeWithVectors, readJsonVector } from '@vestibule/testkit';
import {
  certificateHash,
  parseCertificate,
  parseX5c,
  prepareSigningCertificate,
  requireMaySignAt,
  verifyChain,
} from './index';

const now = new Date('2026-03-01T12:00:00Z');
const [past, future] = [new Date('2026-03-01T11:59:59Z'), new Date('2026-03-01T12:00:01Z')];
const code = (expected: string) => expect.objectContaining({ code: expected, kind: 'internal' });
const parse = ({ certificate }: { certificate: Buffer }) => parseCertificate(certificate);

let root: Authority;
let intermediate: Authority;
let leaf: IssuedCertificate;

beforeAll(async () => {
  root = await createCertificateAuthority({ name: 'Root', now });
  intermediate = await root.issueAuthority({ name: 'Intermediate' });
  leaf = await intermediate.issue({ name: 'Leaf', notAfter: future });
});

interface Changes {
  readonly privateKey?: KeyObject;
  readonly allowSelfSigned?: boolean;
}
const prepare =
  (chain: { certificate: Buffer }[], changes: Changes = {}) =>
  () =>
    prepareSigningCertificate({
      certificates: chain.map(parse),
      privateKey: changes.privateKey ?? leaf.privateKey,
      now,
      allowSelfSigned: changes.allowSelfSigned ?? false,
    });

describe('prepareSigningCertificate', () => {
  it('VP:A5 VCI:V2 x5c is the leaf and then its intermediates in padded standard base64', () => {
    const { x5c, hash, notAfter, leaf: parsed } = prepare([leaf, intermediate])();
    expect(x5c).toEqual([leaf, intermediate].map(({ certificate }) => certificate.toString('base64')));
    expect(hash).toBe(certificateHash(parse(leaf)));
    expect(parsed.der).toEqual(leaf.certificate);
    expect(notAfter).toEqual(future);
  });

  it('VP:A5 refuses a chain in which a signature does not hold, with or without its root', async () => {
    const namesake = await root.issueAuthority({ name: 'Intermediate' });
    for (const chain of [
      [leaf, namesake],
      [leaf, namesake, root],
    ]) {
      expect(prepare(chain)).toThrow(code('signing_chain_invalid'));
    }
  });

  it('VP:A2 VCI:V2 the root is left out of x5c', () => {
    const { x5c } = prepare([leaf, intermediate, root])();
    expect(x5c).toHaveLength(2);
    const anchor = { certificate: parse(root), purposes: ['credential'] } as const;
    expect(verifyChain(parseX5c(x5c), [anchor], { now, purpose: 'credential' }).anchor).toBe(anchor);
  });

  it('VP:A2 leaf and root: x5c has one entry', async () => {
    const direct = await root.issue({ name: 'Leaf' });
    expect(prepare([direct, root], { privateKey: direct.privateKey })().x5c).toHaveLength(1);
  });

  it('VP:A1 VCI:V2 VCI:S4 a self-signed leaf is refused', async () => {
    const selfSigned = await createSelfSignedLeaf({ name: 'Leaf', now });
    const refused = prepare([selfSigned], { privateKey: selfSigned.privateKey });
    expect(refused).toThrow(code('signing_certificate_self_signed'));
    const authority = prepare([root], { privateKey: root.privateKey });
    expect(authority).toThrow(code('signing_certificate_self_signed'));
  });

  it('VP:A1 the development switch allows a self-signed leaf that stands alone', async () => {
    const selfSigned = await createSelfSignedLeaf({ name: 'Leaf', now });
    const changes = { privateKey: selfSigned.privateKey, allowSelfSigned: true };
    expect(prepare([selfSigned], changes)().x5c).toEqual([selfSigned.certificate.toString('base64')]);
    expect(prepare([selfSigned, root], changes)).toThrow(code('signing_chain_invalid'));
  });

  it('VP:A3 VCI:V3 a key that does not belong to the leaf is refused', () => {
    const refused = prepare([leaf, intermediate], { privateKey: createPrivateKeyOf('P-256') });
    expect(refused).toThrow(code('signing_key_mismatch'));
    expect(prepare([intermediate, leaf])).toThrow(code('signing_key_mismatch'));
  });

  it('VP:A3 VCI:V3 a key that is not on P-256, or not private, is refused', async () => {
    const other = await intermediate.issue({ name: 'Leaf', keyType: 'P-384' });
    const refused = prepare([other, intermediate], { privateKey: other.privateKey });
    expect(refused).toThrow(code('signing_key_not_p256'));
    const { privateKey } = generateKeyPairSync('ed25519');
    expect(prepare([leaf], { privateKey })).toThrow(code('signing_key_not_p256'));
    const publicOnly = prepare([leaf], { privateKey: createPublicKey(leaf.privateKey) });
    expect(publicOnly).toThrow(code('signing_key_not_p256'));
  });

  it('VP:A4 an expired or not yet valid certificate is refused, intermediates included', async () => {
    const expired = await intermediate.issue({ name: 'Leaf', notAfter: past });
    const early = await intermediate.issue({ name: 'Leaf', notBefore: future });
    const oldCa = await root.issueAuthority({ name: 'CA', notAfter: past });
    const below = await oldCa.issue({ name: 'Leaf' });
    const refusal = (chain: IssuedCertificate[]) =>
      prepare(chain, { privateKey: chain[0]?.privateKey ?? leaf.privateKey });
    expect(refusal([expired, intermediate])).toThrow(code('signing_certificate_expired'));
    expect(refusal([early, intermediate])).toThrow(code('signing_certificate_not_yet_valid'));
    expect(refusal([below, oldCa])).toThrow(code('signing_certificate_expired'));
  });

  it('VP:A5 a chain in the wrong order, with a gap or with a foreign root is refused', async () => {
    const stranger = await createCertificateAuthority({ name: 'Stranger', now });
    const lower = await intermediate.issueAuthority({ name: 'Lower CA' });
    const low = await lower.issue({ name: 'Leaf' });
    const changes = { privateKey: low.privateKey };
    expect(prepare([low, lower, intermediate], changes)().x5c).toHaveLength(3);
    expect(prepare([low, intermediate, lower], changes)).toThrow(code('signing_chain_invalid'));
    expect(prepare([low, intermediate], changes)).toThrow(code('signing_chain_invalid'));
    expect(prepare([leaf, intermediate, stranger])).toThrow(code('signing_chain_invalid'));
    expect(prepare([leaf, root, intermediate])).toThrow(code('signing_chain_invalid'));
  });

  it('VP:A3 a leaf for seals, with nonRepudiation alone, is taken', async () => {
    const seal = await intermediate.issue({ name: 'Leaf', keyUsages: ['nonRepudiation'] });
    expect(prepare([seal, intermediate], { privateKey: seal.privateKey })().x5c).toHaveLength(2);
  });

  it('VP:A3 a leaf that may not sign is refused', async () => {
    const agreement = await intermediate.issue({ name: 'Leaf', keyUsages: ['keyAgreement'] });
    const refused = prepare([agreement, intermediate], { privateKey: agreement.privateKey });
    expect(refused).toThrow(code('signing_chain_invalid'));
  });

  it('says that a certificate is missing', () => {
    expect(prepare([])).toThrow(code('signing_certificate_missing'));
  });
});

describe('requireMaySignAt', () => {
  it('VP:A4 is asked at each signature: a certificate that ended since the start is refused', () => {
    const signing = prepare([leaf, intermediate])();
    expect(() => requireMaySignAt(signing, future)).not.toThrow();
    const later = new Date(future.getTime() + 1);
    expect(() => requireMaySignAt(signing, later)).toThrow(code('signing_certificate_expired'));
    const earlier = new Date(signing.notBefore.getTime() - 1);
    expect(() => requireMaySignAt(signing, earlier)).toThrow(code('signing_certificate_not_yet_valid'));
  });
});

describeWithVectors('examples of OpenID4VCI 1.0', () => {
  it.each(['signed_issuer_metadata', 'wallet_attestation'])(
    'VCI:S4 the self-signed authority in the example %s is refused as a leaf',
    (name) => {
      const example = readJsonVector(`issuer/oid4vci-1.0/joined/${name}.json`);
      const header = isJsonObject(example) ? example['header'] : undefined;
      const chain = parseX5c(isJsonObject(header) ? header['x5c'] : undefined);
      expect(chain[0]).toMatchObject({ isCa: true, subjectText: expect.stringMatching(/^CN=[a-z-]+\.example\.com$/) });
      const refused = () => verifyChain(chain, [], { now, purpose: 'wallet_attestation' });
      expect(refused).toThrow(expect.objectContaining({ code: 'leaf_self_signed' }));
    },
  );
});
