import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createCertificateAuthority, toPem } from '@vestibule/dev-pki';
import { createTestDatabase, createTestNats, ensurePkiFiles } from '@vestibule/dev-stack';
import { runMigrations } from '@vestibule/persistence';
import { examine } from '@vestibule/process';
import { ISSUER_DATABASE } from './adapters/postgres/database';
import { ISSUER_CHECKS } from './checks';
import { issuerConfiguration } from './config';

jest.setTimeout(180_000);

type Environment = Readonly<Record<string, string>>;

const folder = mkdtempSync(path.join(tmpdir(), 'vestibule-doctor-'));
const closers: (() => Promise<unknown> | void)[] = [() => rmSync(folder, { recursive: true })];
const quiet = () => undefined;
const logger = { debug: quiet, info: quiet, warn: quiet, error: quiet };
const write = (name: string, text: string): string => {
  const file = path.join(folder, name);
  writeFileSync(file, text);
  return file;
};
const typesWith = (name: string, document: string): Environment => {
  mkdirSync(path.join(folder, name));
  write(path.join(name, 'pass.json'), document);
  return { TYPE_METADATA_FOLDER: path.join(folder, name) };
};
const PASS = { claims: [{ path: ['given_name'], sd: 'always' }], display: [{ locale: 'en', name: 'Pass' }] };
let sound: Environment;

beforeAll(async () => {
  const database = await createTestDatabase();
  closers.push(() => database.drop());
  const nats = await createTestNats();
  closers.push(() => nats.stop());
  await ensurePkiFiles(folder, ['https://issuer.example'], new Date());
  await runMigrations({ ...ISSUER_DATABASE, url: database.urls.issuer, applicationName: 'doctor test', logger });
  sound = {
    NATS_URL: nats.url,
    DATABASE_URL: database.urls.issuer,
    SEALING_KEYS: randomBytes(32).toString('base64url'),
    CALLBACK_URL: 'http://127.0.0.1:9/callbacks',
    ISSUER_URL: 'https://issuer.example',
    ISSUER_CERTIFICATE_FILE: path.join(folder, 'issuer.pem'),
    ISSUER_KEY_FILE: path.join(folder, 'issuer-key.pem'),
    ...typesWith('types', JSON.stringify(PASS)),
  };
});
afterAll(async () => {
  for (const close of closers.reverse()) await close();
});

async function codesOf(environment: Environment) {
  const options = { configuration: issuerConfiguration, checks: ISSUER_CHECKS };
  const results = await examine(options, environment, () => new Date());
  return results.flatMap(({ check, code, remedy }) => (code === undefined ? [] : [`${check}: ${code}`, remedy ?? '']));
}

describe('vestibule doctor, of an issuer', () => {
  it('finds nothing but what is planted', async () => {
    const found = await codesOf(sound);
    expect(found.filter((text) => /^(?!postgres: database_not_durable|callbacks: )[a-z ]+: /.test(text))).toEqual([]);
  });

  it.each<[string, () => Environment | Promise<Environment>, string, RegExp]>([
    [
      'a certificate without ISSUER_URL',
      async () => {
        const authority = await createCertificateAuthority({ name: 'Other', now: new Date() });
        const leaf = await authority.issue({ name: 'x', dnsNames: ['other.example'], keyUsages: ['digitalSignature'] });
        return {
          ISSUER_CERTIFICATE_FILE: write('other.pem', toPem(leaf.certificate)),
          ISSUER_KEY_FILE: write('other-key.pem', toPem(leaf.privateKey)),
        };
      },
      'issuer certificate: issuer_name_missing',
      /ISSUER_URL as a URI/,
    ],
    [
      'the key of another certificate',
      () => ({ ISSUER_KEY_FILE: path.join(folder, 'verifier-key.pem') }),
      'issuer certificate: signing_key_mismatch',
      /leaf certificate first/,
    ],
    [
      'a credential type that is not JSON',
      () => typesWith('broken', '{'),
      'credential types: type_metadata_invalid',
      /./,
    ],
    [
      'an access key that is the key of a retired issuer certificate',
      async () => {
        const authority = await createCertificateAuthority({ name: 'Other', now: new Date() });
        const leaf = await authority.issue({ name: 'x', dnsNames: ['other.example'], keyUsages: ['digitalSignature'] });
        mkdirSync(path.join(folder, 'retired'));
        return {
          RETIRED_ISSUER_CERTIFICATES_FOLDER: path.join(folder, 'retired'),
          ISSUER_ACCESS_CERTIFICATE_FILE: write('retired/old.pem', toPem(leaf.certificate)),
          ISSUER_ACCESS_KEY_FILE: write('retired/old-key.pem', toPem(leaf.privateKey)),
        };
      },
      'settings: issuer_access_key_invalid',
      /./,
    ],
    [
      'attestations that nobody is trusted for',
      () => ({ WALLET_ATTESTATION: 'required' }),
      'settings: attestation_trust_missing',
      /ATTESTATION_TRUST_FILE/,
    ],
  ])('finds %s, and says what to do', async (_what, plant, code, remedy) => {
    const found = await codesOf({ ...sound, ...(await plant()) });
    expect(found).toContain(code);
    expect(found[found.indexOf(code) + 1]).toMatch(remedy);
  });
});
