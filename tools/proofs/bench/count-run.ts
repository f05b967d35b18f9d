import { setTimeout as sleep } from 'node:timers/promises';
import type { Checkout } from './checkout';
import {
  backgroundOf,
  countMessages,
  countStatements,
  perFlow,
  withoutBatches,
  type Background,
  type Counts,
} from './counted';
import { startCountingProxy } from './counting-proxy';
import { BenchFailure } from './failure';
import { FLOW_NAMES, type FlowName } from './flows';
import { countRows, keptExactly, keptPerFlow, measureCopies, measureKept, totalOf, type Sizes } from './kept-bytes';
import { BusNames, NatsTap } from './nats-tap';
import { PostgresTap, type Statement } from './postgres-tap';
import type { FlowCounts } from './result';
import { observe, type Stretch } from './rounds';
import { startRunningStack, type Redirection, type RunningStack } from './running-stack';
import type { BenchServers } from './servers';

/** The counts of a flow, in total and in detail. */
export interface CountedFlow extends FlowCounts {
  /** Each statement, message and table, per flow. */
  readonly parts: {
    readonly statements: Readonly<Record<string, number>>;
    readonly messages: Readonly<Record<string, number>>;
    readonly bytes: Sizes;
  };
  /** CPU of the flows whose bytes were measured: behind proxies and hardly warmed up, so for the report only. */
  readonly cpu: Stretch;
}

export type CountResult = Readonly<Record<FlowName, CountedFlow>>;

export interface CountWish {
  readonly checkout: Checkout;
  /** Whether credential requests and their answers are encrypted. */
  readonly encrypted: boolean;
  readonly searchPath: string | undefined;
  readonly progress: (text: string) => void;
  /** Called with everything that must be stopped in any case; it may be stopped again. */
  readonly onOpen: (stop: () => Promise<void>) => void;
}

/** Counted one by one: enough to see that every flow costs the same. */
const COUNTED_FLOWS = 20;
/** So many show how many rows a flow leaves; what a row takes is measured with more. */
const KEPT_FLOWS = 400;
const WARM_UP_FLOWS = 5;
const WALLETS = 8;
/**
 * The services poll once a second, for what has expired only 5 s after their start: after this time every kind of poll has
 * been seen.
 */
const REST_MILLISECONDS = 9_000;
const QUIET_MILLISECONDS = 400;
const QUIET_LIMIT_MILLISECONDS = 30_000;

/** Records everything that passes between the services and their servers. */
class Recorder {
  readonly statements: Statement[] = [];
  readonly messages: string[] = [];
  #connections = 0;
  #fault: unknown;

