import { createCertificateAuthority } from '@vestibule/dev-pki';
import { issuerBindingOf, parseCertificate, verifyChain, verifyIssuerBinding, type TrustAnchor } from './index';

const now = new Date('2026-03-01T12:00:00Z');

it('VP:D8 iss must be in the certificate below an anchor, unless somebody set otherwise, and need not be without one', async () => {
  const root = await createCertificateAuthority({ name: 'Root', now });
  const leaf = parseCertificate((await root.issue({ name: 'Leaf', dnsNames: ['a.test'] })).certificate);
  const anchor: TrustAnchor = { certificate: parseCertificate(root.certificate), purposes: ['credential'] };
  const chainBelow = (...anchors: TrustAnchor[]) => verifyChain([leaf], anchors, { now, purpose: 'credential' });
  const none = { policy: 'none' } as const;
  expect(issuerBindingOf(chainBelow(anchor))).toEqual({ policy: 'san' });
  expect(issuerBindingOf(chainBelow())).toEqual(none);
  expect(issuerBindingOf(chainBelow(anchor), none)).toEqual(none);
  expect(issuerBindingOf(chainBelow({ ...anchor, issuerBinding: none }))).toEqual(none);
  const claimed = (iss: string) => () => verifyIssuerBinding(iss, leaf, issuerBindingOf(chainBelow(anchor)));
  expect(claimed('https://a.test')).not.toThrow();
  expect(claimed('https://b.test')).toThrow(expect.objectContaining({ code: 'issuer_not_bound' }));
});
