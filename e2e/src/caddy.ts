import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { findProgram } from '@vestibule/dev-stack';
import { until } from '@vestibule/testkit';

const CADDYFILE = path.resolve(__dirname, '../../deploy/Caddyfile');

/** Where Caddy is installed, if it is. */
export const caddyBinary = findProgram('caddy');

/** A port of the loopback address that is free now; Caddy does not say which one it has chosen. */
function aPort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer();
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
}

/** A program and every line that it writes. */
export function runProgram(program: string, argv: readonly string[], env: Record<string, string>) {
  const child = spawn(program, argv, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const output: string[] = [];
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => output.push(chunk.toString()));
  return { child, text: () => output.join('') };
}

/** Sends SIGTERM and waits. */
export async function endProgram(child: ChildProcess | undefined): Promise<void> {
  if (!child || child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  await ended;
}

export interface Caddy {
  /** Of `https://localhost`. */
  readonly port: number;
  /** PEM of the authority of its certificate. */
  readonly ca: string;
  /** The file that it is in. */
  readonly caFile: string;
  stop(): Promise<void>;
}

/** Starts Caddy with deploy/Caddyfile before a gateway at `host:port`. */
export async function startCaddy(upstream: string): Promise<Caddy> {
  const folder = mkdtempSync(path.join(tmpdir(), 'vestibule-caddy-'));
  const file = path.join(folder, 'Caddyfile');
  // The one that is shipped, but for the port 80, which is not ours.
  writeFileSync(
    file,
    readFileSync(CADDYFILE, 'utf8').replace('admin off', 'admin off\n\tauto_https disable_redirects'),
  );
  for (;;) {
    const port = await aPort();
    const { child, text } = runProgram(String(caddyBinary), ['run', '--config', file, '--adapter', 'caddyfile'], {
      PUBLIC_NAME: `https://localhost:${port}`,
      GATEWAY: upstream,
      XDG_DATA_HOME: folder,
      XDG_CONFIG_HOME: folder,
      HOME: folder,
    });
    await until(() => child.exitCode !== null || text().includes('serving initial configuration'));
    if (child.exitCode !== null) {
      if (text().includes('address already in use')) continue;
      throw new Error(text());
    }
    const caFile = path.join(folder, 'caddy/pki/authorities/local/root.crt');
    await until(() => existsSync(caFile));
    return {
      port,
      ca: readFileSync(caFile, 'utf8'),
      caFile,
      async stop() {
        await endProgram(child);
        rmSync(folder, { recursive: true });
      },
    };
  }
}
