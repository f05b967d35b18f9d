import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  createBackend,
  provisionDatabase,
  requestSample,
  startCallbackReceiver,
  startStack,
  type ServiceUrls,
} from '@vestibule/dev-stack';
import type { ToolContext } from '../start';
import { findDifferences } from './chaos/differences';
import { createHolder, runFlow, type Holder, type RunFlow } from './chaos/flows';
import { findRemains } from './chaos/remains';
import { readEnds, recover, seen, settle } from './chaos/settling';
import { changeStatuses } from './chaos/status-changes';
import { STATUS_SETTINGS } from './chaos/status-settings';
import { judgeFlows } from './chaos/verdict';
import type { Installation } from './chaos/world';
import { judgeLoss } from './cluster/loss';
import { startNatsCluster, type NatsCluster } from './cluster/nats-cluster';
import { startPostgresPair, type PostgresPair, type Replication } from './cluster/postgres-pair';

const ASYNCHRONOUS = '--asynchronous';
/** How far an asynchronous standby is behind when the primary dies. */
const LAG_MILLISECONDS = 1_000;
const DATABASE = 'vestibule';
const HOLDERS = 2;
const FLOWS_PER_HOLDER = 3;
const PATIENCE_MILLISECONDS = 60_000;
/** Between two disturbances: flows of this time are undisturbed. */
const REST_MILLISECONDS = 4_000;
const DOWN_MILLISECONDS = 3_000;

const print = (text: string) => void process.stdout.write(`${text}\n`);
const seconds = (milliseconds: number) => `${(milliseconds / 1000).toFixed(1)} s`;

interface World extends Installation {
  readonly replication: Replication;
  readonly nats: NatsCluster;
  readonly postgres: PostgresPair;
}

type OnClose = (close: () => unknown) => void;

/** The settings in deploy/nats.conf for vanished clients and for the payload size. */
function writeNatsConfiguration(root: string, folder: string): string {
  const lines = readFileSync(path.join(root, 'deploy/nats.conf'), 'utf8').split('\n');
  const file = path.join(folder, 'nats.conf');
  writeFileSync(file, lines.filter((line) => /^(?:ping_interval|ping_max|max_payload)\b/.test(line)).join('\n'));
  return file;
}

async function openDatabase({ proxy, adminUrl }: PostgresPair): Promise<ServiceUrls> {
  const password = () => randomBytes(24).toString('base64url');
  const passwords = { verifier: password(), issuer: password(), wallet_store: password() };
  const urls = await provisionDatabase({ adminUrl: adminUrl(), database: DATABASE, passwords });
  return Object.fromEntries(Object.entries(urls).map(([name, url]) => [name, proxy.urlFor(url)])) as ServiceUrls;
}

/** Two replicas of each service over three NATS servers, and a primary with a synchronous standby. */
async function openWorld({ root, environment, argv }: ToolContext, folder: string, onClose: OnClose): Promise<World> {
  const replication = argv.includes(ASYNCHRONOUS) ? 'asynchronous' : 'synchronous';
  const postgres = await startPostgresPair(folder, replication);
  onClose(() => postgres.stop());
  const nats = await startNatsCluster(environment['PATH'], writeNatsConfiguration(root, folder));
  onClose(() => nats.stop());
  const backend = await startCallbackReceiver();
  onClose(() => backend.stop());
  const stack = await startStack({
    dataFolder: path.join(folder, 'stack'),
    databaseUrls: await openDatabase(postgres),
    natsUrl: nats.urls,
    callbackUrl: backend.url,
    signsCallbacks: true,
    ports: { management: 0, public: 0 },
    apps: ['gateway', 'verifier', 'issuer'],
    replicas: { verifier: 2, issuer: 2 },
    environment: { gateway: { RATE_LIMIT_PER_MINUTE: '0' }, ...STATUS_SETTINGS },
  });
  onClose(() => stack.stop());
  const databaseUrl = () => postgres.adminUrl().replace(/\/postgres$/, `/${DATABASE}`);
  return { stack, backend, databaseUrl, nats, postgres, replication };
}

/** From now until a backend gets an answer to a question that it asked from now on. */
async function timeToWork({ stack }: World): Promise<number> {
  const started = performance.now();
  const deadline = started + PATIENCE_MILLISECONDS;
  for (;;) {
    try {
      await requestSample(createBackend(stack), { expires_in: 5 });
      return performance.now() - started;
    } catch (error) {
      if (performance.now() > deadline) throw error;
      await sleep(50);
    }
  }
}

interface Played {
  readonly flows: readonly RunFlow[];
  readonly faults: readonly string[];
}

