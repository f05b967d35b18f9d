import { createServer } from 'node:http';
import { type AddressInfo } from 'node:net';

/** True when the part is usable now. It may also throw, which counts as false. */
export type HealthCheck = () => Promise<boolean> | boolean;

export interface HealthReport {
  readonly ready: boolean;
  readonly checks: Readonly<Record<string, boolean>>;
}

export interface Health {
  report(): Promise<HealthReport>;
  /** From now on not ready: the process is about to stop and wants no new work. */
  retire(): void;
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

/** Ready only when every check says so within two seconds. */
export function createHealth({ checks }: { readonly checks: Readonly<Record<string, HealthCheck>> }): Health {
  let retired = false;
  return {
    async report() {
      const results = await Promise.all(
        Object.entries(checks).map(async ([name, check]) => [name, await outcome(check)] as const),
      );
      return { ready: !retired && results.every(([, good]) => good), checks: Object.fromEntries(results) };
    },
    retire() {
      retired = true;
    },
  };
}

export interface HealthServer {
  /** The port that was bound: of use when 0 was asked for. */
  readonly port: number;
  close(): Promise<void>;
}

async function answerFor(path: string | undefined, health: Health): Promise<[number, object]> {
  if (path === '/health/live') return [200, { live: true }];
  if (path !== '/health/ready') return [404, { code: 'not_found' }];
  const report = await health.report();
  return [report.ready ? 200 : 503, report];
}

/** `GET /health/live` and `GET /health/ready` for services without another HTTP listener. Rejects when the port is taken. */
export async function startHealthServer(options: {
  readonly host: string;
  readonly port: number;
  readonly health: Health;
}): Promise<HealthServer> {
  const server = createServer((request, response) => {
    request.resume();
    void answerFor(request.url, options.health).then(([status, body]) => {
      response.writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store' });
      response.end(JSON.stringify(body));
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, options.host, resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
