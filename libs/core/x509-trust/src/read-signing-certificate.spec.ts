import {
  createCertificateAuthority,
  createPrivateKeyOf,
  createSelfSignedLeaf,
  toPem,
  type Authority,
} from '@vestibule/dev-pki';
import { readSigningCertificate, requireMaySignAt, type SigningPems } from './index';

const now = new Date('2026-03-01T12:00:00Z');
const days = (count: number) => new Date(now.getTime() + count * 86_400_000);
const code = (expected: string) => expect.objectContaining({ code: expected, kind: 'internal' });

let root: Authority;
let intermediate: Authority;
beforeAll(async () => {
  root = await createCertificateAuthority({ name: 'Root', now });
  intermediate = await root.issueAuthority({ name: 'CA', notBefore: days(-100), notAfter: days(100) });
});

const read = (certificatePem: string, keyPem: string, more: Partial<SigningPems> = {}) =>
  readSigningCertificate({ certificatePem, keyPem, allowSelfSigned: false, ...more });

describe('readSigningCertificate', () => {
  it('VP:A2 VP:A5 gives the chain without the root, and the key of the leaf', async () => {
    const leaf = await intermediate.issue({ name: 'Leaf' });
    const pem = toPem([leaf.certificate, intermediate.certificate, root.certificate]);
    const { certificate, key } = read(pem, toPem(leaf.privateKey));
    expect(certificate.x5c).toEqual([leaf, intermediate].map((each) => each.certificate.toString('base64')));
    expect(key.equals(leaf.privateKey)).toBe(true);
  });

  it.each([
    ['has ended', -20, -10, 'signing_certificate_expired'],
    ['has not begun', 10, 20, 'signing_certificate_not_yet_valid'],
  ])('VP:A4 reads a certificate that %s, which may not sign', async (_title, from, to, fault) => {
    const leaf = await intermediate.issue({ name: 'Leaf', notBefore: days(from), notAfter: days(to) });
    const pem = toPem([leaf.certificate, intermediate.certificate, root.certificate]);
    const { certificate } = read(pem, toPem(leaf.privateKey));
    expect([certificate.notBefore, certificate.notAfter]).toEqual([days(from), days(to)]);
    expect(() => requireMaySignAt(certificate, now)).toThrow(code(fault));
  });

  it('VP:A4 refuses a chain that is valid at no time', async () => {
    const leaf = await intermediate.issue({ name: 'Leaf', notBefore: days(101), notAfter: days(120) });
    const pem = toPem([leaf.certificate, intermediate.certificate]);
    expect(() => read(pem, toPem(leaf.privateKey))).toThrow(code('signing_certificate_expired'));
  });

  it('VP:A1 refuses a self-signed leaf, except where it is allowed', async () => {
    const { certificate, privateKey } = await createSelfSignedLeaf({ name: 'Self', now });
    const pems = [toPem(certificate), toPem(privateKey)] as const;
    expect(() => read(...pems)).toThrow(code('signing_certificate_self_signed'));
    expect(read(...pems, { allowSelfSigned: true }).certificate.x5c).toEqual([certificate.toString('base64')]);
  });

  it('VP:A3 refuses a key that is not the leaf’s, is on another curve or cannot be read, and never shows it', async () => {
    const leaf = await intermediate.issue({ name: 'Leaf' });
    const pem = toPem([leaf.certificate, intermediate.certificate]);
    expect(() => read(pem, toPem(createPrivateKeyOf('P-256')))).toThrow(code('signing_key_mismatch'));
    expect(() => read(pem, toPem(createPrivateKeyOf('P-384')))).toThrow(code('signing_key_not_p256'));
    expect(() => read(pem, 'canary')).toThrow(code('signing_key_not_p256'));
    expect(() => read(pem, 'canary')).toThrow(
      expect.objectContaining({ detail: expect.not.stringContaining('canary') }),
    );
  });

  it('refuses a text without certificate', async () => {
    const { privateKey } = await intermediate.issue({ name: 'Leaf' });
    expect(() => read('nothing', toPem(privateKey))).toThrow(code('certificate_file_invalid'));
  });
});
