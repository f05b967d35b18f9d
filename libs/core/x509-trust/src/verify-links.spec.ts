import { createPrivateKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import {
  createCertificateAuthority,
  type Authority,
  type IssuedCertificate,
  type KeyUsageName,
} from '@vestibule/dev-pki';
import { parseCertificate, verifyChain, type TrustAnchor } from './index';

const now = new Date('2026-03-01T12:00:00Z');
const code = (expected: string) => expect.objectContaining({ code: expected });
const parse = ({ certificate }: { certificate: Buffer }) => parseCertificate(certificate);

let root: Authority;
let intermediate: Authority;
let anchors: TrustAnchor[];

beforeAll(async () => {
  root = await createCertificateAuthority({ name: 'Root', now });
  intermediate = await root.issueAuthority({ name: 'Intermediate', pathLength: 0 });
  anchors = [{ certificate: parse(root), purposes: ['credential'] }];
});

const verify = (chain: { certificate: Buffer }[], trusted = anchors) =>
  verifyChain(chain.map(parse), trusted, { now, purpose: 'credential' });
const anchorAt = (certificate: Buffer): TrustAnchor[] => [
  { certificate: parseCertificate(certificate), purposes: ['credential'] },
];

describe('verifyChain: issuers are certification authorities', () => {
  it('VP:N7 an intermediate that is not a CA is refused (sd:neg-x5c-non-ca-intermediate)', async () => {
    const impostor = await root.issueAuthority({ name: 'CA', ca: false, keyUsages: ['keyCertSign'] });
    const chain = [await impostor.issue({ name: 'Leaf' }), impostor];
    expect(() => verify(chain)).toThrow(code('issuer_not_ca'));
  });

  it('VP:N7 an intermediate without basic constraints is refused', async () => {
    const bare = await root.issueAuthority({ name: 'CA', ca: null });
    const chain = [await bare.issue({ name: 'Leaf' }), bare];
    expect(() => verify(chain)).toThrow(code('issuer_not_ca'));
  });

  it('VP:N7 an intermediate without keyCertSign is refused', async () => {
    const mute = await root.issueAuthority({ name: 'CA', keyUsages: ['digitalSignature', 'cRLSign'] });
    const chain = [await mute.issue({ name: 'Leaf' }), mute];
    expect(() => verify(chain)).toThrow(code('issuer_not_ca'));
  });

  it('VP:N7 an authority that states no key usage may issue, in the chain or as its anchor', async () => {
    const plain = await createCertificateAuthority({ name: 'Plain root', now, keyUsages: null });
    const below = await plain.issueAuthority({ name: 'Plain CA', keyUsages: null });
    expect(verify([await below.issue({ name: 'Leaf' }), below], anchorAt(plain.certificate)).anchor).toBeDefined();
  });

  it('VP:N7 a leaf cannot issue another leaf under an anchor', async () => {
    const pinned = await createCertificateAuthority({ name: 'Pinned leaf', now, ca: false });
    const below = await pinned.issue({ name: 'Leaf' });
    expect(() => verify([below], anchorAt(pinned.certificate))).toThrow(code('issuer_not_ca'));
  });

  it('VP:N7 path length 0 allows no intermediate below (sd:neg-x5c-pathlen)', async () => {
    const lower = await intermediate.issueAuthority({ name: 'Lower CA' });
    const chain = [await lower.issue({ name: 'Leaf' }), lower, intermediate];
    expect(() => verify(chain)).toThrow(code('path_length_exceeded'));
  });

  it('VP:N7 path length 1 allows one intermediate below and not two', async () => {
    const top = await root.issueAuthority({ name: 'Top CA', pathLength: 1 });
    const middle = await top.issueAuthority({ name: 'Middle CA' });
    const low = await middle.issueAuthority({ name: 'Low CA' });
    expect(verify([await middle.issue({ name: 'Leaf' }), middle, top]).anchor).toBe(anchors[0]);
    const chain = [await low.issue({ name: 'Leaf' }), low, middle, top];
    expect(() => verify(chain)).toThrow(code('path_length_exceeded'));
  });

  it('VP:N7 a self-issued intermediate does not count towards the path length', async () => {
    const renewed = await intermediate.issueAuthority({ name: 'Intermediate' });
    expect(verify([await renewed.issue({ name: 'Leaf' }), renewed, intermediate]).anchor).toBe(anchors[0]);
  });

  it('VP:N7 the path length of the anchor is respected', async () => {
    const strict = await createCertificateAuthority({ name: 'Strict root', now, pathLength: 0 });
    const below = await strict.issueAuthority({ name: 'CA' });
    const chain: IssuedCertificate[] = [await below.issue({ name: 'Leaf' }), below];
    expect(() => verify(chain, anchorAt(strict.certificate))).toThrow(code('path_length_exceeded'));
  });
});

describe('verifyChain: nothing vouches for itself', () => {
  it('where an anchor is needed, a chain without one is refused, and one below it is not', async () => {
    const chain = [await intermediate.issue({ name: 'Leaf' }), intermediate].map(parse);
    const context = { now, purpose: 'credential', needsAnchor: true } as const;
    expect(verifyChain(chain, anchors, context).anchor).toBe(anchors[0]);
    expect(() => verifyChain(chain, [], context)).toThrow(code('untrusted_issuer'));
  });

  it('VP:N4 whose own key signed it, whatever names it bears', async () => {
    const named = await createCertificateAuthority({ name: 'Named', now });
    const own = await named.issueAuthority({ name: 'Other', privateKey: named.privateKey });
    const below = await own.issue({ name: 'Leaf' });
    expect(() => verify([below, own], [])).toThrow(code('trust_anchor_in_x5c'));
    expect(() => verify([below, own], anchorAt(named.certificate))).toThrow(code('trust_anchor_in_x5c'));
    const leaf = await named.issue({ name: 'Leaf', privateKey: named.privateKey });
    expect(() => verify([leaf], [])).toThrow(code('leaf_self_signed'));
    expect(() => verify([leaf], anchorAt(named.certificate))).toThrow(code('leaf_self_signed'));
    const sub = await named.issueAuthority({ name: 'Sub' });
    const same = await sub.issue({ name: 'Leaf', privateKey: sub.privateKey });
    expect(() => verify([same, sub], anchorAt(named.certificate))).toThrow(code('leaf_self_signed'));
  });
});

describe('verifyChain: key usage and critical extensions', () => {
  it('VP:N8 an anchor with a critical extension that is not processed certifies nothing', async () => {
    const extension = { oid: '1.2.3.4.5', critical: true, value: Buffer.from('0500', 'hex') };
    const odd = await createCertificateAuthority({ name: 'Odd root', now, extensions: [extension] });
    const leaf = await odd.issue({ name: 'Leaf' });
    expect(() => verify([leaf], anchorAt(odd.certificate))).toThrow(code('certificate_critical_extension'));
  });

  const KEY_AGREEMENT = ['keyEncipherment', 'keyAgreement'] as const;

  it.each<[string, readonly KeyUsageName[]]>([
    ['A', ['nonRepudiation']],
    ['B', ['nonRepudiation', 'digitalSignature']],
    ['C', ['digitalSignature']],
    ['D', ['digitalSignature', 'keyEncipherment']],
    ['F', ['nonRepudiation', 'digitalSignature', 'keyAgreement']],
  ])('VP:N8 a leaf with the key usage of type %s, of ETSI EN 319 412-2, may sign', async (_type, keyUsages) => {
    const leaf = await intermediate.issue({ name: 'Leaf', keyUsages });
    expect(verify([leaf, intermediate]).anchor).toBeDefined();
  });

  it.each<readonly [string, readonly KeyUsageName[]]>([
    ['none at all', []],
    ['none for signatures, as type E', KEY_AGREEMENT],
    ['one of an authority alone', ['keyCertSign', 'cRLSign']],
    ['every one but those for signatures', [...KEY_AGREEMENT, 'dataEncipherment', 'keyCertSign', 'cRLSign']],
  ])('VP:N8 a leaf whose key usage is %s is refused', async (_what, keyUsages) => {
    const leaf = await intermediate.issue({ name: 'Leaf', keyUsages });
    expect(() => verify([leaf, intermediate])).toThrow(code('leaf_key_usage'));
  });

  it('VP:N8 an intermediate is no leaf: its key usage is for certificates', () => {
    expect(() => verify([intermediate])).toThrow(code('leaf_key_usage'));
  });

  it('VP:N8 a leaf with an unknown critical extension is refused, an uncritical one is ignored', async () => {
    const extension = { oid: '1.2.3.4.5', critical: true, value: Buffer.from('0500', 'hex') };
    const critical = await intermediate.issue({ name: 'Leaf', extensions: [extension] });
    expect(() => verify([critical, intermediate])).toThrow(code('certificate_critical_extension'));
    const ignored = await intermediate.issue({ name: 'Leaf', extensions: [{ ...extension, critical: false }] });
    expect(verify([ignored, intermediate]).anchor).toBe(anchors[0]);
  });

  it('VP:N8 an identifier of a key that is critical is refused: paths do not depend on identifiers here', async () => {
    const none = { name: 'Leaf', subjectKeyIdentifier: null, authorityKeyIdentifier: null };
    const identifiers = [
      { oid: '2.5.29.14', value: Buffer.from('0404aabbccdd', 'hex') },
      { oid: '2.5.29.35', value: Buffer.from('30068004aabbccdd', 'hex') },
    ];
    for (const identifier of identifiers) {
      const leaf = (critical: boolean) => intermediate.issue({ ...none, extensions: [{ ...identifier, critical }] });
      expect(verify([await leaf(false), intermediate]).anchor).toBe(anchors[0]);
      const critical = await leaf(true);
      expect(() => verify([critical, intermediate])).toThrow(code('certificate_critical_extension'));
    }
  });

  it('VP:N8 an intermediate with an unknown critical extension is refused', async () => {
    const policy = { oid: '2.5.29.36', critical: true, value: Buffer.from('3003800100', 'hex') };
    const odd = await root.issueAuthority({ name: 'CA', extensions: [policy] });
    const chain = [await odd.issue({ name: 'Leaf' }), odd];
    expect(() => verify(chain)).toThrow(code('certificate_critical_extension'));
  });

  it.each([
    ['names', '2.5.29.30', '300aa00830068204612e6264'],
    ['policies', '2.5.29.36', '3003800100'],
  ])('VP:N8 constraints of %s are not processed and therefore refused, critical or not', async (_what, oid, hex) => {
    const extensions = [{ oid, critical: false, value: Buffer.from(hex, 'hex') }];
    const constrained = await root.issueAuthority({ name: 'CA', extensions });
    const top = await createCertificateAuthority({ name: 'Top', now, extensions });
    const chain = [await constrained.issue({ name: 'Leaf' }), constrained];
    expect(() => verify(chain)).toThrow(code('certificate_critical_extension'));
    const leaf = await root.issue({ name: 'Leaf', extensions });
    expect(() => verify([leaf])).toThrow(code('certificate_critical_extension'));
    const below = [await top.issue({ name: 'Leaf' })];
    expect(() => verify(below, anchorAt(top.certificate))).toThrow(code('certificate_critical_extension'));
  });

  const policies = (hex: string) => ({ oid: '2.5.29.32', critical: true, value: Buffer.from(hex, 'hex') });
  /** A chain of two, both with these policies, below an anchor with them. */
  async function underPolicies(hex: string) {
    const extensions = [policies(hex)];
    const top = await createCertificateAuthority({ name: 'Top', now, extensions });
    const authority = await top.issueAuthority({ name: 'CA', extensions });
    const chain = [await authority.issue({ name: 'Leaf', extensions }), authority];
    return { chain, trusted: anchorAt(top.certificate) };
  }

  it.each([
    ['any policy', '300630040602 2a03'],
    ['the address of a statement', '3018 3016 0602 2a03 3010 300e 06082b06010505070201 1602 613a'],
    ['a notice', '3018 3016 0602 2a03 3010 300e 06082b06010505070202 3002 0c00'],
  ])('VP:N8 critical policies with %s are accepted: no policy is demanded', async (_what, hex) => {
    const { chain, trusted } = await underPolicies(hex.replaceAll(' ', ''));
    expect(verify(chain, trusted).anchor).toBe(trusted[0]);
  });

  it('VP:N8 critical policies with another qualifier are refused', async () => {
    const hex = '3012 3010 0602 2a03 300a 3008 0602 2a04 1602 613a'.replaceAll(' ', '');
    const { chain, trusted } = await underPolicies(hex);
    expect(() => verify(chain, trusted)).toThrow(code('certificate_critical_extension'));
    const leaf = await root.issue({ name: 'Leaf', extensions: [policies(hex)] });
    expect(() => verify([leaf])).toThrow(code('certificate_critical_extension'));
    const { certificate } = await root.issue({ name: 'Leaf', extensions: [policies('30023000')] });
    expect(() => parseCertificate(certificate)).toThrow(code('certificate_malformed'));
  });

  it('VP:N8 a leaf that may only serve TLS is refused, critical or not', async () => {
    const serverAuth = Buffer.from('300a06082b06010505070301', 'hex');
    const issue = (critical: boolean) =>
      intermediate.issue({ name: 'Leaf', extensions: [{ oid: '2.5.29.37', critical, value: serverAuth }] });
    for (const tls of [await issue(true), await issue(false)]) {
      expect(() => verify([tls, intermediate])).toThrow(code('extended_key_usage_not_allowed'));
    }
  });
});

/** An RSA key whose public exponent makes every verification slow. */
function slowRsaKey(): KeyObject {
  const jwk = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ format: 'jwk' });
  const number = (text = ''): bigint => BigInt(`0x${Buffer.from(text, 'base64url').toString('hex')}`);
  const [p, q, e] = [number(jwk.p), number(jwk.q), 2n ** 61n - 1n];
  const inverse = (of: bigint, modulus: bigint): bigint => {
    let [r, next, s, t] = [modulus, of % modulus, 0n, 1n];
    while (next > 0n) [r, next, s, t] = [next, r % next, t, s - (r / next) * t];
    return (s + modulus) % modulus;
  };
  const text = (value: bigint): string => {
    const hex = value.toString(16);
    return Buffer.from(hex.length % 2 ? `0${hex}` : hex, 'hex').toString('base64url');
  };
  const d = inverse(e, (p - 1n) * (q - 1n));
  const changed = { e: text(e), d: text(d), dp: text(d % (p - 1n)), dq: text(d % (q - 1n)) };
  return createPrivateKey({ key: { ...jwk, ...changed }, format: 'jwk' });
}

