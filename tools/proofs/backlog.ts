import { setTimeout as sleep } from 'node:timers/promises';
import { createWallet, type Wallet } from '@vestibule/demo-wallet';
import { createBackend, offerSample, startStack, type Stack } from '@vestibule/dev-stack';
import { Pool } from 'pg';
import type { ToolContext } from '../start';
import {
  countOf,
  describeFlows,
  measureFlows,
  OVERDUE_REQUESTS,
  quantile,
  seedRequests,
  startSink,
  WAITING_EVENTS,
  type Sink,
} from './steady-flows';

const USUAL_EVENTS = 50_000;
const MOST_EVENTS = 1_000_000;
const WARM_UP_MILLISECONDS = 15_000;
const BASELINE_MILLISECONDS = 30_000;
const LOOK_MILLISECONDS = 250;
/** The backlog is watched in so many parts of the same size. */
const PARTS = 10;
const LIMIT_FACTOR = 2;
/** What is left of it then may be events that the receiver did not answer before, which have to wait for their next attempt. */
const WATCHED = 0.99;
/** The slowest part takes at most so many times as long as the fastest. */
const LIMIT_UNEVENNESS = 2;

const print = (text = '') => void process.stdout.write(`${text}\n`);

/** When each part of a backlog had gone out: milliseconds since `started`, in order. */
async function watchParts(pool: Pool, events: number, started: number): Promise<readonly number[]> {
  const ends: number[] = [];
  while (ends.length < PARTS) {
    const waiting = await countOf(pool, WAITING_EVENTS);
    while (ends.length < PARTS && waiting <= events * (1 - (WATCHED * (ends.length + 1)) / PARTS))
      ends.push(performance.now() - started);
    await sleep(LOOK_MILLISECONDS);
  }
  return ends;
}

const ratesOf = (ends: readonly number[], events: number) =>
  ends.map((end, part) => (WATCHED * events) / PARTS / ((end - (ends[part - 1] ?? 0)) / 1000));

async function drain(stack: Stack, pool: Pool, { wallet, events, sink }: Backlog): Promise<boolean> {
  await measureFlows(stack, wallet, past(WARM_UP_MILLISECONDS));
  const normal = await measureFlows(stack, wallet, past(BASELINE_MILLISECONDS));
  print(describeFlows('before', normal));
  await seedRequests(pool, events, new Date());
  while ((await countOf(pool, OVERDUE_REQUESTS)) > 0) await sleep(LOOK_MILLISECONDS);
  const waiting = await countOf(pool, WAITING_EVENTS);
  print(`${waiting} events wait for a receiver that does not answer, and answers now`);
  sink.open();
  let ends: readonly number[] | undefined;
  const watching = watchParts(pool, waiting, performance.now()).then((seen) => (ends = seen));
  const during = await measureFlows(stack, wallet, () => ends !== undefined);
  print(describeFlows('while the events go out', during));
  const rates = ratesOf(await watching, waiting);
  print(`events per second, in tenths         ${rates.map((rate) => rate.toFixed(0)).join(' ')}`);
  const factor = quantile(during, 0.99) / quantile(normal, 0.99);
  const unevenness = Math.max(...rates) / Math.min(...rates);
  print(
    `p99 is ${factor.toFixed(2)} times the normal one, the fastest tenth ${unevenness.toFixed(2)} times as fast as the slowest`,
  );
  return factor < LIMIT_FACTOR && unevenness < LIMIT_UNEVENNESS;
}

interface Backlog {
  readonly wallet: Wallet;
  readonly events: number;
  readonly sink: Sink;
}

function past(milliseconds: number): () => boolean {
  const end = performance.now() + milliseconds;
  return () => performance.now() > end;
}

function eventsIn([name, value, ...more]: readonly string[]): number | undefined {
  if (name === undefined) return USUAL_EVENTS;
  const events = Number(value);
  const isUsable = name === '--events' && more.length === 0 && Number.isInteger(events);
  return isUsable && events >= PARTS && events <= MOST_EVENTS ? events : undefined;
}

/**
 * `npm run bench:backlog`: requests that expire while the backend does not answer; once it does, their events go out
 * while verifications continue. Exit code 0 if they go out evenly and the p99 of the flows stays under twice its normal
 * value.
 */
export async function main({ argv }: ToolContext): Promise<number> {
  const events = eventsIn(argv);
  if (events === undefined) {
    print(`usage: npm run bench:backlog -- [--events <${PARTS}..${MOST_EVENTS}>]    default ${USUAL_EVENTS}`);
    return 2;
  }
  const sink = await startSink({ holds: true });
  const quiet = { LOG_LEVEL: 'warn' };
  const stack = await startStack({
    callbackUrl: sink.url,
    environment: { gateway: { RATE_LIMIT_PER_MINUTE: '0' }, verifier: quiet, issuer: quiet },
  });
  const pool = new Pool({ connectionString: stack.databaseAdminUrl, max: 2 });
  try {
    const wallet = createWallet();
    await wallet.redeemOffer((await offerSample(createBackend(stack))).uri);
    return (await drain(stack, pool, { wallet, events, sink })) ? 0 : 1;
  } finally {
    await pool.end();
    await stack.stop();
    await sink.stop();
  }
}
