import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { findFreePort, isFreePort } from './free-port';
import { startStack, type Stack, type StackOptions } from './stack';
import { createTestDatabase, type TestDatabase } from './test-database';
import { createTestNats, type TestNats } from './test-nats';

jest.setTimeout(180_000);

const CALLBACK_URL = 'http://127.0.0.1:9/callbacks';

describe('startStack', () => {
  let database: TestDatabase;
  let nats: TestNats;
  let folder: string;
  beforeAll(async () => {
    database = await createTestDatabase();
    nats = await createTestNats();
    folder = mkdtempSync(path.join(tmpdir(), 'vestibule-stack-spec-'));
  });
  afterAll(async () => {
    await nats.stop();
    await database.drop();
    rmSync(folder, { recursive: true });
  });

  const start = (options: Partial<StackOptions> = {}) =>
    startStack({
      callbackUrl: CALLBACK_URL,
      databaseUrls: database.urls,
      natsUrl: nats.url,
      logFile: path.join(folder, 'stack.log'),
      ...options,
    });
  const status = async (url: string) => (await fetch(url)).status;
  const isAlive = (pid: number | undefined) => pid !== undefined && existsSync(`/proc/${pid}`);

  describe('with two verifiers', () => {
    let stack: Stack;
    const unexpected: string[] = [];
    beforeAll(async () => {
      const onUnexpectedExit: StackOptions['onUnexpectedExit'] = ({ label }) => void unexpected.push(label);
      stack = await start({ replicas: { verifier: 2 }, onUnexpectedExit });
    });
    afterAll(() => stack.stop());

    it('resolves when everything is ready, and shows its addresses', async () => {
      expect(await status(`${stack.managementUrl}/health/ready`)).toBe(200);
      expect(await status(`${stack.baseUrl}/.well-known/openid-credential-issuer`)).toBe(200);
      expect(stack.processes.map(({ label }) => label).sort()).toEqual(
        ['gateway', 'issuer', 'verifier', 'verifier-2', 'wallet-store'].sort(),
      );
    });

    it('leaves a killed process dead until it is told to start it again', async () => {
      const verifier = stack.process('verifier', 1);
      await verifier.kill('SIGKILL');
      expect(verifier.isRunning).toBe(false);
      expect(await status(`${stack.managementUrl}/health/ready`)).toBe(200);
      await verifier.restart();
      expect(await status(verifier.readyUrl)).toBe(200);
      expect(unexpected).toEqual([]);
    });

    it('writes what the apps log to the file, each line with the name of the process', () => {
      const lines = readFileSync(path.join(folder, 'stack.log'), 'utf8').split('\n').slice(0, -1);
      expect(new Set(lines.map((line) => line.split(' | ')[0]))).toEqual(
        new Set(['gateway', 'issuer', 'stack', 'verifier', 'verifier-2', 'wallet-store']),
      );
    });

    it('no app finds anything odd in the environment that it gets', () => {
      const warnings = stack.processes.flatMap((process) => process.lastLines()).filter((line) => /meant/.test(line));
      expect(warnings).toEqual([]);
    });

    it('ends every process and removes the throw-away folder', async () => {
      const pids = stack.processes.map(({ pid }) => pid);
      expect(pids.every(isAlive)).toBe(true);
      await Promise.all([stack.stop(), stack.stop()]);
      expect(pids.some(isAlive)).toBe(false);
      expect(existsSync(stack.dataFolder)).toBe(false);
    });
  });

  it('names the app that does not start and what it said, and leaves nothing running', async () => {
    const attempt = start({ apps: ['verifier'], environment: { verifier: { BASE_URL: 'nonsense' } } });
    await expect(attempt).rejects.toMatchObject({ code: 'app_not_ready' });
    await expect(attempt).rejects.toThrow(/verifier ended .*BASE_URL/s);
  });

  describe('21.7 with a folder that is kept', () => {
    const apps = ['verifier'] as const;
    const read = (name: string) => readFileSync(path.join(dataFolder, name), 'utf8');
    let dataFolder: string;
    beforeEach(() => {
      dataFolder = mkdtempSync(path.join(tmpdir(), 'vestibule-kept-'));
    });
    afterEach(() => rmSync(dataFolder, { recursive: true }));
    const open = (options: Partial<StackOptions> = {}) => start({ apps, dataFolder, logFile: undefined, ...options });

    it('runs once if it is started twice at the same time, and again after its end', async () => {
      const both = await Promise.allSettled([open(), open()]);
      const running = both.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
      const refused = both.flatMap((one) => (one.status === 'rejected' ? [one.reason as Error] : []));
      expect([running.length, refused]).toEqual([1, [expect.objectContaining({ code: 'data_folder_in_use' })]]);
      const log = read('stack.log');
      await expect(open()).rejects.toThrow(`${dataFolder} is in use by process ${process.pid}`);
      expect([read('stack.log').startsWith(log), existsSync(path.join(dataFolder, 'stack.log.previous'))]).toEqual([
        true,
        false,
      ]);
      await running[0]?.stop();
      await (await open()).stop();
      expect(read('stack.log.previous').startsWith(log)).toBe(true);
    });

    it.each(['issuance.json', 'config/issuance.json'])('refuses %s, which nothing would read', async (name) => {
      mkdirSync(path.join(dataFolder, 'config'), { mode: 0o700 });
      writeFileSync(path.join(dataFolder, name), '{}');
      await expect(open()).rejects.toThrow(`${path.join(dataFolder, name)} is not read there: move it to`);
      rmSync(path.join(dataFolder, name));
      expect(readdirSync(dataFolder)).toEqual(['config']);
    });

    it('changes nothing if a port that was asked for is taken', async () => {
      writeFileSync(path.join(dataFolder, 'stack.log'), 'before\n');
      const other = createServer().listen(0, '127.0.0.1');
      await once(other, 'listening');
      const management = (other.address() as AddressInfo).port;
      await expect(open({ ports: { management } })).rejects.toMatchObject({ code: 'port_taken' });
      other.close();
      expect([readdirSync(dataFolder), read('stack.log')]).toEqual([['stack.log'], 'before\n']);
    });
  });

  it('21.7 goes on when there is no space left for its log, and says so once', async () => {
    const lines: string[] = [];
    const onLog = (label: string, line: string) => label === 'stack' && lines.push(line);
    const stack = await start({ apps: ['verifier'], logFile: '/dev/full', onLog });
    await stack.stop();
    expect(lines).toEqual([
      expect.stringMatching(/^\/dev\/full ends here: ENOSPC/),
      'Postgres and NATS run; waiting for verifier',
    ]);
  });

  describe('where ports are taken', () => {
    let other: Server;
    beforeAll((done) => {
      other = createServer().listen(0, '0.0.0.0', done);
    });
    afterAll((done) => void other.close(done));

    const portOf = (server: Server) => (server.address() as AddressInfo).port;

    it('starts again on other ports where somebody took its own after it had chosen them', async () => {
      const found: number[] = [];
      const findPort = async () => {
        found.push(found.length < 2 ? portOf(other) : await findFreePort());
        return found.at(-1) as number;
      };
      const apps = ['gateway', 'issuer'] as const;
      const stack = await start({ apps, ports: { management: 0, public: 0 }, issuerPath: '/one', findPort });
      const [management, publicPort] = found.slice(2);
      const base = `http://127.0.0.1:${publicPort}`;
      expect([stack.managementUrl, stack.baseUrl]).toEqual([`http://127.0.0.1:${management}`, base]);
      expect(await status(`${base}/.well-known/openid-credential-issuer/one`)).toBe(200);
      const certificate = new X509Certificate(readFileSync(path.join(stack.files.folder, 'issuer.pem')));
      expect(certificate.subjectAltName).toContain(stack.issuerUrl);
      await stack.stop();
    });

    it('gives up when nothing helps, and leaves nothing running', async () => {
      // The only app that binds them: all four would start five times.
      const apps = ['gateway'] as const;
      const attempt = start({ apps, ports: { management: 0, public: 0 }, findPort: async () => portOf(other) });
      await expect(attempt).rejects.toMatchObject({ code: 'app_port_taken' });
    });

    it('sees that a port is taken on any address, and refuses it when it was asked for', async () => {
      const port = portOf(other);
      expect(await isFreePort(port)).toBe(false);
      await expect(start({ ports: { management: port } })).rejects.toMatchObject({ code: 'port_taken' });
    });
  });
});
