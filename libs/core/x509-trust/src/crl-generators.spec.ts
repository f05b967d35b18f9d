import { execFileSync, spawnSync } from 'node:child_process';
import { webcrypto } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { CRLDistributionPointsExtension, X509CrlGenerator, X509CrlReason } from '@peculiar/x509';
import { createCertificateAuthority, toPem, type Authority } from '@vestibule/dev-pki';
import { at, now } from './crl.fixture-spec';
import { findRevocation, isRevoked, parseCertificate, parseCrl, verifyCrl, type Certificate } from './index';

const hasOpenSsl = spawnSync('openssl', ['version']).status === 0;
const code = (expected: string) => expect.objectContaining({ code: expected });

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

describe('a list that @peculiar/x509 made', () => {
  let root: Authority;
  let issuer: Certificate;
  let leaves: Certificate[];
  beforeAll(async () => {
    root = await createCertificateAuthority({ name: 'Root', now });
    issuer = parseCertificate(root.certificate);
    const issued = await Promise.all(['A', 'B', 'C'].map((name) => root.issue({ name })));
    leaves = issued.map(({ certificate }) => parseCertificate(certificate));
  });

  async function generate(entries: readonly { serialNumber: string; reason?: X509CrlReason }[]): Promise<Buffer> {
    const algorithm = { name: 'ECDSA', namedCurve: 'P-256' };
    const pkcs8 = root.privateKey.export({ type: 'pkcs8', format: 'der' });
    const signingKey = await webcrypto.subtle.importKey('pkcs8', pkcs8, algorithm, false, ['sign']);
    const signingAlgorithm = { name: 'ECDSA', hash: 'SHA-256' };
    const times = { thisUpdate: at(-1), nextUpdate: at(1) };
    const named = entries.map((entry) => ({ ...entry, revocationDate: at(-2) }));
    const crl = await X509CrlGenerator.create(
      { issuer: 'CN=Root', ...times, entries: named, signingKey, signingAlgorithm },
      webcrypto,
    );
    return Buffer.from(crl.rawData);
  }

  it('VP:N11 is read and verified, and names exactly the certificates that were revoked', async () => {
    const [a, b, c] = leaves as [Certificate, Certificate, Certificate];
    const crl = parseCrl(
      await generate([
        { serialNumber: hex(a.serialNumber) },
        { serialNumber: hex(b.serialNumber), reason: X509CrlReason.keyCompromise },
      ]),
    );
    expect(() => verifyCrl(crl, issuer, now)).not.toThrow();
    expect([a, b, c].map(({ serialNumber }) => isRevoked(crl, serialNumber))).toEqual([true, true, false]);
    expect(findRevocation(crl, b.serialNumber)).toEqual({ reason: 'keyCompromise' });
    expect([crl.thisUpdate, crl.nextUpdate]).toEqual([at(-1), at(1)]);
  });

  it('VP:N11 names nothing when nothing is revoked', async () => {
    const crl = parseCrl(await generate([]));
    expect(() => verifyCrl(crl, issuer, now)).not.toThrow();
    expect(leaves.some(({ serialNumber }) => isRevoked(crl, serialNumber))).toBe(false);
  });

  it('VP:N11 distribution points that it wrote are read', async () => {
    const uris = ['http://a.test/1.crl', 'https://b.test/1.crl'];
    const { type, critical, value } = new CRLDistributionPointsExtension(uris);
    const extensions = [{ oid: type, critical, value: new Uint8Array(value) }];
    const { certificate } = await root.issue({ name: 'Leaf', extensions });
    expect(parseCertificate(certificate).crlDistributionPoints).toEqual(uris);
  });
});

