import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
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

  const run = (): string => execFileSync('sh', [script], { env: { PATH: searchPath }, stdio: 'pipe' }).toString();
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
});
