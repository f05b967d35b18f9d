import { fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { findProgram, startEmbeddedPostgres, startNatsServer } from '@vestibule/dev-stack';
import { BenchFailure } from './failure';

/** A server for a stack. */
export interface BenchServer {
  readonly url: string;
  /** The root of its process tree. */
  readonly pid: number;
  stop(): Promise<void>;
}

/** Postgres and NATS of one stack. */
export interface BenchServers {
  readonly postgres: BenchServer;
  readonly nats: BenchServer;
  /** Which NATS server it is. */
  readonly natsName: string;
  stop(): Promise<void>;
}

function pidOf(name: string, pid: number | undefined): number {
  if (pid === undefined) throw new BenchFailure('server_not_running', `${name} ended while it was started`);
  return pid;
}

async function startBrokerProcess(): Promise<BenchServer> {
  const child = fork(path.join(__dirname, 'broker-process.js'), { detached: true });
  const exited = once(child, 'exit');
  const ended = exited.then(() => {
    throw new BenchFailure('broker_ended', 'the process of the embedded NATS broker ended while it was started');
  });
  const [{ url }] = (await Promise.race([once(child, 'message'), ended])) as [{ url: string }];
  ended.catch(() => undefined);
  return {
    url,
    pid: pidOf('the embedded NATS broker', child.pid),
    async stop() {
      if (child.connected) child.disconnect();
      await exited;
    },
  };
}

async function startNats(searchPath: string | undefined): Promise<BenchServer> {
  const binary = findProgram('nats-server', searchPath);
  if (binary === undefined) return startBrokerProcess();
  const { url, keeperPid, stop } = await startNatsServer(binary);
  return { url, pid: pidOf('nats-server', keeperPid), stop };
}

/** Starts an embedded Postgres, and a real nats-server if one is installed, else the embedded broker. */
export async function startBenchServers(searchPath: string | undefined): Promise<BenchServers> {
  const nats = await startNats(searchPath);
  try {
    const { adminUrl, keeperPid, stop } = await startEmbeddedPostgres();
    return {
      postgres: { url: adminUrl, pid: pidOf('Postgres', keeperPid), stop },
      nats,
      natsName: findProgram('nats-server', searchPath) === undefined ? 'embedded broker' : 'nats-server',
      async stop() {
        await stop();
        await nats.stop();
      },
    };
  } catch (error) {
    await nats.stop();
    throw error;
  }
}
