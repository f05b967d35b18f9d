import { generateKeyPairSync } from 'node:crypto';
import path from 'node:path';
import { createCertificateAuthority, createSelfSignedLeaf, toPem, type Authority } from '@vestibule/dev-pki';
import { verifyEs256 } from '@vestibule/crypto';
import { noDevice, readIssuerKey, readIssuerKeyOf } from '../../testing/issuer-key.fixture-spec';
import { ISSUER_URL, NOW } from '../../testing/issuer.fixture-spec';

const DAY = 86_400_000;
const later = (days: number) => new Date(NOW.getTime() + days * DAY);
const fault = (code: string) => expect.objectContaining({ code, kind: 'internal' });

let root: Authority;
let authority: Authority;
beforeAll(async () => {
  root = await createCertificateAuthority({ name: 'Root', now: NOW });
  authority = await root.issueAuthority({ name: 'CA' });
});

describe('readIssuerKey', () => {
  it('VCI:V2 signs with the key of its certificate, and shows the chain without the root', async () => {
    const leaf = await authority.issue({ name: 'Issuer', dnsNames: ['c.example.com'] });
    const key = readIssuerKeyOf(toPem([leaf.certificate, authority.certificate, root.certificate]), leaf.privateKey);
    const signer = key.signerAt(NOW);
    expect(signer.x5c).toEqual([leaf.certificate, authority.certificate].map((der) => der.toString('base64')));
    const input = Buffer.from('input');
    expect(verifyEs256(leaf.privateKey, input, await signer.sign(input))).toBe(true);
    expect(signer.certificateNotBefore).toEqual(later(-1));
  });

  it('VCI:V3 signs only while the certificate is valid, at each issuance', async () => {
    const leaf = await authority.issue({ name: 'Issuer', notBefore: later(-1), notAfter: later(1) });
    const key = readIssuerKeyOf(toPem([leaf.certificate, authority.certificate]), leaf.privateKey);
    expect(key.isValidAt(later(1))).toBe(true);
    expect(() => key.signerAt(later(1))).not.toThrow();
    expect(key.isValidAt(later(2))).toBe(false);
    expect(() => key.signerAt(later(2))).toThrow(fault('signing_certificate_expired'));
    expect(key.isValidAt(later(-2))).toBe(false);
    expect(() => key.signerAt(later(-2))).toThrow(fault('signing_certificate_not_yet_valid'));
  });

  it.each<[string, { dnsNames?: string[]; uris?: string[] }, boolean]>([
    ['its host', { dnsNames: ['c.example.com'] }, true],
    ['its URL', { uris: [ISSUER_URL] }, true],
    ['another host', { dnsNames: ['other.example.com'] }, false],
    ['a wildcard', { dnsNames: ['*.example.com'] }, false],
    ['nothing', {}, false],
  ])('VCI:V8 says whether the certificate names the issuer: %s', async (_what, names, expected) => {
    const leaf = await authority.issue({ name: 'Issuer', ...names });
    const key = readIssuerKeyOf(toPem([leaf.certificate, authority.certificate]), leaf.privateKey);
    expect(key.namesIssuer).toBe(expected);
  });
});

describe('readIssuerKey refuses at the start', () => {
  it('VCI:V3 a certificate that has expired or is not valid yet', async () => {
    const old = await authority.issue({ name: 'Issuer', notBefore: later(-9), notAfter: later(-1) });
    const read = () => readIssuerKeyOf(toPem([old.certificate, authority.certificate]), old.privateKey);
    expect(read).toThrow(fault('signing_certificate_expired'));
    const early = await authority.issue({ name: 'Issuer', notBefore: later(1) });
    const readEarly = () => readIssuerKeyOf(toPem([early.certificate, authority.certificate]), early.privateKey);
    expect(readEarly).toThrow(fault('signing_certificate_not_yet_valid'));
  });

  it('VCI:V3 a key that belongs to another certificate', async () => {
    const leaf = await authority.issue({ name: 'Issuer' });
    const other = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
    expect(() => readIssuerKeyOf(toPem(leaf.certificate), other)).toThrow(fault('signing_key_mismatch'));
  });

  it('VCI:V2 a self-signed leaf', async () => {
    const leaf = await createSelfSignedLeaf({ name: 'Issuer', now: NOW });
    const read = () => readIssuerKeyOf(toPem(leaf.certificate), leaf.privateKey);
    expect(read).toThrow(fault('signing_certificate_self_signed'));
  });

  it('VCI:V3 certificates that are no chain', async () => {
    const leaf = await authority.issue({ name: 'Issuer' });
    const stranger = await root.issueAuthority({ name: 'Another CA' });
    const read = () => readIssuerKeyOf(toPem([leaf.certificate, stranger.certificate]), leaf.privateKey);
    expect(read).toThrow(fault('signing_chain_invalid'));
  });

  it('VCI:V1 a key on another curve', async () => {
    const leaf = await authority.issue({ name: 'Issuer', keyType: 'P-384' });
    expect(() => readIssuerKeyOf(toPem(leaf.certificate), leaf.privateKey)).toThrow(fault('signing_key_not_p256'));
  });

  it.each([
    ['no PEM', 'canary-key'],
    ['an empty text', ''],
    ['a broken PEM', '-----BEGIN PRIVATE KEY-----\ncanary-key\n-----END PRIVATE KEY-----\n'],
  ])('a key that is %s, without repeating it', async (_what, pem) => {
    const leaf = await authority.issue({ name: 'Issuer' });
    const read = () => readIssuerKeyOf(toPem(leaf.certificate), pem);
    expect(read).toThrow(fault('signing_key_not_p256'));
    expect(read).toThrow(expect.objectContaining({ message: expect.not.stringContaining('canary-key') }));
  });

  it('a key that does not fit, naming the file of its certificate', async () => {
    const [leaf, other] = [await authority.issue({ name: 'Issuer' }), await authority.issue({ name: 'Other' })];
    const read = () => readIssuerKeyOf(toPem(leaf.certificate), other.privateKey);
    expect(read).toThrow(/^signing_key_mismatch: \/.*\.pem: the signing key /);
  });

  it('a key with a passphrase', async () => {
    const { certificate, privateKey } = await authority.issue({ name: 'Issuer' });
    const options = { type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'secret' } as const;
    const pem = privateKey.export(options).toString();
    expect(() => readIssuerKeyOf(toPem(certificate), pem)).toThrow(fault('signing_key_not_p256'));
  });

  it('a certificate file without certificate, and one that is not there, by its name', async () => {
    const { privateKey } = await authority.issue({ name: 'Issuer' });
    expect(() => readIssuerKeyOf('', privateKey)).toThrow(fault('certificate_file_invalid'));
    const certificateFile = path.join(__dirname, 'no-such-file.pem');
    const read = () =>
      readIssuerKey({ certificateFile, key: toPem(privateKey), openKey: noDevice, now: NOW, issuerUrl: ISSUER_URL });
    expect(read).toThrow(fault('certificate_file_invalid'));
    expect(read).toThrow(expect.objectContaining({ detail: expect.stringContaining(certificateFile) }));
  });
});
