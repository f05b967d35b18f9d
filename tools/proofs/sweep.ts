import { randomBytes } from 'node:crypto';
import { Worker } from 'node:worker_threads';
import { setTimeout as sleep } from 'node:timers/promises';
import { createWallet, type Wallet } from '@vestibule/demo-wallet';
import { createBackend, offerSample, requestSample, startStack, type Stack } from '@vestibule/dev-stack';
import { Pool } from 'pg';
import type { ToolContext } from '../start';

const FINISHED = 1_000_000;
const OVERDUE = 100_000;
const FLOWS_PER_SECOND = 4;
const BASELINE_SECONDS = 45;
/** Time for Postgres to come to rest after seeding, so that its remaining work is not counted as normal load. */
const SETTLING_SECONDS = 75;
const DELIVERY_SECONDS = 30;
const LIMIT_SECONDS = 60;
const LIMIT_FACTOR = 2;
const CHUNK = 50_000;

const print = (text = '') => void process.stdout.write(`${text}\n`);
const milliseconds = (value: number) => `${value.toFixed(0)} ms`;

/** A backend in a separate thread, so that receiving events costs the measured flows nothing but the machine's time. */
const BACKEND = `
  const { parentPort } = require('node:worker_threads');
  const server = require('node:http').createServer((request, response) => {
    request.resume().on('end', () => response.writeHead(204).end());
  });
  server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port));
`;

async function startBackend(): Promise<{ url: string; stop: () => Promise<number> }> {
  const worker = new Worker(BACKEND, { eval: true });
  const port = await new Promise<number>((resolve, reject) => {
    worker.once('message', resolve);
    worker.once('error', reject);
  });
  return { url: `http://127.0.0.1:${port}/callbacks`, stop: () => worker.terminate() };
}

/** Ended requests that are still kept, in chunks; `sessions` of realistic size for open ones. */
async function seed(pool: Pool, count: number, expiresAt: Date | undefined): Promise<void> {
  for (let done = 0; done < count; done += CHUNK) {
    await pool.query(
      `INSERT INTO verifier.presentation_request (state, status, session, created_at, expires_at, finished_at)
       SELECT decode(lpad(to_hex(extract(epoch FROM now())::int), 8, '0') || substr(md5(random()::text) || md5(n::text), 1, 40), 'hex'),
         CASE WHEN $2::timestamptz IS NULL THEN 'EXPIRED' ELSE 'PENDING' END,
         CASE WHEN $2::timestamptz IS NOT NULL THEN decode(repeat(md5(n::text), 75), 'hex') END,
         now(), coalesce($2::timestamptz, now()),
         CASE WHEN $2::timestamptz IS NULL THEN now() END
       FROM generate_series(1, $1::int) AS n`,
      [Math.min(CHUNK, count - done), expiresAt ?? null],
    );
  }
}

/** A verification from the backend's request to the wallet's answer; returns its milliseconds. */
async function runFlow(stack: Stack, wallet: Wallet): Promise<number> {
  const started = performance.now();
  const { crossDevice } = await requestSample(createBackend(stack));
  const { status } = await wallet.present(crossDevice);
  if (status !== 200) throw new Error(`a flow was answered with ${status}`);
  return performance.now() - started;
}

/** Starts flows at a steady rate, however long each takes, until `done`; returns the times of all that were started. */
async function measure(stack: Stack, wallet: Wallet, done: () => boolean): Promise<readonly number[]> {
  const flows: Promise<number>[] = [];
  const started = performance.now();
  while (!done()) {
    flows.push(runFlow(stack, wallet));
    const next = started + (flows.length * 1000) / FLOWS_PER_SECOND;
    await sleep(Math.max(0, next - performance.now()));
  }
  return Promise.all(flows);
}

function quantile(times: readonly number[], fraction: number): number {
  const sorted = [...times].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.ceil(fraction * sorted.length) - 1)] ?? Number.NaN;
}

function describe(name: string, times: readonly number[]): void {
  const [middle, high] = [quantile(times, 0.5), quantile(times, 0.99)];
  print(
    `${name.padEnd(34)} ${String(times.length).padStart(5)} flows, p50 ${milliseconds(middle)}, p99 ${milliseconds(high)}`,
  );
}

async function countOf(pool: Pool, sql: string): Promise<number> {
  const { rows } = await pool.query<{ count: number }>(sql);
  return rows[0]?.count ?? Number.NaN;
}

const OPEN = `SELECT count(*)::int AS count FROM verifier.presentation_request WHERE status = 'PENDING' AND expires_at <= now()`;
const WAITING = 'SELECT count(*)::int AS count FROM verifier.callback WHERE dead_at IS NULL';

async function bench(stack: Stack, pool: Pool, wallet: Wallet): Promise<boolean> {
  await seed(pool, FINISHED, undefined);
  await pool.query('VACUUM ANALYZE verifier.presentation_request');
  await measureUntil(stack, wallet, performance.now() + 5_000);
  const baselineAt = Date.now() + SETTLING_SECONDS * 1000;
  const expiresAt = new Date(baselineAt + BASELINE_SECONDS * 1000);
  await seed(pool, OVERDUE, expiresAt);
  await pool.query('VACUUM ANALYZE verifier.presentation_request');
  await pool.query('CHECKPOINT');
  await measure(stack, wallet, () => Date.now() >= baselineAt);
  print(`seeded: ${FINISHED} ended requests, ${OVERDUE} that all expire at the same moment`);
  const normal = await measure(stack, wallet, () => Date.now() >= expiresAt.getTime());
  describe('before', normal);
  const began = performance.now();
  let seconds: number | undefined;
  const watching = (async () => {
    await sleep(1_000);
    while ((await countOf(pool, OPEN)) > 0) await sleep(100);
    seconds = (performance.now() - began) / 1000;
  })();
  const during = await measure(stack, wallet, () => seconds !== undefined);
  await watching;
  describe('while they are swept', during);
  print(`${'swept in'.padEnd(34)} ${(seconds as number).toFixed(1)} s`);
  const [waiting, from] = [await countOf(pool, WAITING), performance.now()];
  const after = await measure(stack, wallet, () => performance.now() > from + DELIVERY_SECONDS * 1000);
  describe('while the events go out', after);
  const delivered = (waiting - (await countOf(pool, WAITING))) / ((performance.now() - from) / 1000);
  print(`${'delivered meanwhile'.padEnd(34)} ${delivered.toFixed(0)} events per second`);
  const factor = quantile(during, 0.99) / quantile(normal, 0.99);
  print(`p99 while sweeping is ${factor.toFixed(2)} times the normal one`);
  return (seconds as number) < LIMIT_SECONDS && factor < LIMIT_FACTOR;
}

const measureUntil = (stack: Stack, wallet: Wallet, end: number) =>
  measure(stack, wallet, () => performance.now() > end);

/**
 * `npm run bench:sweep`: 1,000,000 ended requests in the table, 100,000 that expire at the same moment, and
 * verifications in the meantime. Exit code 0 if the sweep took less than a minute and p99 of the flows stayed under
 * twice its normal value.
 */
export async function main(_context: ToolContext): Promise<number> {
  const backend = await startBackend();
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
