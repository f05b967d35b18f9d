import { Worker } from 'node:worker_threads';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Wallet } from '@vestibule/demo-wallet';
import { createBackend, requestSample, type Stack } from '@vestibule/dev-stack';
import type { Pool } from 'pg';

const FLOWS_PER_SECOND = 4;
const CHUNK = 50_000;

const milliseconds = (value: number) => `${value.toFixed(0)} ms`;

/** A backend in a separate thread, so that receiving events costs the measured flows nothing but the machine's time. */
const BACKEND = `
  const { parentPort, workerData } = require('node:worker_threads');
  let held = workerData.holds ? [] : undefined;
  const answer = (response) => response.writeHead(204).end();
  const server = require('node:http').createServer((request, response) => {
    request.resume().on('end', () => (held ? held.push(response) : answer(response)));
  });
  parentPort.on('message', () => {
    held?.forEach(answer);
    held = undefined;
  });
  server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port));
`;

export interface Sink {
  readonly url: string;
  /** Answers what was held, and everything that follows. */
  open(): void;
  stop(): Promise<number>;
}

/** With `holds`, it answers nothing until it is opened. */
export async function startSink({ holds = false }: { readonly holds?: boolean } = {}): Promise<Sink> {
  const worker = new Worker(BACKEND, { eval: true, workerData: { holds } });
  const port = await new Promise<number>((resolve, reject) => {
    worker.once('message', resolve);
    worker.once('error', reject);
  });
  return {
    url: `http://127.0.0.1:${port}/callbacks`,
    open: () => worker.postMessage('open'),
    stop: () => worker.terminate(),
  };
}

/** Ended requests that are still kept, in chunks; `sessions` of realistic size for open ones. */
export async function seedRequests(pool: Pool, count: number, expiresAt: Date | undefined): Promise<void> {
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
export async function measureFlows(stack: Stack, wallet: Wallet, done: () => boolean): Promise<readonly number[]> {
  const flows: Promise<number>[] = [];
  const started = performance.now();
  while (!done()) {
    flows.push(runFlow(stack, wallet));
    const next = started + (flows.length * 1000) / FLOWS_PER_SECOND;
    await sleep(Math.max(0, next - performance.now()));
  }
  return Promise.all(flows);
}

/** The smallest time that is not exceeded by `fraction` of the times. */
export function quantile(times: readonly number[], fraction: number): number {
  const sorted = [...times].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.ceil(fraction * sorted.length) - 1)] ?? Number.NaN;
}

/** One line: how many flows, and how long they took. */
export function describeFlows(name: string, times: readonly number[]): string {
  const [middle, high] = [quantile(times, 0.5), quantile(times, 0.99)];
  return `${name.padEnd(34)} ${String(times.length).padStart(5)} flows, p50 ${milliseconds(middle)}, p99 ${milliseconds(high)}`;
}

/** The number that a statement counts. */
export async function countOf(pool: Pool, sql: string): Promise<number> {
  const { rows } = await pool.query<{ count: number }>(sql);
  return rows[0]?.count ?? Number.NaN;
}

/** Requests that are to be swept. */
export const OVERDUE_REQUESTS = `SELECT count(*)::int AS count FROM verifier.presentation_request WHERE status = 'PENDING' AND expires_at <= now()`;
/** Events that were not delivered yet. */
export const WAITING_EVENTS = 'SELECT count(*)::int AS count FROM verifier.callback WHERE dead_at IS NULL';