describe('verifyChain: algorithms', () => {
  it('VP:N9 an intermediate whose RSA exponent only costs time is refused', async () => {
    const slow = await root.issueAuthority({ name: 'CA', privateKey: slowRsaKey() });
    const chain = [await slow.issue({ name: 'Leaf' }), slow];
    expect(() => verify(chain)).toThrow(code('certificate_algorithm_not_allowed'));
  });

  it('VP:N9 a chain signed with SHA-1 is refused', async () => {
    const weak = await intermediate.issue({ name: 'Leaf', hash: 'SHA-1' });
    expect(() => verify([weak, intermediate])).toThrow(code('certificate_algorithm_not_allowed'));
    const weakCa = await root.issueAuthority({ name: 'CA', hash: 'SHA-1' });
    const chain = [await weakCa.issue({ name: 'Leaf' }), weakCa];
    expect(() => verify(chain)).toThrow(code('certificate_algorithm_not_allowed'));
  });

  it.each(['RSA-1024', 'Ed25519'] as const)(
    'VP:N9 an intermediate with a key of type %s is refused',
    async (keyType) => {
      const weak = await root.issueAuthority({ name: 'CA', keyType });
      const chain = [await weak.issue({ name: 'Leaf' }), weak];
      expect(() => verify(chain)).toThrow(code('certificate_algorithm_not_allowed'));
    },
  );

  it('VP:N9 a leaf on curve secp256k1 is refused', async () => {
    const other = await root.issue({ name: 'Leaf', keyType: 'secp256k1' });
    expect(() => verify([other])).toThrow(code('certificate_algorithm_not_allowed'));
  });

  it.each(['P-384', 'RSA-2048'] as const)(
    'VP:K3 a leaf with a key of type %s cannot have made ES256',
    async (keyType) => {
      const other = await root.issue({ name: 'Leaf', keyType });
      expect(() => verify([other])).toThrow(code('leaf_key_not_allowed'));
    },
  );
});
