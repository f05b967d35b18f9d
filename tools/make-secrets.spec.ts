import { execFileSync, spawnSync } from 'node:child_process';
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { findProgram, readTestEnvironment } from '@vestibule/dev-stack';

const { searchPath = '' } = readTestEnvironment();
const withOpenssl = findProgram('openssl', searchPath) === undefined ? describe.skip : describe;

withOpenssl('deploy/make-secrets.sh', () => {
  let folder: string;
  let script: string;
  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'vestibule-secrets-'));
    script = path.join(folder, 'make-secrets.sh');
    copyFileSync(path.join(__dirname, '../deploy/make-secrets.sh'), script);
    run();
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const run = (...parameters: string[]): string =>
    execFileSync('sh', [script, ...parameters], { env: { PATH: searchPath }, stdio: 'pipe' }).toString();
  const file = (name: string): string => path.join(folder, 'secrets', name);
  const read = (name: string): string => readFileSync(file(name), 'utf8');

  it('keeps what is there, in a folder that is closed to others', () => {
    expect(run()).toBe('');
    expect(statSync(path.join(folder, 'secrets')).mode & 0o777).toBe(0o700);
  });

  it('tells NATS a password that was made anew, and keeps the others', () => {
    const [before, verifier] = [read('gateway_nats_password'), read('verifier_nats_password')];
    rmSync(file('gateway_nats_password'));
    run();
    const lines = read('nats_passwords').split('\n');
    expect(read('gateway_nats_password')).not.toBe(before);
    expect(lines).toContain(`GATEWAY_NATS_PASSWORD: "${read('gateway_nats_password')}"`);
    expect(lines).toContain(`VERIFIER_NATS_PASSWORD: "${verifier}"`);
  });

  it.each(['nats_key', 'nats_ca'])('says what to do when only %s is missing', (name) => {
    rmSync(file(name));
    const { status, stderr } = spawnSync('sh', [script], { env: { PATH: searchPath }, encoding: 'utf8' });
    expect([status, stderr]).toEqual([1, expect.stringContaining(`secrets/${name} is missing`)]);
    rmSync(file('nats_certificate'));
    run();
    expect(read(name)).toContain('-----BEGIN');
  });

  it('lets containers read what they mount of a checkout that was cloned with a strict umask', () => {
    writeFileSync(path.join(folder, 'postgres-init.sh'), '', { mode: 0o700 });
    writeFileSync(path.join(folder, 'nats.conf'), '', { mode: 0o600 });
    run();
    const modes = ['postgres-init.sh', 'nats.conf'].map((name) => statSync(path.join(folder, name)).mode & 0o777);
    expect(modes).toEqual([0o744, 0o644]);
  });

  it('copies the types of a development stack, with what the compose file sets for them', () => {
    const stack = path.join(folder, 'stack');
    mkdirSync(path.join(stack, 'types'), { recursive: true });
    const names = ['verifier-key.pem', 'issuer-key.pem', 'verifier.pem', 'issuer.pem', 'root.pem', 'trust.json'];
    for (const name of names) writeFileSync(path.join(stack, name), name);
    for (const name of ['card', 'badge', 'eu-card']) writeFileSync(path.join(stack, `types/${name}.json`), '{}');
    const issuance = {
      attestations: 'off',
      types: { card: { validity_seconds: 60, status_list: true } },
      issuers: { eudi: { profile: 'eudi', types: { 'eu-card': {} } } },
    };
    writeFileSync(path.join(stack, 'types/issuance.json'), JSON.stringify(issuance));
    run(stack);
    const types = path.join(folder, 'config/issuer/types');
    expect(readdirSync(types).sort()).toEqual(['badge.json', 'card.json', 'issuance.json']);
    expect(JSON.parse(readFileSync(path.join(types, 'issuance.json'), 'utf8'))).toEqual({
      attestations: 'off',
      types: { card: { validity_seconds: 60, status_list: false }, badge: { status_list: false } },
    });
  });
});
