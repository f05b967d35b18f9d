import { createCertificateAuthority, type Authority } from '@vestibule/dev-pki';
import {
  applyTrustPolicy,
  isAnchorNeeded,
  isStatusAuthority,
  parseCertificate,
  subjectValues,
  verifyChain,
  type Purpose,
  type TrustAnchor,
} from './index';

const now = new Date('2026-03-01T12:00:00Z');
let issuing: Authority;
let revoking: Authority;
beforeAll(async () => {
  issuing = await createCertificateAuthority({ name: 'Issuing', now });
  revoking = await createCertificateAuthority({ name: 'Revoking', now });
});

const anchor = ({ certificate }: Authority, purpose: Purpose, entity?: string): TrustAnchor => ({
  certificate: parseCertificate(certificate),
  purposes: [purpose],
  ...(entity === undefined ? {} : { entity }),
});

async function below(authority: Authority, anchors: readonly TrustAnchor[], purpose: Purpose) {
  const leaf = await authority.issue({ name: 'Leaf' });
  return verifyChain([parseCertificate(leaf.certificate)], anchors, { now, purpose });
}

describe('an authority for status on a list of trusted entities', () => {
  it.each<[string, string | undefined, string | undefined, boolean]>([
    ['serves the credentials of its own entity', 'pid/0', 'pid/0', true],
    ['does not serve those of another entity', 'pid/0', 'pid/1', false],
    ['does not serve those of an anchor in a file', undefined, 'pid/1', false],
    ['serves all where it is an anchor in a file', 'pid/0', undefined, true],
  ])('EU:T5 %s', async (_, issuer, authority, expected) => {
    const anchors = [anchor(issuing, 'credential', issuer), anchor(revoking, 'status', authority)];
    const credential = await below(issuing, anchors, 'credential');
    const signer = await below(revoking, anchors, 'status');
    expect(isStatusAuthority(signer, credential, anchors)).toBe(expected);
  });
});

describe('what a list decides about', () => {
  const covered = [{ purposes: ['credential'] as const, vcts: ['urn:a'], isKnown: false }];
  const context = { policy: 'auto', anchors: [], covered, purpose: 'credential' } as const;

  it('needs an anchor even while the list names nobody', async () => {
    expect(isAnchorNeeded({ ...context, vct: 'urn:a' })).toBe(true);
    const chain = await below(issuing, [], 'credential');
    expect(() => applyTrustPolicy(chain, { ...context, vct: 'urn:a' })).toThrow(
      expect.objectContaining({ code: 'untrusted_issuer' }),
    );
  });

  it('is that alone, and nothing where the policy only reports', () => {
    expect(isAnchorNeeded({ ...context, vct: 'urn:b' })).toBe(false);
    expect(isAnchorNeeded({ ...context, purpose: 'status', vct: 'urn:a' })).toBe(false);
    expect(isAnchorNeeded({ ...context, policy: 'report', vct: 'urn:a' })).toBe(false);
  });
});

describe('the texts of a subject', () => {
  it('are those of one attribute', async () => {
    const { certificate } = await issuing.issue({ name: 'Name', organization: 'Organisation, Ltd' });
    const parsed = parseCertificate(certificate);
    expect(subjectValues(parsed, '2.5.4.10')).toEqual(['Organisation, Ltd']);
    expect(subjectValues(parsed, '2.5.4.6')).toEqual([]);
  });
});
