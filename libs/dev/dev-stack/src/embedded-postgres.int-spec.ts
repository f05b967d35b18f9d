import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Client } from 'pg';
import { withConnection, withUser } from './admin-connection';
import { startEmbeddedPostgres } from './embedded-postgres';
import { findFreePort } from './free-port';
import { waitUntil } from './testing/raw-nats-client';
import { workspaceRoot } from './workspace-root';

jest.setTimeout(180_000);

const setting = (url: string, name: string) =>
  withConnection(url, async (client) => {
    const result = await client.query<{ setting: string }>('SELECT setting FROM pg_settings WHERE name = $1', [name]);
    return result.rows[0]?.setting;
  });

const isAlive = (pid: number) => {
  try {
    process.kill(pid, 0);
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
};

/** A process that starts Postgres and then does nothing, as a stack that runs. */
async function startParent(dataFolder?: string) {
  const script = `
    const { startEmbeddedPostgres } = require(${JSON.stringify(path.join(workspaceRoot, 'dist/libs/dev/dev-stack/src'))});
    startEmbeddedPostgres(${JSON.stringify(dataFolder === undefined ? {} : { dataFolder })}).then((postgres) => {
      process.stdout.write(JSON.stringify(postgres) + '\\n');
      setInterval(() => undefined, 1000);
    });`;
  const parent: ChildProcess = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = (await once(parent.stdout as NodeJS.EventEmitter, 'data')) as [Buffer];
  const started = JSON.parse(line.toString()) as { adminUrl: string; dataFolder: string };
  const postmaster = Number(readFileSync(path.join(started.dataFolder, 'postmaster.pid'), 'utf8').split('\n')[0]);
  return { ...started, parent, postmaster };
}

describe('the embedded Postgres', () => {
  let kept: string;
  beforeAll(() => {
    kept = mkdtempSync(path.join(tmpdir(), 'vestibule-kept-'));
    // mkdtemp makes it 0700, where a server user could not pass; a checkout is 0755.
    rmSync(kept, { recursive: true });
  });
  afterAll(() => rmSync(kept, { recursive: true, force: true }));

  it('listens on 127.0.0.1 only, demands a password, and leaves nothing behind when thrown away', async () => {
    const postgres = await startEmbeddedPostgres();
    expect(new URL(postgres.adminUrl).hostname).toBe('127.0.0.1');
    expect(await setting(postgres.adminUrl, 'listen_addresses')).toBe('127.0.0.1');
    expect(await setting(postgres.adminUrl, 'unix_socket_directories')).toBe('');
    expect(await setting(postgres.adminUrl, 'fsync')).toBe('off');
    expect(await setting(postgres.adminUrl, 'password_encryption')).toBe('scram-sha-256');
    const wrong = new Client({ connectionString: withUser(postgres.adminUrl, 'postgres', 'wrong') });
    await expect(wrong.connect()).rejects.toMatchObject({ code: '28P01' });
    await postgres.stop();
    await postgres.stop();
    expect(existsSync(path.dirname(postgres.dataFolder))).toBe(false);
  });

  it('takes another port where somebody takes its own first', async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const taken = (other.address() as AddressInfo).port;
    const ports = [taken, taken];
    const findPort = async () => ports.shift() ?? findFreePort();
    const postgres = await startEmbeddedPostgres({ findPort });
    expect(new URL(postgres.adminUrl).port).not.toBe(String(taken));
    expect(ports).toEqual([]);
    await postgres.stop();
    await new Promise((resolve) => other.close(resolve));
  });

  it('keeps its data and its password, for its owner only, also after SIGKILL', async () => {
    const first = await startEmbeddedPostgres({ dataFolder: kept });
    expect(await setting(first.adminUrl, 'fsync')).toBe('on');
    await withConnection(first.adminUrl, (client) => client.query('CREATE TABLE kept AS SELECT 42 AS answer'));
    await first.kill();
    await first.kill();
    expect(statSync(path.join(kept, 'password')).mode & 0o777).toBe(0o600);
    expect(statSync(path.join(kept, 'cluster')).mode & 0o777).toBe(0o700);
    const second = await startEmbeddedPostgres({ dataFolder: kept });
    const result = await withConnection(second.adminUrl, (client) => client.query('SELECT answer FROM kept'));
    expect(result.rows).toEqual([{ answer: 42 }]);
    await expect(startEmbeddedPostgres({ dataFolder: kept })).rejects.toMatchObject({ code: 'data_folder_in_use' });
    await second.stop();
  });

  it('ends and removes its folder when the parent is killed with SIGKILL', async () => {
    const { parent, postmaster, dataFolder } = await startParent();
    parent.kill('SIGKILL');
    await waitUntil(() => !isAlive(postmaster) && !existsSync(path.dirname(dataFolder)), 15_000);
  });

  it('starts again after everything was killed with SIGKILL', async () => {
    const { parent, postmaster } = await startParent(kept);
    // The keeper is the parent of Postgres.
    const keeper = Number(/^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${postmaster}/status`, 'utf8'))?.[1]);
    for (const pid of [keeper, postmaster, parent.pid as number]) process.kill(pid, 'SIGKILL');
    expect(existsSync(path.join(kept, 'cluster/postmaster.pid'))).toBe(true);
    const again = await startEmbeddedPostgres({ dataFolder: kept });
    await again.stop();
  });

  it('is not misled by a postmaster.pid whose number belongs to another program by now', async () => {
    const pidFile = path.join(kept, 'cluster/postmaster.pid');
    writeFileSync(pidFile, `${process.pid}\n${path.join(kept, 'cluster')}\n`);
    const again = await startEmbeddedPostgres({ dataFolder: kept });
    await again.stop();
  });

  it('says so when the kept password is not the one of the cluster', async () => {
    const file = path.join(kept, 'password');
    const right = readFileSync(file, 'utf8');
    writeFileSync(file, 'another\n');
    await expect(startEmbeddedPostgres({ dataFolder: kept })).rejects.toMatchObject({ code: 'postgres_password_lost' });
    writeFileSync(file, right);
  });
});
