import { randomBytes } from 'node:crypto';
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
} from './steady-flows';

const FINISHED = 1_000_000;
const OVERDUE = 100_000;
const BASELINE_SECONDS = 45;
/** Time for Postgres to come to rest after seeding, so that its remaining work is not counted as normal load. */
const SETTLING_SECONDS = 75;
const DELIVERY_SECONDS = 30;
const LIMIT_SECONDS = 60;
const LIMIT_FACTOR = 2;

const print = (text = '') => void process.stdout.write(`${text}\n`);

async function bench(stack: Stack, pool: Pool, wallet: Wallet): Promise<boolean> {
  await seedRequests(pool, FINISHED, undefined);
  await pool.query('VACUUM ANALYZE verifier.presentation_request');
  await measureUntil(stack, wallet, performance.now() + 5_000);
  const baselineAt = Date.now() + SETTLING_SECONDS * 1000;
  const expiresAt = new Date(baselineAt + BASELINE_SECONDS * 1000);
  await seedRequests(pool, OVERDUE, expiresAt);
  await pool.query('VACUUM ANALYZE verifier.presentation_request');
  await pool.query('CHECKPOINT');
  await measureFlows(stack, wallet, () => Date.now() >= baselineAt);
  print(`seeded: ${FINISHED} ended requests, ${OVERDUE} that all expire at the same moment`);
  const normal = await measureFlows(stack, wallet, () => Date.now() >= expiresAt.getTime());
  print(describeFlows('before', normal));
  const began = performance.now();
  let seconds: number | undefined;
  const watching = (async () => {
    await sleep(1_000);
    while ((await countOf(pool, OVERDUE_REQUESTS)) > 0) await sleep(100);
    seconds = (performance.now() - began) / 1000;
  })();
  const during = await measureFlows(stack, wallet, () => seconds !== undefined);
  await watching;
  print(describeFlows('while they are swept', during));
  print(`${'swept in'.padEnd(34)} ${(seconds as number).toFixed(1)} s`);
  const [waiting, from] = [await countOf(pool, WAITING_EVENTS), performance.now()];
  const after = await measureFlows(stack, wallet, () => performance.now() > from + DELIVERY_SECONDS * 1000);
  print(describeFlows('while the events go out', after));
  const delivered = (waiting - (await countOf(pool, WAITING_EVENTS))) / ((performance.now() - from) / 1000);
  print(`${'delivered meanwhile'.padEnd(34)} ${delivered.toFixed(0)} events per second`);
  const factor = quantile(during, 0.99) / quantile(normal, 0.99);
  print(`p99 while sweeping is ${factor.toFixed(2)} times the normal one`);
  return (seconds as number) < LIMIT_SECONDS && factor < LIMIT_FACTOR;
}

const measureUntil = (stack: Stack, wallet: Wallet, end: number) =>
  measureFlows(stack, wallet, () => performance.now() > end);

/**
 * `npm run bench:sweep`: 1,000,000 ended requests in the table, 100,000 that expire at the same moment, and
 * verifications in the meantime. Exit code 0 if the sweep took less than a minute and p99 of the flows stayed under
 * twice its normal value.
 */
export async function main(_context: ToolContext): Promise<number> {
  const backend = await startSink();
  const environment = { RATE_LIMIT_PER_MINUTE: '0' };
  const quiet = { LOG_LEVEL: 'warn', CALLBACK_CONCURRENCY: '16' };
  const stack = await startStack({
    callbackUrl: backend.url,
    environment: { gateway: environment, verifier: quiet, issuer: quiet },
  });
  const pool = new Pool({ connectionString: stack.databaseAdminUrl, max: 2 });
  try {
    const wallet = createWallet();
    await wallet.redeemOffer((await offerSample(createBackend(stack))).uri);
    print(`run ${randomBytes(4).toString('hex')}, ${new Date().toISOString()}, Node ${process.version}`);
    return (await bench(stack, pool, wallet)) ? 0 : 1;
  } finally {
    await pool.end();
    await stack.stop();
    await backend.stop();
  }
}
