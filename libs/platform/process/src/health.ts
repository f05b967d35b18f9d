import { createServer } from 'node:http';
import { type AddressInfo } from 'node:net';
import { VERSION, type ErrorCode } from '@vestibule/foundation';
import { type Metrics } from './metrics';

/** True if the component is usable now. It may also throw, which counts as false. */
export type HealthCheck = () => Promise<boolean> | boolean;

export interface HealthReport {
  readonly ready: boolean;
  readonly checks: Readonly<Record<string, boolean>>;
  /** When the certificates that the process depends on expire, in RFC 3339. */
  readonly expires?: Readonly<Record<string, string>>;
}

export interface Health {
  report(): Promise<HealthReport>;
  /** Makes it not ready: the process is about to stop and accepts no new work. */
  retire(): void;
  /** False if only a restart helps. Absent: always alive. */
  isAlive?(): Promise<boolean>;
}

const CHECK_MILLISECONDS = 2_000;

async function outcome(check: HealthCheck): Promise<boolean> {
  let timeout: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timeout = setTimeout(() => resolve(false), CHECK_MILLISECONDS);
  });
  const answer = Promise.resolve()
    .then(check)
    .catch(() => false);
  const result = await Promise.race([answer, late]);
  clearTimeout(timeout);
  return result;
}

/** When something expires, as far as known. */
export type Expiry = () => Date | undefined;

export interface HealthOptions {
  readonly checks: Readonly<Record<string, HealthCheck>>;
  readonly expires?: Readonly<Record<string, Expiry>>;
}

function expiryOf(expires: HealthOptions['expires']): { expires?: Record<string, string> } {
  if (!expires) return {};
  const ends = Object.entries(expires).flatMap(([name, read]) => {
    const end = read();
    return end ? [[name, end.toISOString()] as const] : [];
  });
  return { expires: Object.fromEntries(ends) };
}

/** Ready only if every check succeeds within two seconds; `expires` is reported but decides nothing. */
export function createHealth({ checks, expires }: HealthOptions): Health {
  let retired = false;
  return {
    async report() {
      const results = await Promise.all(
        Object.entries(checks).map(async ([name, check]) => [name, await outcome(check)] as const),
      );
      const ready = !retired && results.every(([, good]) => good);
      return { ready, checks: Object.fromEntries(results), ...expiryOf(expires) };
    },
    retire() {
      retired = true;
    },
  };
}

/** Publishes whether each check succeeds: without it, nobody learns of an outage while no wallet comes. */
export function showReadiness(metrics: Metrics, health: Health): void {
  metrics.gauges('ready', 'Whether each check of /health/ready succeeds: 1, or 0', 'check', async () =>
    Object.entries((await health.report()).checks).map(([name, isGood]) => [name, Number(isGood)] as const),
  );
}

export interface HealthServer {
  /** Its address with the actual port, which matters for port 0. */
  readonly url: string;
  close(): Promise<void>;
}

export interface HealthServerOptions {
  readonly host: string;
  readonly port: number;
  readonly health: Health;
  /** Served at `/metrics` if present. */
  readonly metrics?: Metrics;
}

interface Answer {
  readonly status: number;
  readonly type: string;
  readonly text: string;
}

const json = (status: number, body: object): Answer => ({
  status,
  type: 'application/json',
  text: JSON.stringify(body),
});

async function answerFor(path: string | undefined, { health, metrics }: HealthServerOptions): Promise<Answer> {
  if (path === '/health/live') {
    const live = (await health.isAlive?.()) ?? true;
    return json(live ? 200 : 503, { live });
  }
  if (path === '/metrics' && metrics) return { status: 200, type: metrics.contentType, text: await metrics.render() };
  if (path !== '/health/ready') return json(404, { code: 'not_found' satisfies ErrorCode });
  const report = await health.report();
  return json(report.ready ? 200 : 503, { ...report, version: VERSION });
}

/**
 * `GET /health/live`, `GET /health/ready` and `GET /metrics` for services without another HTTP listener. Rejects if the
 * port is taken.
 */
export async function startHealthServer(options: HealthServerOptions): Promise<HealthServer> {
  const server = createServer((request, response) => {
    request.resume();
    answerFor(request.url, options)
      .catch(() => json(500, { code: 'internal_error' }))
      .then(({ status, type, text }) => {
        response.writeHead(status, { 'content-type': type, 'cache-control': 'no-store' });
        response.end(text);
      })
      .catch(() => response.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, options.host, resolve);
  });
  const { address, port, family } = server.address() as AddressInfo;
  return {
    url: `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