(hasOpenSsl ? describe : describe.skip)('a list that OpenSSL made', () => {
  let folder: string;
  let root: Authority;
  let issuer: Certificate;
  const inFolder = (name: string): string => path.join(folder, name);
  const CONFIGURATION = [
    '[ca]',
    'default_ca=vestibule',
    '[vestibule]',
    'database=index.txt',
    'crlnumber=crlnumber',
    'default_md=sha256',
    'default_crl_days=30',
    'crl_extensions=plain',
    '[plain]',
    'authorityKeyIdentifier=keyid',
    '[point]',
    'issuingDistributionPoint=critical,@scope',
    '[scope]',
    'fullname=URI:http://a.test/1.crl',
    'onlyuser=TRUE',
    '[indirect]',
    'issuingDistributionPoint=critical,@all',
    '[all]',
    'indirectCRL=TRUE',
    '',
  ].join('\n');

  const openssl = (...args: string[]): Buffer => execFileSync('openssl', args, { cwd: folder, stdio: 'pipe' });

  /** A list of the database, DER; made now by OpenSSL's own clock. */
  function generate(...args: string[]): Buffer {
    const signer = ['-keyfile', 'key.pem', '-cert', 'root.pem'];
    openssl('ca', '-config', 'ca.cnf', '-gencrl', ...signer, '-out', 'crl.pem', ...args);
    openssl('crl', '-in', 'crl.pem', '-outform', 'DER', '-out', 'crl.der');
    return readFileSync(inFolder('crl.der'));
  }

  function verdictOfOpenSsl(leaf: Buffer): boolean {
    writeFileSync(inFolder('leaf.pem'), toPem(leaf));
    const args = ['verify', '-crl_check', '-CAfile', 'root.pem', '-CRLfile', 'crl.pem', 'leaf.pem'];
    return spawnSync('openssl', args, { cwd: folder }).status === 0;
  }

  beforeAll(async () => {
    folder = mkdtempSync(path.join(tmpdir(), 'vestibule-crl-'));
    root = await createCertificateAuthority({ name: 'Root', now: new Date() });
    issuer = parseCertificate(root.certificate);
    writeFileSync(inFolder('ca.cnf'), CONFIGURATION);
    writeFileSync(inFolder('root.pem'), toPem(root.certificate));
    writeFileSync(inFolder('key.pem'), toPem(root.privateKey));
    writeFileSync(inFolder('index.txt'), '');
    writeFileSync(inFolder('crlnumber'), '1000\n');
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('VP:N11 is read and verified, and OpenSSL says the same of every certificate', async () => {
    const names = ['revoked', 'good', 'held'];
    const leaves = await Promise.all(names.map(async (name) => (await root.issue({ name })).certificate));
    for (const [index, reason] of [
      [0, 'keyCompromise'],
      [2, 'certificateHold'],
    ] as const) {
      writeFileSync(inFolder('revoke.pem'), toPem(leaves[index] as Buffer));
      const signer = ['-keyfile', 'key.pem', '-cert', 'root.pem'];
      openssl('ca', '-config', 'ca.cnf', '-revoke', 'revoke.pem', '-crl_reason', reason, ...signer);
    }
    const crl = parseCrl(generate());
    expect(() => verifyCrl(crl, issuer, new Date())).not.toThrow();
    const found = leaves.map((leaf) => findRevocation(crl, parseCertificate(leaf).serialNumber)?.reason);
    expect(found).toEqual(['keyCompromise', undefined, 'certificateHold']);
    expect(leaves.map((leaf) => isRevoked(crl, parseCertificate(leaf).serialNumber))).toEqual([true, false, true]);
    expect(leaves.map(verdictOfOpenSsl)).toEqual([false, true, false]);
  });

  it('VP:N11 with an issuing distribution point is read, and an indirect one is refused', () => {
    expect(parseCrl(generate('-crlexts', 'point')).scope).toEqual({
      onlyUserCertificates: true,
      onlyCaCertificates: false,
      distributionPoint: ['http://a.test/1.crl'],
    });
    expect(() => parseCrl(generate('-crlexts', 'indirect'))).toThrow(code('crl_unsupported'));
  });

  it('VP:N11 with SHA-1 is not accepted', () => {
    const crl = parseCrl(generate('-md', 'sha1'));
    expect(() => verifyCrl(crl, issuer, new Date())).toThrow(code('crl_invalid'));
  });
});
