import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { AppProcess } from './app-process';
import { findFreePort } from './free-port';
import { startWatchdog, type Watchdog } from './process-watchdog';

jest.setTimeout(30_000);

const SERVER = `
  const http = require('node:http');
  console.log('starting with ' + Object.keys(process.env).sort().join(','));
  process.on('SIGTERM', () => process.exit(0));
  setTimeout(() => http.createServer((q, a) => a.end('{}')).listen(Number(process.env.HEALTH_PORT), '127.0.0.1'), 200);
`;

describe('AppProcess', () => {
  let folder: string;
  let watchdog: Watchdog;
  let unexpected: string[];
  const made: AppProcess[] = [];

  beforeAll(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'vestibule-app-process-'));
    watchdog = startWatchdog();
  });
  beforeEach(() => (unexpected = []));
  afterAll(async () => {
    for (const process of made) await process.stop();
    await watchdog.stop();
    rmSync(folder, { recursive: true });
  });

  async function create(script: string): Promise<AppProcess> {
    const entryPoint = path.join(folder, `${made.length}.js`);
    writeFileSync(entryPoint, script);
    const port = await findFreePort();
    const created = new AppProcess({
      app: 'verifier',
      replica: made.length,
      environment: { HEALTH_PORT: String(port) },
      readyUrl: `http://127.0.0.1:${port}/`,
      entryPoint,
      watchdog,
      onLine: () => undefined,
      onUnexpectedExit: ({ label }) => unexpected.push(label),
    });
    made.push(created);
    return created;
  }

  it('is ready when its health address says so, gets no other environment, and ends on SIGTERM', async () => {
    const app = await create(SERVER);
    app.launch();
    await app.waitUntilReady(10_000);
    expect(app.lastLines()).toEqual(['starting with HEALTH_PORT']);
    await app.stop();
    expect(app.isRunning).toBe(false);
    expect(unexpected).toEqual([]);
  });

  it('can be killed and started again', async () => {
    const app = await create(SERVER);
    app.launch();
    await app.waitUntilReady(10_000);
    const before = app.pid;
    await app.kill('SIGKILL');
    expect(app.pid).toBeUndefined();
    await app.restart();
    expect(app.pid).not.toBe(before);
    expect(unexpected).toEqual([]);
    await app.stop();
  });

  it('names the process and its last lines when it ends before it is ready', async () => {
    const app = await create("console.error('the reason'); process.exit(3);");
    app.launch();
    const attempt = app.waitUntilReady(10_000);
    await expect(attempt).rejects.toMatchObject({ code: 'app_not_ready' });
    await expect(attempt).rejects.toThrow(/verifier-3 ended \(exit code 3\).*the reason/s);
  });

  it('gives up after the time, and says what the health address answered', async () => {
    const app = await create(`${SERVER}`.replace("a.end('{}')", "(a.statusCode = 503, a.end('no database'))"));
    app.launch();
    await expect(app.waitUntilReady(1000)).rejects.toThrow(/not ready after 1 s \(no database\)/);
    await app.stop();
  });

  it('reports an end that nobody asked for, once', async () => {
    const app = await create(SERVER.replace('200);', '200); setTimeout(() => process.abort(), 900);'));
    app.launch();
    await app.waitUntilReady(10_000);
    const end = performance.now() + 5000;
    while (unexpected.length === 0 && performance.now() < end) await new Promise((resolve) => setTimeout(resolve, 20));
    expect(unexpected).toEqual([app.label]);
  });

  it('uses SIGKILL for a process that ignores SIGTERM', async () => {
    const app = await create(SERVER.replace('process.exit(0)', 'undefined'));
    app.launch();
    await app.waitUntilReady(10_000);
    await app.stop();
    expect(app.isRunning).toBe(false);
  });
});
