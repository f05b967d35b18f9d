import { createCertificateAuthority, type Authority } from '@vestibule/dev-pki';
import {
  anchorsFor,
  applyTrustPolicy,
  haveSameAuthority,
  issuerBindingOf,
  parseCertificate,
  verifyChain,
  verifyIssuerBinding,
  type TrustAnchor,
  type TrustPolicy,
  type TrustScope,
  type VerifiedChain,
} from './index';

const now = new Date('2026-03-01T12:00:00Z');
const code = (expected: string) => expect.objectContaining({ code: expected });
const parse = ({ certificate }: { certificate: Buffer }) => parseCertificate(certificate);
const ofType = (vct?: string): TrustScope => ({ purpose: 'credential', vct });

let [root, stranger]: Authority[] = [];
let everyType: TrustAnchor;
let typeA: TrustAnchor;
let statusOnly: TrustAnchor;

beforeAll(async () => {
  root = await createCertificateAuthority({ name: 'Root', now });
  stranger = await createCertificateAuthority({ name: 'Stranger', now });
  everyType = { certificate: parse(root), purposes: ['credential'] };
  typeA = { certificate: parse(root), purposes: ['credential'], vcts: ['a'] };
  statusOnly = { certificate: parse(root), purposes: ['status'] };
});

async function judge(policy: TrustPolicy, authority: Authority | undefined, anchors: TrustAnchor[], vct?: string) {
  const leaf = await authority?.issue({ name: 'Leaf' });
  const verified = verifyChain(leaf ? [parse(leaf)] : [], anchors, { ...ofType(vct), now });
  return applyTrustPolicy(verified, { policy, anchors, ...ofType(vct) });
}

describe('applyTrustPolicy', () => {
  it('VP:N13 an anchored chain is trusted under every policy', async () => {
    for (const policy of ['auto', 'enforce', 'report'] as const) {
      await expect(judge(policy, root, [everyType])).resolves.toBe(true);
      await expect(judge(policy, root, [typeA], 'a')).resolves.toBe(true);
    }
  });

  it('VP:N5 auto: where anchors are configured for the type an unanchored chain fails (sd:neg-x5c-untrusted-root)', async () => {
    await expect(judge('auto', stranger, [everyType], 'a')).rejects.toThrow(code('untrusted_issuer'));
    await expect(judge('auto', stranger, [typeA], 'a')).rejects.toThrow(code('untrusted_issuer'));
  });

  it('VP:N13 auto: where none is configured for the type the chain is reported as untrusted', async () => {
    await expect(judge('auto', stranger, [])).resolves.toBe(false);
    await expect(judge('auto', stranger, [typeA], 'b')).resolves.toBe(false);
    await expect(judge('auto', stranger, [statusOnly], 'a')).resolves.toBe(false);
  });

  it('VP:A9 enforce: an unanchored chain always fails', async () => {
    await expect(judge('enforce', stranger, [])).rejects.toThrow(code('untrusted_issuer'));
    await expect(judge('enforce', root, [typeA], 'b')).rejects.toThrow(code('untrusted_issuer'));
  });

  it('report: an unanchored chain is always untrusted and never fails', async () => {
    await expect(judge('report', stranger, [everyType, typeA], 'a')).resolves.toBe(false);
  });
});

describe('anchorsFor', () => {
  it('VP:N12 an anchor for type A does not vouch for type B, and a type must be named to use it', async () => {
    await expect(judge('enforce', root, [typeA], 'b')).rejects.toThrow(code('untrusted_issuer'));
    expect(anchorsFor([typeA, everyType], ofType('b'))).toEqual([everyType]);
    expect(anchorsFor([typeA, everyType], ofType())).toEqual([everyType]);
    expect(anchorsFor([typeA, everyType], ofType('a'))).toEqual([typeA, everyType]);
    expect(anchorsFor([{ ...typeA, vcts: [] }], ofType('a'))).toEqual([]);
  });

  it('VP:N12 an anchor of one purpose does not serve another', async () => {
    await expect(judge('enforce', root, [statusOnly])).rejects.toThrow(code('untrusted_issuer'));
    expect(anchorsFor([everyType], { purpose: 'status' })).toEqual([]);
    expect(anchorsFor([everyType], { purpose: 'wallet_attestation' })).toEqual([]);
  });
});

