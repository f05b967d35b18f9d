import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import {
  choosePort,
  startBroker,
  startCallbackReceiver,
  startEmbeddedPostgres,
  type AppName,
  type CallbackReceiver,
  type startStack,
  type Stack,
  USUAL_PORTS,
} from '@vestibule/dev-stack';
import { Client } from 'pg';
import { startBalancer, type Balancer } from '../chaos/balancer';
import { findDifferences } from '../chaos/differences';
import { seen, settle } from '../chaos/settling';
import { STATUS_SETTINGS } from '../chaos/status-settings';
import { judgeFlows } from '../chaos/verdict';
import type { Installation } from '../chaos/world';
import { createHolders, startFlows } from './ongoing-flows';

export type Start = typeof startStack;

/** A version whose processes can be started and stopped beside those of the other one. */
interface Version {
  readonly name: string;
  readonly start: () => Promise<Running>;
}

interface Place {
  readonly folder: string;
  readonly natsUrl: string;
  readonly databaseUrl: string;
  readonly callbackUrl: string;
  readonly management: Balancer;
  readonly wallets: Balancer;
  readonly onLog: (label: string, line: string) => void;
}

const SERVICES: readonly AppName[] = ['verifier', 'issuer', 'wallet-store'];
const STAGE_MILLISECONDS = 12_000;
/** The shortest that services accept. */
const RETENTION_SECONDS = 60;
const PURGED_MILLISECONDS = 120_000;
const NO_DATABASES = { verifier: 'postgres://none', issuer: 'postgres://none', wallet_store: 'postgres://none' };

const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** The processes of one version that run. */
interface Running {
  readonly services: Stack;
  readonly gateway: Stack;
  readonly publicUrl: string;
}

/** Gateways of all running versions are behind the balancers: an address belongs to no version. */
function leadTo({ management, wallets }: Place, running: readonly Running[]): void {
  const targetsOf = (addressOf: (one: Running) => string) =>
    running.map((one) => ({
      address: () => addressOf(one),
      healthUrl: () => `${one.gateway.managementUrl}/health/ready`,
    }));
  management.setTargets(targetsOf(({ gateway }) => gateway.managementUrl));
  wallets.setTargets(targetsOf(({ publicUrl }) => publicUrl));
}

/** A gateway and the services of one version, with the secrets and keys of the installation. */
async function startVersion(place: Place, name: string, start: Start): Promise<Running> {
  const { natsUrl, databaseUrl, callbackUrl, wallets } = place;
  const publicPort = await choosePort(USUAL_PORTS.public, 0);
  const ports = { management: 0, public: publicPort };
  const onLog = (label: string, line: string) => place.onLog(`${name} ${label}`, line);
  const addresses = { baseUrl: wallets.url, issuerUrl: wallets.url };
  const options = { natsUrl, callbackUrl, signsCallbacks: true, onLog, ...addresses };
  const ended = { RETENTION_SECONDS: String(RETENTION_SECONDS) };
  const services = await start({
    ...options,
    databaseUrl,
    ports: { management: 0, public: 0 },
    dataFolder: path.join(place.folder, name),
    apps: SERVICES,
    environment: {
      verifier: { ...ended, ...STATUS_SETTINGS.verifier },
      issuer: { ...ended, ...STATUS_SETTINGS.issuer },
    },
  });
  try {
    const environment = { gateway: { RATE_LIMIT_PER_MINUTE: '0' } };
    const gateway = await start({ ...options, ports, databaseUrls: NO_DATABASES, apps: ['gateway'], environment });
    return { services, gateway, publicUrl: `http://127.0.0.1:${publicPort}` };
  } catch (error) {
    await services.stop();
    throw error;
  }
}

/** The gateway first, so that its last questions are still answered. */
async function stopAll({ services, gateway }: Running): Promise<void> {
  await gateway.stop();
  await services.stop();
}

/** SIGKILL to every service of a version, and a new start. */
async function killServices({ services }: Running): Promise<void> {
  for (const process of services.processes) {
    await process.kill('SIGKILL');
    process.launch();
    await process.waitUntilReady(60_000);
  }
}

async function rowsLeft(databaseUrl: string): Promise<Readonly<Record<string, number>>> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const counts: Record<string, number> = {};
    for (const table of [
      'verifier.presentation_request',
      'verifier.callback',
      'issuer.credential_offer',
      'issuer.callback',
    ]) {
      const { rows } = await client.query<{ n: number }>(`SELECT count(*)::int AS n FROM ${table}`);
      counts[table] = rows[0]?.n ?? 0;
    }
    return counts;
  } finally {
    await client.end();
  }
}

/** Everything that is kept for ended flows, whichever version ended them, is deleted by the one that is left. */
async function findRemains(databaseUrl: string): Promise<readonly string[]> {
  const deadline = performance.now() + PURGED_MILLISECONDS;
  for (;;) {
    const left = Object.entries(await rowsLeft(databaseUrl)).filter(([, count]) => count > 0);
    if (left.length === 0) return [];
    if (performance.now() > deadline) return left.map(([table, count]) => `${table} keeps ${count} rows`);
    await pause(1_000);
  }
}

