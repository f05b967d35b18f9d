import { createPrivateKey, X509Certificate } from 'node:crypto';
import {
  createDevelopmentIntermediate,
  createDevelopmentPki,
  createDevelopmentRoot,
  issueDevelopmentLeaf,
  toPem,
} from './index';

const now = new Date('2026-03-01T12:00:00Z');

describe('development PKI', () => {
  it('is a root, an intermediate and two leaves that verify one another in node:crypto', async () => {
    const pki = await createDevelopmentPki({ now, hosts: ['localhost:8080', 'vestibule.test'] });
    const [root, intermediate] = [pki.root, pki.intermediate].map(
      ({ certificate }) => new X509Certificate(certificate),
    );
    expect(root?.verify(root.publicKey)).toBe(true);
    expect(root && intermediate?.checkIssued(root)).toBe(true);
    for (const { certificate, privateKey, chain } of [pki.verifier, pki.issuer]) {
      const leaf = new X509Certificate(certificate);
      expect(intermediate && leaf.checkIssued(intermediate) && leaf.verify(intermediate.publicKey)).toBe(true);
      expect(leaf.checkPrivateKey(privateKey)).toBe(true);
      expect(leaf.ca).toBe(false);
      expect(leaf.subjectAltName).toBe(
        'DNS:localhost, DNS:vestibule.test, URI:https://localhost:8080, URI:https://vestibule.test',
      );
      expect(chain).toEqual([certificate, pki.intermediate.certificate]);
    }
  });

  it('has leaves for three years around the given time, with the given URIs', async () => {
    const { verifier } = await createDevelopmentPki({ now, hosts: ['a.test'], uris: ['http://127.0.0.1:8080/issuer'] });
    const leaf = new X509Certificate(verifier.certificate);
    expect(new Date(leaf.validFrom)).toEqual(new Date('2026-02-28T12:00:00Z'));
    expect(new Date(leaf.validTo)).toEqual(new Date('2029-02-28T12:00:00Z'));
    expect(leaf.subjectAltName).toContain('URI:http://127.0.0.1:8080/issuer');
  });

  it('renews a leaf under its key, and never beyond the end of its authority', async () => {
    const intermediate = await createDevelopmentIntermediate(await createDevelopmentRoot(now));
    const first = await issueDevelopmentLeaf(intermediate, 'issuer', { now, hosts: ['a.test'] });
    const late = new Date('2034-06-01T00:00:00Z');
    const names = { hosts: ['b.test'], privateKey: first.privateKey };
    const renewed = await issueDevelopmentLeaf(intermediate, 'issuer', { now: late, ...names });
    const [leaf, authority] = [renewed, intermediate].map(({ certificate }) => new X509Certificate(certificate));
    expect(leaf?.checkPrivateKey(first.privateKey)).toBe(true);
    expect([leaf?.validTo, leaf?.subjectAltName]).toEqual([authority?.validTo, 'DNS:b.test, URI:https://b.test']);
  });

  it('writes keys and chains as PEM that node:crypto reads', async () => {
    const { issuer } = await createDevelopmentPki({ now, hosts: ['a.test'] });
    expect(createPrivateKey(toPem(issuer.privateKey)).equals(issuer.privateKey)).toBe(true);
    expect(new X509Certificate(toPem(issuer.chain)).raw).toEqual(issuer.certificate);
    expect(toPem(issuer.chain).match(/BEGIN CERTIFICATE/g)).toHaveLength(2);
    expect(toPem(issuer.certificate)).toBe(new X509Certificate(issuer.certificate).toString());
  });
});
