import { setTimeout as sleep } from 'node:timers/promises';
import { calibrate, median, normalise } from '../bench/calibration';
import type { HostileKind } from './kinds';
import { readLoopReport, type LoopReport } from './loop-report';
import { startOtherWallet, type Seen } from './other-wallet';
import { postForm, type HttpAnswer } from './requests';
import type { World } from './world';

/** The services that handle a wallet's answer. */
const SERVICES = ['verifier', 'gateway'] as const;
type Service = (typeof SERVICES)[number];
type PerService = Readonly<Record<Service, number>>;

/** The cost of one answer. Processor time in milliseconds is normalised, wall-clock time is not. */
export interface Figures {
  readonly name: string;
  /** How the request ended, with the code of the first failed check; `-` for a body that belongs to no request. */
  readonly ended: string;
  readonly httpStatus: number;
  /** Until the wallet received its answer. */
  readonly wallMilliseconds: number;
  readonly cpu: PerService;
  /** The longest time for which each event loop was blocked, as processor time. */
  readonly longest: PerService;
  /** The same as wall-clock time, which is longer on a busy machine, because others use the processor meanwhile. */
  readonly longestWall: PerService;
  /** Absent if there was no other wallet. */
  readonly other?: Seen;
}

const QUIET_MILLISECONDS = 250;
/** A tenth of a processor: just enough for timers and the probes of this program. */
const QUIET_SHARE = 0.1;
const SETTLING_MILLISECONDS = 120_000;
const IDLE_MILLISECONDS = 3_000;

const perService = (read: (service: Service) => number): PerService => ({
  verifier: read('verifier'),
  gateway: read('gateway'),
});

function pidOf({ stack }: World, service: Service): number {
  const { pid } = stack.process(service);
  if (pid === undefined) throw new Error(`${service} does not run any more`);
  return pid;
}

type Reports = Readonly<Record<Service, LoopReport>>;

const reportsOf = async (world: World): Promise<Reports> => {
  const [verifier, gateway] = await Promise.all(SERVICES.map((service) => readLoopReport(pidOf(world, service))));
  if (!verifier || !gateway) throw new Error('both services report');
  return { verifier, gateway };
};

const cpuOf = async (world: World): Promise<PerService> => {
  const { verifier, gateway } = await reportsOf(world);
  return { verifier: verifier.cpuMilliseconds, gateway: gateway.cpuMilliseconds };
};

/** The processor time of idle services per millisecond. */
export async function measureIdle(world: World): Promise<PerService> {
  const [before, started] = [await cpuOf(world), performance.now()];
  await sleep(IDLE_MILLISECONDS);
  const [after, passed] = [await cpuOf(world), performance.now() - started];
  return perService((service) => (after[service] - before[service]) / passed);
}

interface View {
  readonly status: string;
  readonly checks?: readonly { readonly outcome: string; readonly code?: string }[];
}

async function viewOf({ stack }: World, state: string): Promise<View> {
  return (await fetch(`${stack.managementUrl}/oidc4vp/${state}`)).json() as Promise<View>;
}

/**
 * How the request ended. If the wallet was told to try again later, the request may still end: then this waits for it.
 */
async function endOf(world: World, state: string | undefined, httpStatus: number): Promise<string> {
  if (state === undefined) return '-';
  let view = await viewOf(world, state);
  const end = performance.now() + SETTLING_MILLISECONDS;
  while (view.status === 'PENDING' && httpStatus >= 500 && performance.now() < end) {
    await sleep(QUIET_MILLISECONDS);
    view = await viewOf(world, state);
  }
  const code = view.checks?.find(({ outcome }) => outcome === 'failed')?.code;
  return code === undefined ? view.status : `${view.status} ${code}`;
}

/** Waits until all work on the answer has ended; what follows the answer belongs to it as well. */
async function settle(world: World): Promise<{ reports: Reports[] }> {
  const reports: Reports[] = [await reportsOf(world)];
  const end = performance.now() + SETTLING_MILLISECONDS;
  for (let from = performance.now(); performance.now() < end; from = performance.now()) {
    await sleep(QUIET_MILLISECONDS);
    const [last, now] = [reports.at(-1), await reportsOf(world)];
    reports.push(now);
    if (busiestShare(last, now, performance.now() - from) < QUIET_SHARE) break;
  }
  return { reports };
}

function busiestShare(last: Reports | undefined, now: Reports, milliseconds: number): number {
  const used = SERVICES.map((service) => now[service].cpuMilliseconds - (last?.[service].cpuMilliseconds ?? 0));
  return Math.max(...used) / milliseconds;
}

interface Sent {
  readonly answer: HttpAnswer;
  readonly milliseconds: number;
}

async function send(post: Parameters<typeof postForm>[0]): Promise<Sent> {
  const started = performance.now();
  const answer = await postForm(post);
  return { answer, milliseconds: performance.now() - started };
}

/**
 * Sends one answer and measures its cost; with `company` another wallet works at the same time, and the processor time
 * of its flows is included.
 */
export async function measure(
  world: World,
  kind: HostileKind,
  { idle, company }: { readonly idle: PerService; readonly company: boolean },
): Promise<Figures> {
  const { post, state } = await kind.prepare(world);
  await settle(world);
  const calibration = [calibrate()];
  const other = company ? await startOtherWallet(world) : undefined;
  const [before, started] = [await cpuOf(world), performance.now()];
  const { answer, milliseconds } = await send(post);
  const seen = await other?.stop();
  const ended = await endOf(world, state, answer.status);
  const { reports } = await settle(world);
  const passed = performance.now() - started;
  calibration.push(calibrate());
  const normal = (value: number) => normalise(value, median(calibration));
  const after = reports.at(-1) as Reports;
  const longest = (read: (report: Reports[Service]) => number) =>
    perService((service) => Math.max(...reports.map((report) => read(report[service]))));
  const work = longest(({ longestCpuMilliseconds }) => longestCpuMilliseconds);
  return {
    name: kind.name,
    ended,
    httpStatus: answer.status,
    wallMilliseconds: milliseconds,
    cpu: perService((service) =>
      normal(Math.max(0, after[service].cpuMilliseconds - before[service] - idle[service] * passed)),
    ),
    longest: perService((service) => normal(work[service])),
    longestWall: longest(({ longestWallMilliseconds }) => longestWallMilliseconds),
    ...(seen ? { other: seen } : {}),
  };
}