/** Flows, a few at a time, until it is over. */
async function playFlows(world: World, holders: readonly Holder[], isOver: () => boolean): Promise<Played> {
  const flows: RunFlow[] = [];
  const faults: string[] = [];
  let next = 0;
  const work = async (holder: Holder) => {
    while (!isOver()) {
      const number = next;
      next += 1;
      await runFlow(world, holder, number).then(
        (flow) => void flows.push(flow),
        (error: unknown) => void faults.push(`flow ${number}: ${String(error)}`),
      );
    }
  };
  await Promise.all(holders.flatMap((holder) => Array.from({ length: FLOWS_PER_HOLDER }, () => work(holder))));
  return { flows, faults };
}

/** Kills each NATS server once, then the primary. */
async function disturb(world: World): Promise<void> {
  const { nats, postgres, replication } = world;
  for (let number = 0; number < nats.size; number += 1) {
    await sleep(REST_MILLISECONDS);
    await nats.kill(number);
    print(`NATS server ${number + 1} of ${nats.size} killed: answered after ${seconds(await timeToWork(world))}`);
    await sleep(DOWN_MILLISECONDS);
    await nats.start(number);
  }
  await sleep(REST_MILLISECONDS);
  if (replication === 'asynchronous') {
    postgres.lag();
    await sleep(LAG_MILLISECONDS);
  }
  const killedAt = performance.now();
  const promotion = postgres.failOver();
  const works = timeToWork(world);
  await promotion;
  print(`primary killed: standby promoted after ${seconds(performance.now() - killedAt)}`);
  print(`primary killed: answered after ${seconds(await works)}`);
  await sleep(REST_MILLISECONDS);
}

async function prove(world: World, root: string): Promise<readonly string[]> {
  const patience = { deadline: performance.now() + PATIENCE_MILLISECONDS };
  const holders = await Promise.all(Array.from({ length: HOLDERS }, () => createHolder(world, patience)));
  let isOver = false;
  const playing = playFlows(world, holders, () => isOver);
  const changed: RunFlow[] = [];
  const changing = changeStatuses(
    world,
    () => isOver,
    async (flow) => void changed.push(flow),
  );
  await disturb(world).finally(() => void (isOver = true));
  const played = await playing;
  const faults = [...played.faults, ...(await changing)];
  const flows = [...played.flows, ...changed];
  const recovery = await recover(world);
  const records = recovery.length > 0 ? [] : await readEnds(world, flows);
  const { waiting, dead } = await settle(world);
  const callbacks = world.backend.received.map(seen);
  const verdict = judgeFlows(records, callbacks);
  const differences = findDifferences(
    flows.map(({ story }) => story),
    callbacks,
  );
  const ends = Object.entries(verdict.ends).map(([status, count]) => `${count} ${status}`);
  print(
    `${flows.length} flows on ${cpus().length} cores: ${ends.join(', ')}; ${callbacks.length} callbacks, ${verdict.repeats} again`,
  );
  const left = waiting + dead > 0 ? [`${waiting} events wait and ${dead} were given up`] : [];
  const remains = await findRemains(world, root);
  return [...faults, ...recovery, ...verdict.faults, ...differences, ...left, ...remains];
}

/** What was lost is what this run is for; all else is as wrong as with a synchronous standby. */
function printLoss(faults: readonly string[]): number {
  const lag = `a standby that was ${seconds(LAG_MILLISECONDS)} behind`;
  const { cost, unexplained } = judgeLoss(faults);
  print(cost > 0 ? `${lag} cost ${cost} flows, named above` : `FAILED: ${lag} lost nothing`);
  if (unexplained.length > 0) print(`FAILED, ${unexplained.length} faults that this does not explain.`);
  return cost > 0 && unexplained.length === 0 ? 0 : 1;
}

/**
 * Runs flows of both kinds over a NATS cluster of three and a Postgres with a synchronous standby, kills each NATS
 * server once, then the primary, and promotes the standby. Each flow must have exactly one end, its callback, and the
 * same outcome for wallet and backend, what was revoked must be refused, and no name of a person may be left: no wrong
 * answer, no lost event. With `--asynchronous`, the standby is a second behind, and the program prints what that loses.
 */
export async function main(context: ToolContext): Promise<number> {
  const folder = path.join(tmpdir(), `vestibule-cluster-${randomBytes(6).toString('hex')}`);
  mkdirSync(folder, { mode: 0o711 });
  const opened: (() => unknown)[] = [];
  let faults: readonly string[] = ['the run ended early'];
  try {
    const world = await openWorld(context, folder, (close) => void opened.push(close));
    print(`three NATS servers, a primary and its ${world.replication} standby, and two replicas of each service run`);
    faults = await prove(world, context.root);
  } finally {
    for (const close of opened.reverse()) await close();
    rmSync(folder, { recursive: true, force: true });
  }
  for (const fault of faults) print(`  ${fault}`);
  if (context.argv.includes(ASYNCHRONOUS)) return printLoss(faults);
  print(faults.length === 0 ? 'Passed: no wrong answer, no lost event.' : `FAILED, ${faults.length} faults.`);
  return faults.length === 0 ? 0 : 1;
}
