import { X509Certificate } from 'node:crypto';
import { X509Certificate as PeculiarCertificate } from '@peculiar/x509';
import { createCertificateAuthority, createPrivateKeyOf, createSelfSignedLeaf, keyIdentifier } from './index';

const now = new Date('2026-03-01T12:00:00Z');
const root = createCertificateAuthority({ name: 'Root', now });

describe('certificate authority', () => {
  it('is self-signed, a CA and has a subject key identifier', async () => {
    const authority = await root;
    const certificate = new X509Certificate(authority.certificate);
    expect([certificate.ca, certificate.verify(certificate.publicKey)]).toEqual([true, true]);
    expect(certificate.subject).toBe('CN=Root');
    const ski = new PeculiarCertificate(new Uint8Array(authority.certificate)).getExtension('2.5.29.14');
    expect(Buffer.from(new Uint8Array(ski?.value ?? [])).toString('hex')).toBe(
      `0414${keyIdentifier(authority.privateKey).toString('hex')}`,
    );
  });

  it('issues a leaf with the validity, the names and the key it is told', async () => {
    const privateKey = createPrivateKeyOf('P-256');
    const [notBefore, notAfter] = [new Date('2020-01-01T00:00:00Z'), new Date('2020-02-01T00:00:00Z')];
    const leaf = await (await root).issue({ name: 'Leaf', notBefore, notAfter, privateKey, dnsNames: ['a.test'] });
    const certificate = new X509Certificate(leaf.certificate);
    expect([new Date(certificate.validFrom), new Date(certificate.validTo)]).toEqual([notBefore, notAfter]);
    expect([certificate.ca, certificate.subjectAltName]).toEqual([false, 'DNS:a.test']);
    expect(certificate.checkPrivateKey(privateKey)).toBe(true);
  });

  it('forges issuer names and signatures on demand', async () => {
    const authority = await root;
    const named = await authority.issue({ name: 'Leaf', issuerName: 'Somebody else' });
    expect(new X509Certificate(named.certificate).issuer).toBe('CN=Somebody else');
    const signed = await authority.issue({ name: 'Leaf', signingKey: createPrivateKeyOf('P-256') });
    expect(new X509Certificate(signed.certificate).verify(new X509Certificate(authority.certificate).publicKey)).toBe(
      false,
    );
  });

  it.each(['SHA-1', 'SHA-384'] as const)('signs with %s on demand', async (hash) => {
    const leaf = await (await root).issue({ name: 'Leaf', hash });
    expect(new PeculiarCertificate(new Uint8Array(leaf.certificate)).signatureAlgorithm.hash.name).toBe(hash);
  });

  it.each(['P-384', 'RSA-2048', 'Ed25519'] as const)('can be an authority with a key of type %s', async (keyType) => {
    const authority = await createCertificateAuthority({ name: 'Other', now, keyType });
    const leaf = await authority.issue({ name: 'Leaf' });
    expect(new X509Certificate(leaf.certificate).verify(new X509Certificate(authority.certificate).publicKey)).toBe(
      true,
    );
  });

  it('makes a leaf signed with its own key', async () => {
    const leaf = new X509Certificate((await createSelfSignedLeaf({ name: 'Leaf', now })).certificate);
    expect([leaf.ca, leaf.verify(leaf.publicKey)]).toEqual([false, true]);
  });
});