describe('haveSameAuthority', () => {
  const verify = (chain: { certificate: Buffer }[], anchors: TrustAnchor[]): VerifiedChain =>
    verifyChain(chain.map(parse), anchors, { ...ofType(), now });

  it('VP:O6 leaves of the same intermediate, or directly of the same anchor, belong together', async () => {
    const ca = await root?.issueAuthority({ name: 'CA' });
    const [one, two] = [await ca?.issue({ name: 'One' }), await ca?.issue({ name: 'Two' })];
    const [three, four] = [await root?.issue({ name: 'Three' }), await root?.issue({ name: 'Four' })];
    if (!ca || !one || !two || !three || !four) throw new Error('no certificates');
    expect(haveSameAuthority(verify([one, ca], []), verify([two, ca], []))).toBe(true);
    expect(haveSameAuthority(verify([three], [everyType]), verify([four], [everyType]))).toBe(true);
    expect(haveSameAuthority(verify([one, ca], [everyType]), verify([three], [everyType]))).toBe(false);
    expect(haveSameAuthority(verify([three], []), verify([four], []))).toBe(false);
    expect(haveSameAuthority(verify([three], []), verify([three], []))).toBe(true);
  });

  it('VP:O6 another intermediate under the anchor is another authority, also with the same name', async () => {
    const [ca, namesake] = [await root?.issueAuthority({ name: 'CA' }), await root?.issueAuthority({ name: 'CA' })];
    const [one, two] = [await ca?.issue({ name: 'One' }), await namesake?.issue({ name: 'Two' })];
    if (!ca || !namesake || !one || !two) throw new Error('no certificates');
    expect(haveSameAuthority(verify([one, ca], [everyType]), verify([two, namesake], [everyType]))).toBe(false);
  });

  it('VP:O6 an intermediate with the same key under another name is another authority', async () => {
    const ca = await root?.issueAuthority({ name: 'CA' });
    const renamed = await root?.issueAuthority({ name: 'Other CA', ...(ca && { privateKey: ca.privateKey }) });
    const [one, two] = [await ca?.issue({ name: 'One' }), await renamed?.issue({ name: 'Two' })];
    if (!ca || !renamed || !one || !two) throw new Error('no certificates');
    expect(haveSameAuthority(verify([one, ca], [everyType]), verify([two, renamed], [everyType]))).toBe(false);
  });
});

describe('issuerBindingOf', () => {
  const san = { policy: 'san' } as const;
  const none = { policy: 'none' } as const;
  const allowlist = { policy: 'allowlist', issuers: ['https://a.test'] } as const;
  const bindingOf = async (authority: Authority | undefined, anchors: TrustAnchor[], vct?: string) => {
    const leaf = await authority?.issue({ name: 'Leaf' });
    const verified = verifyChain(leaf ? [parse(leaf)] : [], anchors, { ...ofType(vct), now });
    return issuerBindingOf(verified, san);
  };

  it('VP:D8 is that of the anchor, also when it is looser than the one for all', async () => {
    expect(await bindingOf(root, [{ ...everyType, issuerBinding: allowlist }])).toBe(allowlist);
    expect(await bindingOf(root, [{ ...everyType, issuerBinding: none }])).toBe(none);
  });

  it('VP:D8 is the one for all where the anchor has none, or where there is no anchor', async () => {
    const bound = { ...everyType, issuerBinding: none };
    expect(await bindingOf(root, [everyType])).toBe(san);
    expect(await bindingOf(stranger, [bound])).toBe(san);
    expect(await bindingOf(root, [])).toBe(san);
  });

  it('VP:D8 is that of the anchor for the type in question, and of the first of two', async () => {
    const anchors = [
      { ...typeA, issuerBinding: allowlist },
      { ...everyType, issuerBinding: none },
    ];
    expect(await bindingOf(root, anchors, 'a')).toBe(allowlist);
    expect(await bindingOf(root, anchors, 'b')).toBe(none);
    expect(await bindingOf(root, [...anchors].reverse(), 'a')).toBe(none);
  });

  it('VP:D8 another issuer below an anchor with an allow-list is refused', async () => {
    const leaf = root && parse(await root.issue({ name: 'Leaf', uris: ['https://b.test'] }));
    const anchors = [{ ...everyType, issuerBinding: allowlist }];
    const verified = verifyChain(leaf ? [leaf] : [], anchors, { ...ofType(), now });
    const bind = (iss: string) => () => verifyIssuerBinding(iss, verified.leaf, issuerBindingOf(verified, none));
    expect(bind('https://a.test')).not.toThrow();
    expect(bind('https://b.test')).toThrow(code('issuer_not_bound'));
  });
});
