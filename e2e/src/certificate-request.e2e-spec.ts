import { execFile, execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createCertificateAuthority, createPrivateKeyOf, toPem } from '@vestibule/dev-pki';
import { environmentOfRun } from '@vestibule/dev-stack';
import { createSoftHsm, describeWithSoftHsm } from '@vestibule/testkit';
import { joinStage, type SharedStage } from './stage';

const PROGRAM = path.resolve(__dirname, '../../dist/apps/cli/main.js');
type Environment = Readonly<Record<string, string>>;

// eslint-disable-next-line no-restricted-properties -- where node is
const { PATH } = process.env;
const SUBJECT = 'CN=Shop, O=Shop\\, Inc., organizationIdentifier=VATDE-123456789, C=DE';

const folder = mkdtempSync(path.join(tmpdir(), 'vestibule-csr-'));
const fileOf = (name: string, content?: string): string => {
  const file = path.join(folder, name);
  if (content !== undefined) writeFileSync(file, content, { mode: 0o600 });
  return file;
};

interface Ended {
  readonly code: number;
  readonly out: string;
  readonly said: string;
}

function vestibule(argv: readonly string[], environment: Environment): Promise<Ended> {
  const env = { PATH, ...environmentOfRun(), ...environment };
  return new Promise((resolve) => {
    execFile(PROGRAM, [...argv], { env }, (error, out, said) =>
      resolve({ code: typeof error?.code === 'number' ? error.code : error ? -1 : 0, out, said }),
    );
  });
}

let stage: SharedStage;
beforeAll(async () => {
  stage = await joinStage();
  const authority = await createCertificateAuthority({ name: 'Requests CA', now: new Date() });
  fileOf('ca.pem', toPem(authority.certificate));
  fileOf('ca-key.pem', toPem(authority.privateKey));
});
afterAll(async () => {
  await stage?.stop();
  rmSync(folder, { recursive: true });
});

const services = (): Readonly<Record<'verifier' | 'issuer', Environment>> => {
  const { baseUrl, issuerUrl, managementUrl, files } = stage.stack;
  const all = { NATS_URL: stage.natsUrl, SEALING_KEYS: files.secrets.sealingKey, CALLBACK_URL: managementUrl };
  const { verifier, issuer } = stage.database.urls;
  const [trust, types] = ['trust.json', 'types'].map((name) => path.join(files.folder, name)) as [string, string];
  return {
    verifier: { ...all, DATABASE_URL: verifier, BASE_URL: baseUrl, TRUST_FILE: trust },
    issuer: { ...all, DATABASE_URL: issuer, ISSUER_URL: issuerUrl, TYPE_METADATA_FOLDER: types },
  };
};

const SETTINGS = {
  verifier: { use: 'access', prefix: 'ACCESS', check: 'access certificate' },
  issuer: { use: 'issuer', prefix: 'ISSUER', check: 'issuer certificate' },
} as const;

/** An authority that copies what was asked for. OpenSSL verifies the request on the way. */
function certify(request: string, name: string): string {
  const file = fileOf(`${name}.csr`, request);
  const shown = execFileSync('openssl', ['req', '-in', file, '-verify', '-noout', '-subject'], { stdio: 'pipe' });
  expect(shown.toString()).toContain('organizationIdentifier = VATDE-123456789');
  const certificate = fileOf(`${name}.pem`);
  const authority = ['-CA', fileOf('ca.pem'), '-CAkey', fileOf('ca-key.pem'), '-set_serial', '77', '-days', '365'];
  const argv = ['x509', '-req', '-in', file, ...authority, '-copy_extensions', 'copyall', '-out', certificate];
  execFileSync('openssl', argv, { stdio: 'pipe' });
  return certificate;
}

/** Asks for a certificate, has it issued, and lets the doctor read it with the key as the service would. */
async function obtain(service: 'verifier' | 'issuer', keyFile: string, more: Environment = {}): Promise<void> {
  const { use, prefix, check } = SETTINGS[service];
  // The certificate does not exist yet.
  const certificate = { [`${prefix}_CERTIFICATE_FILE`]: fileOf('nowhere.pem') };
  const environment = { ...services()[service], ...more, ...certificate, [`${prefix}_KEY_FILE`]: keyFile };
  const names = service === 'verifier' ? ['--uri', 'https://shop.example/help'] : [];
  const asked = await vestibule(['csr', service, '--for', use, '--subject', SUBJECT, ...names], environment);
  expect([asked.code, asked.said]).toEqual([0, '']);
  expect(asked.out).toMatch(/^-----BEGIN CERTIFICATE REQUEST-----\n[^]*\n-----END CERTIFICATE REQUEST-----\n$/);
  const issued = { [`${prefix}_CERTIFICATE_FILE`]: certify(asked.out, path.basename(keyFile)) };
  const looked = await vestibule(['doctor', service], { ...environment, ...issued });
  expect(looked.out.split('\n')).toContain(`ok\t${check}\t-\tnothing to say\t-`);
}

describe('20.2 vestibule csr', () => {
  it.each(['verifier', 'issuer'] as const)(
    'asks for a certificate of the %s, which works with its key',
    async (service) => {
      const keyFile = fileOf(`${service}-key.pem`, toPem(createPrivateKeyOf('P-256')));
      await obtain(service, keyFile);
    },
    120_000,
  );

  it('asks for another key of a rotation, and prints nothing of any key', async () => {
    const [current, next] = ['current', 'next'].map((name) => fileOf(name, toPem(createPrivateKeyOf('P-256'))));
    const certificate = { ACCESS_CERTIFICATE_FILE: fileOf('nowhere.pem'), ACCESS_KEY_FILE: current as string };
    const environment = { ...services().verifier, ...certificate };
    const argv = ['csr', 'verifier', '--for', 'access', '--subject', SUBJECT];
    const outputs = await Promise.all([
      vestibule(argv, environment),
      vestibule([...argv, '--key-file', next as string], environment),
      vestibule([...argv, '--key-file', fileOf('broken', 'canary')], environment),
      vestibule([...argv, '--key-file', fileOf('nowhere')], environment),
      vestibule([...argv, '--dns', '-canary-'], environment),
      vestibule(argv, { ...environment, DATABASE_URL: '' }),
    ]);
    expect(outputs.map(({ code }) => code)).toEqual([0, 0, 1, 2, 2, 2]);
    expect(outputs.map(({ said }) => /\[(\w+)\]\n$/.exec(said)?.[1])).toEqual([
      undefined,
      undefined,
      'signing_key_not_p256',
      'command_invalid',
      'command_invalid',
      undefined,
    ]);
    expect(outputs[0]?.out).not.toBe(outputs[1]?.out);
    const secret = [current, next].map((file) => readFileSync(file as string, 'utf8').split('\n')[1] ?? '');
    const all = outputs.map(({ out, said }) => out + said).join('');
    for (const text of [...secret, 'canary', 'PRIVATE']) expect(all).not.toContain(text);
  }, 120_000);
});

describeWithSoftHsm('20.2 vestibule csr for a key in a PKCS#11 device', () => {
  it('asks for a certificate, which works with the key that never left the device', async () => {
    const hsm = createSoftHsm();
    try {
      hsm.importKey(toPem(createPrivateKeyOf('P-256')), 'next-access', '01');
      const description = fileOf('hsm.json', hsm.describe('next-access'));
      await obtain('verifier', description, hsm.environment);
    } finally {
      hsm.remove();
    }
  }, 120_000);
});