  /** For {@link startRunningStack}: both servers get a proxy that reports to this recorder. */
  readonly redirect = async ({ postgres, nats }: BenchServers): Promise<Redirection> => {
    const onFault = (error: unknown) => void (this.#fault ??= error);
    const tapPostgres = () => {
      const tap = new PostgresTap((this.#connections += 1), (statement) => this.statements.push(statement));
      return tap;
    };
    const database = await startCountingProxy(postgres.url, tapPostgres, onFault);
    const names = new BusNames();
    const tapNats = () => new NatsTap(names, (name) => this.messages.push(name));
    const bus = await startCountingProxy(nats.url, tapNats, onFault);
    return {
      databaseUrl: database.url,
      natsUrl: bus.url,
      stop: async () => {
        await Promise.all([database.stop(), bus.stop()]);
      },
    };
  };

  /** @throws BenchFailure if a connection could not be parsed, so that the counts would be wrong */
  check(): void {
    if (this.#fault === undefined) return;
    throw new BenchFailure('not_counted', `statements or messages could not be counted: ${String(this.#fault)}`);
  }
}

interface Rest {
  readonly statements: Background;
  readonly messages: readonly string[];
}

/** The probe of a pool on a connection that was idle: not part of a flow, whether or not one came before. */
const PROBE: Statement = { connection: 0, text: 'SELECT 1', rows: 1 };

/** The background of the stack: all statements since its start, and the messages of a few seconds without a flow. */
async function observeRest(recorder: Recorder): Promise<Rest> {
  const from = recorder.messages.length;
  await sleep(REST_MILLISECONDS);
  return { statements: backgroundOf([...recorder.statements, PROBE]), messages: recorder.messages.slice(from) };
}

/** Waits until no event of a flow has occurred for a while, so that the last one has been processed. */
async function untilQuiet(recorder: Recorder, rest: Rest): Promise<void> {
  const deadline = performance.now() + QUIET_LIMIT_MILLISECONDS;
  for (let seen = -1; performance.now() < deadline;) {
    const now = perFlow(countStatements(recorder.statements, rest.statements), 1);
    if (now === seen) return;
    seen = now;
    await sleep(QUIET_MILLISECONDS);
  }
  throw new BenchFailure(
    'not_quiet',
    'the stack does not come to rest after the last flow: its statements cannot be counted',
  );
}

async function driveAll(running: RunningStack, flow: FlowName, flows: number, wallets: number): Promise<void> {
  const report = await running.driver.drive({ flow, until: { flows }, wallets, oneByOne: wallets === 1 });
  if (report.finished === flows) return;
  const faults = JSON.stringify(report.errors);
  throw new BenchFailure(
    'flows_failed',
    `${flow}: ${report.finished} of ${flows} flows ended as they should: ${faults}`,
  );
}

const each = (counts: Counts, flows: number) =>
  Object.fromEntries([...counts].map(([text, count]) => [text, count / flows]));

/** Statements and messages of flows that one wallet runs sequentially. */
async function countFlows(running: RunningStack, recorder: Recorder, rest: Rest, flow: FlowName) {
  await driveAll(running, flow, WARM_UP_FLOWS, 1);
  await untilQuiet(recorder, rest);
  const [firstStatement, firstMessage] = [recorder.statements.length, recorder.messages.length];
  await driveAll(running, flow, COUNTED_FLOWS, 1);
  await untilQuiet(recorder, rest);
  recorder.check();
  return {
    statements: countStatements(recorder.statements.slice(firstStatement), rest.statements),
    messages: countMessages(recorder.messages.slice(firstMessage), rest.messages),
  };
}

async function keptOf(
  running: RunningStack,
  flow: FlowName,
): Promise<{ readonly bytes: Sizes; readonly cpu: Stretch }> {
  const { adminUrl } = running;
  const [before, rowsBefore] = [await measureKept(adminUrl), await countRows(adminUrl)];
  const cpu = await observe(running.processes, KEPT_FLOWS, () => driveAll(running, flow, KEPT_FLOWS, WALLETS));
  const [after, rowsAfter] = [await measureKept(adminUrl), await countRows(adminUrl)];
  const growth = keptPerFlow(before, after, KEPT_FLOWS);
  const bytesPerRow = await measureCopies(adminUrl, Object.keys(growth), after);
  return { bytes: keptExactly(growth, keptPerFlow(rowsBefore, rowsAfter, KEPT_FLOWS), bytesPerRow), cpu };
}

async function countFlow(running: RunningStack, recorder: Recorder, rest: Rest, flow: FlowName): Promise<CountedFlow> {
  const { statements, messages } = await countFlows(running, recorder, rest, flow);
  const { bytes, cpu } = await keptOf(running, flow);
  return {
    statements: perFlow(withoutBatches(statements), COUNTED_FLOWS),
    messages: perFlow(withoutBatches(messages), COUNTED_FLOWS),
    bytes: Math.round(totalOf(bytes)),
    parts: { statements: each(statements, COUNTED_FLOWS), messages: each(messages, COUNTED_FLOWS), bytes },
    cpu,
  };
}

/**
 * Starts a separate stack behind counting proxies and counts the cost of one flow: SQL statements, messages on the bus,
 * and stored bytes. The counts are the same each time, whatever the load of the machine.
 * @throws BenchFailure if a flow fails or something could not be counted
 */
export async function runCounts({
  checkout,
  encrypted,
  searchPath,
  progress,
  onOpen,
}: CountWish): Promise<CountResult> {
  const recorder = new Recorder();
  progress(`counting: starting a stack of ${checkout.name} checkout`);
  const running = await startRunningStack({
    checkout,
    replicas: 1,
    wallets: WALLETS,
    encrypted,
    searchPath,
    redirect: recorder.redirect,
  });
  onOpen(running.stop);
  try {
    const rest = await observeRest(recorder);
    await running.open();
    const results: [FlowName, CountedFlow][] = [];
    for (const flow of FLOW_NAMES) {
      progress(`counting: ${flow}`);
      const counted = await Promise.race([countFlow(running, recorder, rest, flow), running.broken]);
      results.push([flow, counted]);
    }
    return Object.fromEntries(results) as CountResult;
  } finally {
    await running.stop();
  }
}
