/** @jest-environment ./tools/jest-context-environment.cjs */
import { VERSION } from '@vestibule/foundation';
import { createServer } from 'node:net';
import { type AddressInfo } from 'node:net';
import { createHealth, showReadiness, startHealthServer } from './health';
import { createLogger } from './logger';
import { createMetrics } from './metrics';
import { createTimer } from './timer';

const silent = createLogger({ name: 'test', level: 'silent' });

describe('readiness', () => {
  it('needs every check, and a check that throws is one that fails', async () => {
    const checks = {
      good: () => true,
      bad: () => Promise.reject(new Error('x')),
      worse: () => {
        throw new Error('x');
      },
    };
    await expect(createHealth({ checks }).report()).resolves.toEqual({
      ready: false,
      checks: { good: true, bad: false, worse: false },
    });
    await expect(createHealth({ checks: { good: async () => true } }).report()).resolves.toMatchObject({ ready: true });
  });

  it('does not wait for a check that hangs', async () => {
    jest.useFakeTimers();
    const report = createHealth({ checks: { hangs: () => new Promise(() => undefined) } }).report();
    await jest.advanceTimersByTimeAsync(2_000);
    jest.useRealTimers();
    await expect(report).resolves.toEqual({ ready: false, checks: { hangs: false } });
  });

  it('ends with retiring', async () => {
    const health = createHealth({ checks: { good: () => true } });
    health.retire();
    await expect(health.report()).resolves.toEqual({ ready: false, checks: { good: true } });
  });

  it('has a metric for each check, as it is at that moment, which retiring does not change', async () => {
    let good = true;
    const health = createHealth({ checks: { good: () => good, bad: () => Promise.reject(new Error('x')) } });
    const metrics = createMetrics('gateway');
    showReadiness(metrics, health);
    await expect(metrics.render()).resolves.toContain('vestibule_ready{check="good",service="gateway"} 1');
    good = false;
    health.retire();
    const text = await metrics.render();
    for (const check of ['good', 'bad'])
      expect(text).toContain(`vestibule_ready{check="${check}",service="gateway"} 0`);
  });

  it('is told over HTTP: 200 when live or ready, 503 when not, 404 for all else', async () => {
    let good = true;
    const health = createHealth({ checks: { good: () => good } });
    const server = await startHealthServer({ host: '127.0.0.1', port: 0, health });
    const statusOf = async (path: string): Promise<number> => (await fetch(`${server.url}${path}`)).status;
    await expect(statusOf('/health/ready')).resolves.toBe(200);
    const body: unknown = await (await fetch(`${server.url}/health/ready`)).json();
    expect(body).toEqual({ ready: true, checks: { good: true }, version: VERSION });
    good = false;
    await expect(statusOf('/health/ready')).resolves.toBe(503);
    await expect(statusOf('/health/live')).resolves.toBe(200);
    await expect(statusOf('/metrics')).resolves.toBe(404);
    await server.close();
  });

  it('cannot be told on a port that is taken', async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const { port } = other.address() as AddressInfo;
    const starting = startHealthServer({ host: '127.0.0.1', port, health: createHealth({ checks: {} }) });
    await expect(starting).rejects.toMatchObject({ code: 'EADDRINUSE' });
    await new Promise((resolve) => other.close(resolve));
  });
});

describe('a timer', () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  const EVERY = 1_000;

  it('never overlaps itself, survives errors and waits for its run when it is stopped', async () => {
    const ends: ((error?: Error) => void)[] = [];
    const run = jest.fn(
      () => new Promise<void>((resolve, reject) => ends.push((error) => (error ? reject(error) : resolve()))),
    );
    const timer = createTimer({ name: 'test', everyMilliseconds: EVERY, run, logger: silent });
    await jest.advanceTimersByTimeAsync(EVERY - 1);
    expect(run).not.toHaveBeenCalled();
    await jest.advanceTimersByTimeAsync(10 * EVERY);
    expect(run).toHaveBeenCalledTimes(1);
    ends[0]?.(new Error('the first run fails'));
    await jest.advanceTimersByTimeAsync(EVERY);
    expect(run).toHaveBeenCalledTimes(2);
    let isStopped = false;
    const stopped = timer.stop().then(() => (isStopped = true));
    await jest.advanceTimersByTimeAsync(EVERY);
    expect(isStopped).toBe(false);
    ends[1]?.();
    await stopped;
    await jest.advanceTimersByTimeAsync(10 * EVERY);
    expect(run).toHaveBeenCalledTimes(2);
    expect(jest.getTimerCount()).toBe(0);
  });

  it('that is stopped before its first run never runs', async () => {
    const run = jest.fn(async () => {});
    await createTimer({ name: 'test', everyMilliseconds: EVERY, run, logger: silent }).stop();
    await jest.advanceTimersByTimeAsync(10 * EVERY);
    expect(run).not.toHaveBeenCalled();
  });
});
