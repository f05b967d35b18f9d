import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Broker } from './nats-broker';
import { startKept } from './server-keeper';
import { StackFailure } from './stack-failure';

/** The INFO line of a NATS server, or undefined if none answers within two seconds. */
export function readNatsInfo(url: string): Promise<Readonly<Record<string, unknown>> | undefined> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    let text = '';
    const socket = connect({ host: hostname.replace(/^\[|\]$/g, ''), port: Number(port || 4222) });
    const end = (info?: Record<string, unknown>) => {
      socket.destroy();
      resolve(info);
    };
    socket.setTimeout(2000, () => end());
    socket.once('error', () => end());
    socket.once('close', () => end());
    socket.on('data', (chunk) => {
      text += chunk.toString('utf8');
      const json = /^INFO (\{.*\})\s*\r\n/.exec(text)?.[1];
      if (json !== undefined) end(JSON.parse(json) as Record<string, unknown>);
      else if (text.length > 65_536 || text.includes('\r\n')) end();
    });
  });
}

/** A server in a separate process. */
export interface NatsServerProcess extends Broker {
  /** The process id of its keeper, the parent of the server. */
  readonly keeperPid: number | undefined;
  /** SIGKILL. */
  kill(): Promise<void>;
}

const START_MILLISECONDS = 60_000;
/** What nats-server logs when it listens. */
const LISTENING = /Listening for client connections on (127\.0\.0\.1:\d+)/;

/**
 * Starts a `nats-server` binary on a loopback port of its own choice, with additional arguments; unless these name a
 * configuration, with one that allows messages of 2 MiB. It always ends with this process.
 * @throws StackFailure `nats_server_start_failed`
 */
export async function startNatsServer(binary: string, argv: readonly string[] = []): Promise<NatsServerProcess> {
  const folder = argv.includes('-c') ? undefined : mkdtempSync(path.join(tmpdir(), 'vestibule-nats-'));
  try {
    return await launch(binary, [...argv, ...(folder === undefined ? [] : ['-c', writeConfiguration(folder)])]);
  } finally {
    // It was read once, at the start.
    if (folder !== undefined) rmSync(folder, { recursive: true });
  }
}

/** What the apps demand of a server: its own default is 1 MiB. */
function writeConfiguration(folder: string): string {
  const file = path.join(folder, 'nats.conf');
  writeFileSync(file, 'max_payload: 2MB\n');
  return file;
}

async function launch(binary: string, argv: readonly string[]): Promise<NatsServerProcess> {
  let address: string | undefined;
  const onLine = (line: string) => void (address ??= LISTENING.exec(line)?.[1]);
  // -1 means any port.
  const server = startKept({
    user: { name: 'this user' },
    command: [binary, '-a', '127.0.0.1', '-p', '-1', ...argv],
    onLine,
  });
  let ended = false;
  void server.exited.then(() => (ended = true));
  const deadline = performance.now() + START_MILLISECONDS;
  while (!ended && performance.now() < deadline) {
    const url = `nats://${address}`;
    if (address !== undefined && (await readNatsInfo(url))) {
      return { url, keeperPid: server.process.pid, stop: server.stop, kill: server.kill };
    }
    await Promise.race([sleep(10), server.exited]);
  }
  await server.stop();
  const log = server.log.lines().slice(-5).join(' | ');
  throw new StackFailure('nats_server_start_failed', `${binary} did not start. Its last lines: ${log}`);
}
