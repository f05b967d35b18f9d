import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createCertificateAuthority, toPem, type Authority } from '@vestibule/dev-pki';
import {
  createTestDatabase,
  createTestNats,
  ensurePkiFiles,
  findProgram,
  readTestEnvironment,
  startNatsServer,
  type TestDatabase,
  type TestNats,
} from '@vestibule/dev-stack';
import { runMigrations } from '@vestibule/persistence';
import { databaseFaults, examine, HOST_CHECKS, natsFaults, type Check, type CheckResult } from '@vestibule/process';
import { Client } from 'pg';
import { VERIFIER_DATABASE } from '../adapters/postgres/database';
import { VERIFIER_CHECKS } from '../checks';
import { verifierConfiguration } from '../config';

export type Environment = Readonly<Record<string, string>>;

export const CANARY = 'canary-secret-0123456789abcdef';
export const DAY_MILLISECONDS = 86_400_000;
export const natsBinary = findProgram('nats-server', readTestEnvironment().searchPath);

export const folder = mkdtempSync(path.join(tmpdir(), 'vestibule-doctor-'));
export const closers: (() => Promise<unknown> | void)[] = [() => rmSync(folder, { recursive: true })];
export let database: TestDatabase;
export let other: TestDatabase;
export let nats: TestNats;
export let backend: Server;
let authority: Authority;
export let sound: Environment;

export const write = (name: string, text: string): string => {
  const file = path.join(folder, name);
  writeFileSync(file, text);
  return file;
};
export const read = (name: string) => readFileSync(path.join(folder, name), 'utf8');
export const portOf = (server: Server) => (server.address() as AddressInfo).port;
const quiet = () => undefined;
export const logger = { debug: quiet, info: quiet, warn: quiet, error: quiet };

export async function sql(text: string, to = database): Promise<void> {
  const client = new Client({ connectionString: to.adminUrl });
  await client.connect();
  try {
    await client.query(text);
  } finally {
    await client.end();
  }
}

/** What the test servers are like, whose data nobody needs. */
const OF_THE_TEST_SERVER = ['database_not_durable', 'database_connections_short'];

export async function findings(environment: Environment, checks: readonly Check<never>[] = VERIFIER_CHECKS) {
  const results = await examine(
    {
      configuration: verifierConfiguration,
      findFaults: (values) => [...natsFaults(values), ...databaseFaults(values)],
      checks: [...checks, ...HOST_CHECKS] as typeof VERIFIER_CHECKS,
    },
    environment,
    () => new Date(),
  );
  expect(JSON.stringify(results)).not.toContain(CANARY);
  return results;
}

export const troubles = (results: readonly CheckResult[]) =>
  results.filter(({ level, code = '' }) => level !== 'ok' && !OF_THE_TEST_SERVER.includes(code));

/** Starts what a sound installation needs. */
export async function openInstallation(): Promise<void> {
  database = await createTestDatabase();
  closers.push(() => database.drop());
  other = await createTestDatabase();
  closers.push(() => other.drop());
  nats = await createTestNats();
  closers.push(() => nats.stop());
  backend = createServer((_request, response) => response.end()).listen(0, '127.0.0.1');
  closers.push(() => void backend.close());
  authority = await createCertificateAuthority({ name: 'Planted', now: new Date() });
  await ensurePkiFiles(folder, ['https://connector.example'], new Date());
  await runMigrations({ ...VERIFIER_DATABASE, url: database.urls.verifier, applicationName: 'doctor test', logger });
  sound = {
    NATS_URL: nats.url,
    DATABASE_URL: database.urls.verifier,
    SEALING_KEYS: randomBytes(32).toString('base64url'),
    CALLBACK_URL: `http://127.0.0.1:${portOf(backend)}/callbacks`,
    CALLBACK_SECRETS: `whsec_${randomBytes(32).toString('base64')}`,
    ACCESS_CERTIFICATE_FILE: path.join(folder, 'verifier.pem'),
    ACCESS_KEY_FILE: path.join(folder, 'verifier-key.pem'),
    TRUST_FILE: path.join(folder, 'trust.json'),
    BASE_URL: 'https://connector.example',
  };
}
/** Stops everything, also what tests have planted. */
export async function closeInstallation(): Promise<void> {
  for (const close of closers.reverse()) await close();
}

export const trustOf = (name: string, trust: object): Environment => ({
  TRUST_FILE: write(name, JSON.stringify(trust)),
});
const lastingUntil = async (days: number) => {
  const notAfter = new Date(Date.now() + days * DAY_MILLISECONDS);
  const notBefore = new Date(Date.now() - 400 * DAY_MILLISECONDS);
  return authority.issue({
    name: 'access',
    dnsNames: ['connector.example'],
    keyUsages: ['digitalSignature'],
    notBefore,
    notAfter,
  });
};
export async function accessCertificate(name: string, days: number): Promise<Environment> {
  const { certificate, privateKey } = await lastingUntil(days);
  return {
    ACCESS_CERTIFICATE_FILE: write(`${name}.pem`, toPem(certificate)),
    ACCESS_KEY_FILE: write(`${name}-key.pem`, toPem(privateKey)),
  };
}
export async function natsWith(configuration: string, user = ''): Promise<Environment> {
  const server = await startNatsServer(natsBinary ?? '', [
    '-c',
    write(`nats-${randomBytes(4).toString('hex')}.conf`, `listen: "127.0.0.1:-1"\n${configuration}`),
  ]);
  closers.push(() => server.stop());
  return { NATS_URL: `nats://${user}127.0.0.1:${new URL(server.url).port}` };
}
export const inDatabase = (name: 'pathname' | 'password' | 'username' | 'search', value: string): Environment => {
  const url = new URL(sound['DATABASE_URL'] ?? '');
  url[name] = value;
  return { DATABASE_URL: url.href };
};
/** Sessions start with these settings, for instance `jit=on`. */
export const withOption = (...options: readonly string[]): Environment =>
  inDatabase('search', `?options=${options.map((option) => `-c%20${encodeURIComponent(option)}`).join('%20')}`);
/** Postgres answers with a function that stands in for one of its own; sessions start with these settings. */
export async function withFunction(
  signature: string,
  result: string,
  ...options: readonly string[]
): Promise<Environment> {
  const schema = `planted_${randomBytes(4).toString('hex')}`;
  await sql(`CREATE SCHEMA ${schema}; CREATE FUNCTION ${schema}.${signature} LANGUAGE sql AS $$SELECT ${result}$$;
    GRANT USAGE ON SCHEMA ${schema} TO public`);
  return withOption(`search_path=${schema},pg_catalog`, ...options);
}
export const closedPort = () =>
  new Promise<number>((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const port = portOf(server);
      server.close(() => resolve(port));
    });
  });