/** What happens while flows go on: the upgrade, a crash on either side, and the way back. */
async function* stages(place: Place, previous: Version, current: Version) {
  let older = await previous.start();
  leadTo(place, [older]);
  yield { name: 'the previous version alone', running: [older] };
  const newer = await current.start();
  leadTo(place, [older, newer]);
  yield { name: 'both versions', running: [older, newer] };
  await killServices(older);
  yield { name: 'both, after services of the previous one were killed', running: [older, newer] };
  await killServices(newer);
  yield { name: 'both, after services of this one were killed', running: [older, newer] };
  leadTo(place, [newer]);
  await stopAll(older);
  yield { name: 'this version alone', running: [newer] };
  older = await previous.start();
  leadTo(place, [older, newer]);
  yield { name: 'both, on the way back', running: [older, newer] };
  leadTo(place, [older]);
  await stopAll(newer);
  yield { name: 'the previous version alone, over the schema and rows of this one', running: [older] };
}

interface Result {
  readonly flows: number;
  readonly ends: Readonly<Record<string, number>>;
  readonly faults: readonly string[];
  /** Warnings and errors in the logs, and how often each came. */
  readonly logged: ReadonlyMap<string, number>;
}

function noting(logged: Map<string, number>) {
  return (label: string, line: string): void => {
    if (!line.startsWith('{')) return;
    const { level, msg, result } = JSON.parse(line) as { level?: string; msg?: string; result?: string };
    if (level !== 'warn' && level !== 'error') return;
    const key = [`${level} of the ${label}: ${msg ?? ''}`, result].filter(Boolean).join(', ');
    logged.set(key, (logged.get(key) ?? 0) + 1);
  };
}

interface Played {
  readonly place: Place;
  readonly backend: CallbackReceiver;
  readonly logged: ReadonlyMap<string, number>;
  readonly print: (line: string) => void;
}

/** The stages, one at a time, with flows from the first to the end of the last. */
async function play({ place, backend, logged, print }: Played, previous: Version, current: Version): Promise<Result> {
  const databaseUrl = () => place.databaseUrl;
  let running: readonly Running[] = [];
  let flows: ReturnType<typeof startFlows> | undefined;
  const worldOf = ([one]: readonly Running[]): Installation => ({
    stack: { ...(one as Running).services, managementUrl: place.management.url },
    backend,
    databaseUrl,
  });
  for await (const stage of stages(place, previous, current)) {
    ({ running } = stage);
    flows ??= startFlows(worldOf(running), await createHolders(worldOf(running)));
    await pause(STAGE_MILLISECONDS);
    print(`${stage.name}: ${flows.count()} flows so far`);
  }
  const { records, faults, stories } = await (flows as ReturnType<typeof startFlows>).end();
  const { waiting, dead } = await settle(worldOf(running));
  const outbox = waiting + dead === 0 ? [] : [`${waiting} events are still in the outbox, and ${dead} dead letters`];
  const callbacks = backend.received.map(seen);
  const verdict = judgeFlows(records, callbacks);
  const differences = findDifferences(stories, callbacks);
  const remains = await findRemains(place.databaseUrl);
  const errors = [...logged.keys()].filter((line) => line.startsWith('error'));
  const all = [...faults, ...verdict.faults, ...differences, ...outbox, ...remains, ...errors];
  return { flows: records.length, ends: verdict.ends, faults: all, logged };
}

/**
 * Flows of all kinds while an installation is upgraded, crashes, and goes back, with replicas of both versions beside each
 * other: each step of a flow may be of either. Every flow must have one end, its callbacks, and what its wallet holds; and
 * what is kept of it is deleted in the end.
 */
export async function upgradeAndBack(
  previousStart: Start,
  currentStart: Start,
  print: (line: string) => void,
): Promise<Result> {
  const closers: (() => Promise<unknown>)[] = [];
  const running = new Set<Running>();
  try {
    const folder = mkdtempSync(path.join(tmpdir(), 'vestibule-rolling-'));
    closers.push(async () => rmSync(folder, { recursive: true }));
    const postgres = await startEmbeddedPostgres({});
    closers.push(() => postgres.stop());
    const broker = await startBroker({ maxPayloadBytes: 2 * 1024 * 1024 });
    closers.push(() => broker.stop());
    // Every fifth event is refused at first: either version may make the next attempt.
    let answers = 0;
    const backend = await startCallbackReceiver({ respond: () => ((answers += 1) % 5 === 0 ? 503 : 204) });
    closers.push(() => backend.stop());
    const [management, wallets] = [await startBalancer(), await startBalancer()];
    closers.push(management.stop, wallets.stop);
    const logged = new Map<string, number>();
    const shared = { folder, natsUrl: broker.url, databaseUrl: postgres.adminUrl, callbackUrl: backend.url };
    const place: Place = { ...shared, management, wallets, onLog: noting(logged) };
    const version = (name: string, start: Start): Version => ({
      name,
      async start() {
        const started = await startVersion(place, name, start);
        running.add(started);
        const other = path.join(folder, name === 'previous' ? 'current' : 'previous', 'config');
        cpSync(path.join(folder, name, 'config'), other, { recursive: true, force: false });
        return started;
      },
    });
    closers.push(() => Promise.all([...running].map(stopAll)));
    return await play(
      { place, backend, logged, print },
      version('previous', previousStart),
      version('current', currentStart),
    );
  } finally {
    for (const close of closers.reverse()) await close();
  }
}
