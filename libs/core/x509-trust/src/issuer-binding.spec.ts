import { createCertificateAuthority, createSelfSignedLeaf } from '@vestibule/dev-pki';
import { isIssuerInSan, issuerName, parseCertificate, verifyIssuerBinding, type Certificate } from './index';

const now = new Date('2026-03-01T12:00:00Z');
const code = (expected: string) => expect.objectContaining({ code: expected });

let leaf: Certificate;
let nameless: Certificate;
beforeAll(async () => {
  const root = await createCertificateAuthority({ name: 'Root', now });
  const issue = async (names: object) => parseCertificate((await root.issue({ name: 'Leaf', ...names })).certificate);
  leaf = await issue({ dnsNames: ['Issuer.test', '*.wild.test'], uris: ['https://uri.test/tenant/1', 'urn:x'] });
  nameless = await issue({});
});

describe('verifyIssuerBinding', () => {
  it.each([
    'https://issuer.test',
    'https://issuer.test/',
    'https://issuer.test:8443/tenant/2',
    'https://uri.test/tenant/1',
    'urn:x',
  ])('VP:D8 VCI:V8 san: %s belongs to the certificate', (iss) => {
    expect(isIssuerInSan(iss, leaf)).toBe(true);
    expect(() => verifyIssuerBinding(iss, leaf, { policy: 'san' })).not.toThrow();
  });

  it.each([
    'https://other.test',
    'https://uri.test',
    'https://uri.test/tenant/1/',
    'https://uri.test/tenant/2',
    'https://a.wild.test',
    'https://*.wild.test',
    'https://sub.issuer.test',
    'https://issuer.test.evil.test',
    'https://evil.test@issuer.test/',
    'https://issuer.test\\@evil.test',
    'https:issuer.test',
    'https://issuer.te\tst',
    'did:web:issuer.test',
    'ftp://issuer.test',
    'issuer.test',
    '',
  ])('VP:D8 san: %j does not belong to the certificate', (iss) => {
    expect(() => verifyIssuerBinding(iss, leaf, { policy: 'san' })).toThrow(code('issuer_not_bound'));
    expect(() => verifyIssuerBinding(iss, nameless, { policy: 'san' })).toThrow(code('issuer_not_bound'));
  });

  it('VP:D8 allowlist: only listed issuers pass, and without iss the name in the certificate counts', () => {
    const binding = { policy: 'allowlist', issuers: ['https://a.test', 'https://uri.test/tenant/1'] } as const;
    expect(() => verifyIssuerBinding('https://a.test', nameless, binding)).not.toThrow();
    expect(() => verifyIssuerBinding(undefined, leaf, binding)).not.toThrow();
    expect(() => verifyIssuerBinding('https://b.test', leaf, binding)).toThrow(code('issuer_not_bound'));
    expect(() => verifyIssuerBinding(undefined, nameless, binding)).toThrow(code('issuer_not_bound'));
  });

  it('VP:D8 none: every iss passes', () => {
    expect(() => verifyIssuerBinding('https://other.test', nameless, { policy: 'none' })).not.toThrow();
  });

  it('VP:L6 without iss the certificate names the issuer', () => {
    expect(() => verifyIssuerBinding(undefined, leaf, { policy: 'san' })).not.toThrow();
  });
});

describe('issuerName', () => {
  it('VP:L6 is iss, else the SAN URI, else the subject', async () => {
    expect(issuerName('https://a.test', leaf)).toBe('https://a.test');
    expect(issuerName(undefined, leaf)).toBe('https://uri.test/tenant/1');
    expect(issuerName(undefined, nameless)).toBe('CN=Leaf');
    const subjectless = { ...nameless, subjectText: '' };
    const hosts = { dnsNames: ['a.test', 'b.test'], uris: [] };
    expect(issuerName(undefined, { ...subjectless, subjectAltName: hosts })).toBe('a.test');
    expect(issuerName(undefined, { ...subjectless, subjectAltName: { dnsNames: [], uris: [] } })).toBe('');
    const selfSigned = await createSelfSignedLeaf({ name: 'Only', now });
    expect(issuerName('', parseCertificate(selfSigned.certificate))).toBe('');
  });
});
