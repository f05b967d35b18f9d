import { Agent, createServer, request, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A process behind the balancer; its addresses are others after each start, and none while it does not listen. */
export interface Target {
  readonly name: string;
  addressOf(listener: 'management' | 'public'): string | undefined;
}

export interface ReadyBalancer {
  readonly url: string;
  /** Is the target sent requests now? */
  isUsed(name: string): boolean;
  /** What went wrong between the balancer and a target, as `name: code`: nothing is tried again. */
  readonly failures: readonly string[];
  /** How many requests each target has answered. */
  readonly answered: ReadonlyMap<string, number>;
  close(): Promise<void>;
}

const PROBE_MILLISECONDS = 50;

async function isReady(target: Target): Promise<boolean> {
  const address = target.addressOf('management');
  if (address === undefined) return false;
  try {
    const response = await fetch(`${address}/health/ready`, { signal: AbortSignal.timeout(10_000) });
    await response.arrayBuffer();
    return response.status === 200;
  } catch {
    return false;
  }
}

/** A round-robin balancer as operators have them: it asks for the readiness of its targets and keeps connections to them. */
export async function startReadyBalancer(targets: readonly Target[]): Promise<ReadyBalancer> {
  const used = new Set<string>();
  const failures: string[] = [];
  const answered = new Map<string, number>();
  const agent = new Agent({ keepAlive: true, maxSockets: 64 });
  let turn = 0;
  let isClosed = false;

  const watch = async (target: Target): Promise<void> => {
    while (!isClosed) {
      if (await isReady(target)) used.add(target.name);
      else used.delete(target.name);
      await new Promise((resolve) => setTimeout(resolve, PROBE_MILLISECONDS));
    }
  };
  const next = (): Target | undefined => {
    const candidates = targets.filter(({ name }) => used.has(name));
    turn += 1;
    return candidates[turn % candidates.length];
  };
  const pass = (incoming: IncomingMessage, outgoing: ServerResponse): void => {
    const target = next();
    const address = target?.addressOf('public');
    if (target === undefined || address === undefined) {
      failures.push('balancer: no target');
      outgoing.writeHead(502).end();
      return;
    }
    const { method, headers, url = '/' } = incoming;
    const passed = request(`${address}${url}`, { method, headers, agent }, (response) => {
      answered.set(target.name, (answered.get(target.name) ?? 0) + 1);
      const { connection: _hop, ...end } = response.headers;
      outgoing.writeHead(response.statusCode ?? 502, end);
      response.pipe(outgoing);
    });
    passed.on('error', (error: NodeJS.ErrnoException) => {
      failures.push(`${target.name}: ${error.code ?? error.message}`);
      if (!outgoing.headersSent) outgoing.writeHead(502);
      outgoing.end();
    });
    incoming.pipe(passed);
  };

  const server = createServer(pass);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const watching = targets.map(watch);
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    isUsed: (name) => used.has(name),
    failures,
    answered,
    async close() {
      isClosed = true;
      await Promise.all(watching);
      agent.destroy();
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
