import { type ChildProcess, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import path from 'node:path';
import { contract, readiness } from '@vestibule/contracts';
import { z } from 'zod';

const ENTRY_POINT = path.join(__dirname, 'tiny-service.cjs');

export function randomNoun(): string {
  return Array.from({ length: 12 }, () => String.fromCharCode(97 + randomInt(26))).join('');
}

/** The contracts of the tiny service: `noun` keeps them apart from those of every other test on the same NATS. */
export const tinyContracts = (noun: string) => ({
  save: contract(
    `verifier.${noun}.save`,
    z.object({ label: z.string(), milliseconds: z.int() }),
    z.object({ saved: z.int() }),
  ),
  check: contract(`verifier.${noun}.check`, z.object({}), readiness, 2_000),
});

/** A way to a server that begins cut, and can be mended and cut again. */
export async function openWire(target: URL, defaultPort: number) {
  const sockets = new Set<Socket>();
  let isWhole = false;
  // The listener stays while the wire is cut, so that nobody else gets its port.
  const server = createServer((near) => {
    if (!isWhole) return void near.destroy();
    const far = connect(Number(target.port || defaultPort), target.hostname);
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(socket);
      socket.on('error', () => socket.destroy());
      socket.on('close', () => {
        sockets.delete(socket);
        other.destroy();
      });
    }
    near.pipe(far).pipe(near);
  });
  const cut = (): void => {
    isWhole = false;
    for (const socket of sockets) socket.destroy();
  };
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = new URL(target);
  url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: url.href.replace(/\/$/, ''),
    cut,
    mend: () => void (isWhole = true),
    close: (): Promise<void> => {
      cut();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

export interface ServiceProcess {
  readonly lines: () => readonly Record<string, unknown>[];
  readonly text: () => string;
  readonly exited: Promise<number | null>;
  /** The address of its health listener, once it has told it. */
  readonly healthUrl: () => string | undefined;
  readonly kill: (signal: NodeJS.Signals) => boolean;
}

function follow(child: ChildProcess): ServiceProcess {
  let output = '';
  let healthUrl: string | undefined;
  child.on('message', (message: { readonly listening?: { readonly health?: string } }) => {
    healthUrl = message.listening?.health ?? healthUrl;
  });
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const exited = new Promise<number | null>((resolve) => child.once('close', (code) => resolve(code)));
  const lines = () =>
    output
      .split('\n')
      .filter((line) => line.startsWith('{') && line.endsWith('}'))
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  return { lines, text: () => output, exited, healthUrl: () => healthUrl, kill: (signal) => child.kill(signal) };
}

/** Starts processes of the tiny service over the compiled libraries, and ends what is left of them. */
export function createProcesses(noun: string) {
  const children: ChildProcess[] = [];
  return {
    start(environment: Readonly<Record<string, string>>, ...argv: readonly string[]): ServiceProcess {
      const child = spawn(process.execPath, [ENTRY_POINT, ...argv], {
        env: { ...environment, NOUN: noun },
        stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      });
      children.push(child);
      return follow(child);
    },
    async end(): Promise<void> {
      for (const child of children) {
        if (child.exitCode !== null || child.signalCode !== null) continue;
        const closed = new Promise((resolve) => child.once('close', resolve));
        child.kill('SIGKILL');
        await closed;
      }
    },
  };
}
