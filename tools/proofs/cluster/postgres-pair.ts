import { execFileSync } from 'node:child_process';
import { appendFileSync, chownSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  choosePort,
  startEmbeddedPostgres,
  startTcpProxy,
  type EmbeddedPostgres,
  type TcpProxy,
} from '@vestibule/dev-stack';
import { Client } from 'pg';

/** A primary and its standby behind one address. */
export interface PostgresPair {
  /** The address of the services, which leads to the primary. */
  readonly proxy: TcpProxy;
  /** The superuser's URL of the server that is the primary now. */
  adminUrl(): string;
  /** Holds back what goes to the standby, until the primary is killed: as a standby far away lags. */
  lag(): void;
  /** Kills the primary, promotes the standby and sends the address to it. Resolves when it takes writes. */
  failOver(): Promise<void>;
  stop(): Promise<void>;
}

/** Whether a commit waits for the standby. */
export type Replication = 'synchronous' | 'asynchronous';

const STANDBY = 'standby';
const SYNC_MILLISECONDS = 60_000;
const portOf = (url: string): number => Number(new URL(url).port);

async function ask(url: string, sql: string): Promise<readonly Record<string, unknown>[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end();
  }
}

/** A base backup: a copy of the files of a server that has stopped in order. */
function copyCluster(from: string, to: string, primaryUrl: string): void {
  mkdirSync(to, { mode: 0o711 });
  execFileSync('cp', ['-a', `${from}/.`, to]);
  const cluster = path.join(to, 'cluster');
  const { uid, gid } = statSync(cluster);
  const { port, password } = new URL(primaryUrl);
  const connection = `host=127.0.0.1 port=${port} user=postgres password=${password} application_name=${STANDBY}`;
  appendFileSync(path.join(cluster, 'postgresql.auto.conf'), `primary_conninfo = '${connection}'\n`);
  const signal = path.join(cluster, 'standby.signal');
  writeFileSync(signal, '');
  chownSync(signal, uid, gid);
}

/** From then on the standby has what the primary has: with each commit, or soon after it. */
async function untilReplicated(adminUrl: string, replication: Replication): Promise<void> {
  if (replication === 'synchronous') {
    await ask(adminUrl, `ALTER SYSTEM SET synchronous_standby_names = '${STANDBY}'`);
    await ask(adminUrl, 'SELECT pg_reload_conf()');
  }
  const wanted = replication === 'synchronous' ? 'sync' : 'async';
  const deadline = performance.now() + SYNC_MILLISECONDS;
  for (;;) {
    const [row] = await ask(adminUrl, `SELECT sync_state FROM pg_stat_replication WHERE state = 'streaming'`);
    if (row?.['sync_state'] === wanted) return;
    if (performance.now() > deadline) throw new Error(`the standby does not become ${replication}`);
    await sleep(100);
  }
}

/** Starts both in `folder`. */
export async function startPostgresPair(folder: string, replication: Replication): Promise<PostgresPair> {
  const [first, second] = [path.join(folder, 'first'), path.join(folder, 'second')];
  const port = await choosePort(0, 0);
  const findPort = () => Promise.resolve(port);
  const initial = await startEmbeddedPostgres({ dataFolder: first, findPort });
  await initial.stop();
  const stream = await startTcpProxy(port);
  copyCluster(first, second, stream.urlFor(initial.adminUrl));
  const primary = await startEmbeddedPostgres({ dataFolder: first, findPort });
  const standby = await startEmbeddedPostgres({ dataFolder: second });
  await untilReplicated(primary.adminUrl, replication);
  const proxy = await startTcpProxy(portOf(primary.adminUrl));
  let current: EmbeddedPostgres = primary;
  return {
    proxy,
    adminUrl: () => current.adminUrl,
    lag: () => stream.freeze(),
    async failOver() {
      await primary.kill();
      proxy.cut();
      // What was on its way is lost with the primary.
      stream.block();
      await ask(standby.adminUrl, 'SELECT pg_promote(true, 60)');
      current = standby;
      proxy.redirect(portOf(standby.adminUrl));
    },
    async stop() {
      await proxy.stop();
      await stream.stop();
      await standby.stop();
      await primary.stop();
    },
  };
}
