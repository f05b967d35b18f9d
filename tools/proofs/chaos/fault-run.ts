import type { EndedFlow, Episode } from './episodes';
import type { Fault } from './faults';
import { readStatus, type RunFlow } from './flows';
import { findRecovery } from './samples';
import type { Watcher } from './watcher';
import type { World } from './world';

export interface FaultRunOptions {
  readonly faults: readonly Fault[];
  readonly report: (line: string) => void;
}

const CALM_BEFORE = { milliseconds: 2_000, patienceMilliseconds: 2_000 };
const CALM_AFTER = { milliseconds: 4_000, patienceMilliseconds: 2_000 };
/** Longer, because something that works around the fault may still meet it now and then. */
const CALM_AROUND = { milliseconds: 8_000, patienceMilliseconds: 2_000 };
const LONGEST_MILLISECONDS = 60_000;
const READY_MILLISECONDS = 120_000;
const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Restarts what does not recover by itself, so that the next fault starts from a healthy world. */
async function rescue({ stack, nats }: World): Promise<void> {
  // It may keep connections whose other end is gone, and send questions to them.
  await nats.killAndStart(0);
  await Promise.all(stack.processes.map((process) => process.kill('SIGKILL')));
  for (const process of stack.processes) process.launch();
  await Promise.all(stack.processes.map((process) => process.waitUntilReady(READY_MILLISECONDS)));
}

async function suffer(fault: Fault, watcher: Watcher): Promise<Episode> {
  const beganAt = performance.now();
  watcher.setStatusFault(fault.isOfStatusHost === true);
  await fault.begin();
  const isAround = fault.from === 'begin';
  let isBack = true;
  if (isAround) isBack = await watcher.untilCalm(CALM_AROUND, fault.holdSeconds * 1000);
  else await pause(fault.holdSeconds * 1000);
  await fault.end();
  const endedAt = performance.now();
  watcher.setStatusFault(false);
  const isBackAfter = await watcher.untilCalm(CALM_AFTER, LONGEST_MILLISECONDS);
  const markedAt = isAround ? beganAt : endedAt;
  return { fault, beganAt, endedAt, markedAt, overAt: performance.now(), isBack: isBack && isBackAfter };
}

/** Applies each fault in turn to a watched world, with calm in between. */
export async function runFaults(world: World, watcher: Watcher, options: FaultRunOptions): Promise<Episode[]> {
  const episodes: Episode[] = [];
  for (const fault of options.faults) {
    const isWell = await watcher.untilCalm(CALM_BEFORE, LONGEST_MILLISECONDS);
    if (!isWell) await rescue(world);
    const episode = await suffer(fault, watcher);
    episodes.push(episode);
    const { firstGoodSeconds, steadySeconds } = findRecovery(
      watcher.samples.filter(({ startedAt }) => startedAt < episode.overAt),
      episode.markedAt,
    );
    const first = firstGoodSeconds === undefined ? 'never' : `${firstGoodSeconds} s`;
    options.report(`${fault.name}: first good answers ${first}, steady ${steadySeconds} s`);
    if (!episode.isBack) {
      options.report(`${fault.name}: everything is restarted`);
      await rescue(world);
    }
  }
  return episodes;
}

/** Reads how the flows ended, after everything has recovered. */
export async function readEndsOf(world: World, watcher: Watcher, deadline: number): Promise<EndedFlow[]> {
  const ended: EndedFlow[] = [];
  for (const flow of watcher.flows) ended.push({ ...flow, finalStatus: await readEndOf(world, flow, deadline) });
  return ended;
}

async function readEndOf(world: World, flow: RunFlow, deadline: number): Promise<string> {
  // If nothing answers until the deadline, that is the end.
  const read = () => readStatus(world, flow, { deadline }).catch((error: unknown) => String(error));
  let status = await read();
  while (/^(PENDING|OFFER_CREATED)$/.test(status) && performance.now() < deadline) {
    await pause(500);
    status = await read();
  }
  return status;
}
