import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createCertificateAuthority, toPem } from '@vestibule/dev-pki';
import { databaseFaults } from './database-variables';

const TLS = 'postgres://role:canary@host/d?sslmode=verify-full';
const PLAIN = 'postgres://role:canary@host/d';

describe('the variables of Postgres', () => {
  let folder: string;
  let certificate: string;
  beforeAll(async () => {
    folder = mkdtempSync(path.join(tmpdir(), 'vestibule-ca-'));
    certificate = toPem((await createCertificateAuthority({ name: 'of Postgres', now: new Date() })).certificate);
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const fileWith = (text: string): string => {
    const file = path.join(folder, 'ca.pem');
    writeFileSync(file, text);
    return file;
  };
  const faults = (given: { url?: string; migrationUrl?: string; file?: string | undefined }) =>
    databaseFaults({
      databaseUrl: given.url ?? TLS,
      migrationDatabaseUrl: given.migrationUrl,
      databaseCaFile: given.file,
    });

  it('need no file of authorities', () => {
    expect(faults({})).toEqual([]);
    expect(faults({ url: PLAIN })).toEqual([]);
  });

  it('may name one or several authorities', () => {
    expect(faults({ file: fileWith(certificate) })).toEqual([]);
    expect(faults({ file: fileWith(`# ours\n${certificate}${certificate}`), migrationUrl: TLS })).toEqual([]);
  });

  it.each<[string, () => Parameters<typeof faults>[0]]>([
    ['for a URL without TLS', () => ({ url: PLAIN, file: fileWith(certificate) })],
    ['where migrations go without TLS', () => ({ migrationUrl: PLAIN, file: fileWith(certificate) })],
    ['that is not there', () => ({ file: path.join(folder, 'nothing.pem') })],
    ['without a certificate', () => ({ file: fileWith('') })],
    ['with a broken certificate', () => ({ file: fileWith(certificate.replace('MII', 'AAA')) })],
    ['with a broken second certificate', () => ({ file: fileWith(certificate + certificate.replace('MII', 'AAA')) })],
  ])('must not name a file %s', (_what, given) => {
    const found = faults(given());
    expect(found).toMatchObject([{ path: 'DATABASE_CA_FILE' }]);
    expect(JSON.stringify(found)).not.toContain('canary');
  });
});
