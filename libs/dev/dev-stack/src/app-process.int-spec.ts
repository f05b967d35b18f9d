import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { AppProcess, type AppProcessOptions } from './app-process';
import { waitUntil } from './testing/raw-nats-client';
import { startWatchdog, type Watchdog } from './process-watchdog';

jest.setTimeout(180_000);

const READY_MILLISECONDS = 60_000;

const SERVER = `
  const http = require('node:http');
  console.log('starting with ' + Object.keys(process.env).sort().join(','));
  process.on('SIGTERM', () => process.exit(0));
  const server = http.createServer((q, a) => a.end('{}')).listen(Number(process.env.HEALTH_PORT), '127.0.0.1', () =>
    process.send({ listening: { health: 'http://127.0.0.1:' + server.address().port } }));
`;

/** True when the process has told where it listens. */
function hasSaid(app: AppProcess): boolean {
  try {
    return app.readyUrl !== '';
  } catch {
    return false;
  }
}

describe('AppProcess', () => {
  let folder: string;
  let watchdog: Watchdog;
  let unexpected: string[];
  let onUnexpected: () => void;
  const made: AppProcess[] = [];

  beforeAll(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'vestibule-app-process-'));
    watchdog = startWatchdog();
  });
  beforeEach(() => {
    unexpected = [];
    onUnexpected = () => undefined;
  });
  afterAll(async () => {
    for (const process of made) await process.stop();
    await watchdog.stop();
    rmSync(folder, { recursive: true });
  });

  async function create(script: string, options: Partial<AppProcessOptions> = {}): Promise<AppProcess> {
    const entryPoint = path.join(folder, `${made.length}.js`);
    writeFileSync(entryPoint, script);
    const created = new AppProcess({
      app: 'verifier',
      replica: made.length,
      environment: { HEALTH_PORT: '0' },
      ready: { listener: 'health', path: '/' },
      entryPoint,
      watchdog,
      onLine: () => undefined,
      onUnexpectedExit: ({ label }) => {
        unexpected.push(label);
        onUnexpected();
      },
      ...options,
    });
    made.push(created);
    return created;
  }

  it('is ready when its health address says so, gets no other environment but that of images, and ends on SIGTERM', async () => {
    const app = await create(SERVER);
    app.launch();
    await app.waitUntilReady(READY_MILLISECONDS);
    expect(app.lastLines()).toEqual(['starting with HEALTH_PORT,MALLOC_ARENA_MAX,MALLOC_TRIM_THRESHOLD_']);
    expect(app.readyUrl).toMatch(/^http:\/\/127\.0\.0\.1:[1-9]\d*\/$/);
    await app.stop();
    expect(app.isRunning).toBe(false);
    expect(unexpected).toEqual([]);
  });

  it('can be killed and started again', async () => {
    const app = await create(SERVER);
    app.launch();
    await app.waitUntilReady(READY_MILLISECONDS);
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
    const attempt = app.waitUntilReady(READY_MILLISECONDS);
    await expect(attempt).rejects.toMatchObject({ code: 'app_not_ready' });
    await expect(attempt).rejects.toThrow(/verifier-3 ended \(exit code 3\).*the reason/s);
  });

  it('gives up after the time, and says what the health address answered', async () => {
    const app = await create(`${SERVER}`.replace("a.end('{}')", "(a.statusCode = 503, a.end('no database'))"));
    app.launch();
    // Until it has said where it listens, there is nobody to ask.
    await waitUntil(() => hasSaid(app), READY_MILLISECONDS);
    await expect(app.waitUntilReady(1000)).rejects.toThrow(/not ready after 1 s \(no database\)/);
    await app.stop();
  });

  it('is ready, where services are named, when its report says that of each of them, whatever of others', async () => {
    const report = JSON.stringify({ services: { verifier: { ready: true }, issuer: { ready: false } } });
    const script = SERVER.replace("a.end('{}')", `(a.statusCode = 503, a.end('${report}'))`);
    const readyWith = async (...services: string[]) => {
      const app = await create(script, { ready: { listener: 'health', path: '/', services } });
      app.launch();
      await waitUntil(() => hasSaid(app), READY_MILLISECONDS);
      return app;
    };
    const [one, both, absent] = [
      await readyWith('verifier'),
      await readyWith('verifier', 'issuer'),
      await readyWith('verifier', 'wallet-store'),
    ];
    await one.waitUntilReady(READY_MILLISECONDS);
    for (const app of [both, absent])
      await expect(app.waitUntilReady(1000)).rejects.toMatchObject({ code: 'app_not_ready' });
    for (const app of [one, both, absent]) await app.stop();
  });

  it('names a port that somebody else has as the reason', async () => {
    const app = await create("console.error('listen EADDRINUSE: address already in use'); process.exit(1);");
    app.launch();
    await expect(app.waitUntilReady(READY_MILLISECONDS)).rejects.toMatchObject({ code: 'app_port_taken' });
  });

  it('reports an end that nobody asked for, once', async () => {
    const ended = new Promise<void>((resolve) => (onUnexpected = resolve));
    const app = await create(SERVER.replace("a.end('{}')", "a.end('{}', () => q.url === '/end' && process.abort())"));
    app.launch();
    await app.waitUntilReady(READY_MILLISECONDS);
    // It may be gone before its answer is read.
    await fetch(`${app.readyUrl}end`).catch(() => undefined);
    await ended;
    expect(unexpected).toEqual([app.label]);
  });

  it('uses SIGKILL for a process that ignores SIGTERM', async () => {
    const app = await create(SERVER.replace('process.exit(0)', 'undefined'), { killAfterMilliseconds: 500 });
    app.launch();
    await app.waitUntilReady(READY_MILLISECONDS);
    await app.stop();
    expect(app.isRunning).toBe(false);
    expect(app.describeEnd()).toContain('signal SIGKILL');
  });
});
