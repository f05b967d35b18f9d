import type { AppProcess, TcpProxy } from '@vestibule/dev-stack';
import type { ReplicaClock } from './replica-clock';
import { createDeck, type SeededRandom } from './seeded-random';
import type { World } from './world';

const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** A fault of one part, which ends by itself after `milliseconds`. */
interface Disturbance {
  readonly name: string;
  readonly part: string;
  run(milliseconds: number): Promise<void>;
}

const RECEIVED = 204;
const MOST_AT_ONCE = 2;
/** For up to 24 s: longer than a gateway waits for an answer about a credential. */
const STANDSTILL_FACTOR = 6;
/** Longer than any flow lasts. */
const AHEAD_SECONDS = 150;

function ofProcess(process: AppProcess): Disturbance[] {
  const part = process.label;
  const requireRunning = () => {
    if (process.isRunning) return;
    const end = process.describeEnd();
    process.launch();
    throw new Error(`it ended by itself: ${end}`);
  };
  const stop = async (milliseconds: number) => {
    requireRunning();
    await process.kill('SIGSTOP');
    await pause(milliseconds);
    await process.kill('SIGCONT');
  };
  return [
    {
      part,
      name: 'kill -9',
      async run(milliseconds) {
        requireRunning();
        await process.kill('SIGKILL');
        await pause(milliseconds);
        process.launch();
      },
    },
    {
      part,
      name: 'restart',
      async run() {
        requireRunning();
        await process.stop();
        process.launch();
      },
    },
    { part, name: 'pause', run: stop },
    { part, name: 'long pause', run: (milliseconds) => stop(milliseconds * STANDSTILL_FACTOR) },
  ];
}

/** A clock that steps ahead and is set right again: what is not over must not end by it, nor wait for its times. */
const ofClock = ({ label: part, setAhead }: ReplicaClock): Disturbance => ({
  part,
  name: 'clock ahead',
  async run(milliseconds) {
    setAhead(AHEAD_SECONDS);
    await pause(milliseconds * STANDSTILL_FACTOR);
    setAhead(0);
  },
});

function ofProxy(part: string, proxy: TcpProxy): Disturbance[] {
  const healing = (disturb: () => void) => async (milliseconds: number) => {
    disturb();
    await pause(milliseconds);
    proxy.heal();
  };
  return [
    { part, name: 'cut', run: () => Promise.resolve(proxy.cut()) },
    { part, name: 'unreachable', run: healing(() => proxy.block()) },
    { part, name: 'freeze', run: healing(() => proxy.freeze()) },
  ];
}

/**
 * A server completes its work, but the answer is lost: that to a COMMIT, or that of a service on its way to the
 * gateway. Connections that were opened before stay silent permanently.
 */
const losingAnswers = (part: string, proxy: TcpProxy): Disturbance => ({
  part,
  name: 'answers lost',
  async run(milliseconds) {
    proxy.apply({ mode: 'swallow', connections: 'existing', direction: 'to-client' });
    await pause(milliseconds);
    proxy.heal();
  },
});

/**
 * The first half of what comes next arrives, then the connection ends: half an answer to a COMMIT or of an event, half a
 * question, half a statement.
 */
const tearing = (part: string, proxy: TcpProxy): Disturbance[] =>
  (['to-server', 'to-client'] as const).map((direction) => ({
    part,
    name: `${direction === 'to-server' ? 'questions' : 'answers'} torn`,
    async run(milliseconds) {
      proxy.apply({ mode: 'tear', connections: 'existing', direction });
      await pause(milliseconds);
      proxy.heal();
    },
  }));

/** All possible disturbances of a world. */
export function disturbancesOf(world: World): Disturbance[] {
  const { stack, clocks, postgres, nats, callbacks, wallets } = world;
  const failing = (status: number): Disturbance => ({
    part: 'receiver',
    name: `answers ${status}`,
    async run(milliseconds) {
      world.setAnswer(status);
      await pause(milliseconds);
      world.setAnswer(RECEIVED);
    },
  });
  return [
    ...stack.processes.flatMap(ofProcess),
    ...clocks.map(ofClock),
    { part: 'Postgres', name: 'kill -9', run: (milliseconds) => postgres.killAndStart(milliseconds) },
    ...ofProxy('Postgres', postgres.proxy),
    losingAnswers('Postgres', postgres.proxy),
    ...tearing('Postgres', postgres.proxy),
    { part: 'NATS', name: 'kill -9', run: (milliseconds) => nats.killAndStart(milliseconds) },
    ...ofProxy('NATS', nats.proxy),
    losingAnswers('NATS', nats.proxy),
    ...tearing('NATS', nats.proxy),
    ...(['lost', 'torn'] as const).map((how) => ({
      part: 'wallets',
      name: `answers ${how}`,
      async run(milliseconds: number) {
        wallets.breakAnswers(how);
        await pause(milliseconds);
        wallets.breakAnswers(undefined);
      },
    })),
    ...ofProxy('receiver', callbacks),
    ...tearing('receiver', callbacks),
    failing(500),
    failing(503),
  ];
}

export interface ChaosReport {
  /** How often each disturbance happened. */
  readonly counts: ReadonlyMap<string, number>;
  /** Parts that did not recover. */
  readonly faults: readonly string[];
}

export interface ChaosOptions {
  readonly random: SeededRandom;
  /** True when no more disturbances are wanted. */
  readonly isOver: () => boolean;
  readonly report: (line: string) => void;
}

/**
 * Disturbs one part after the other, at most two at a time, until it is over; resolves when everything is undone. The
 * choice depends only on the seed: a part that is already disturbed is skipped, and its turn is lost. A part goes through
 * everything that can happen to it before anything happens to it again.
 */
export async function makeChaos(world: World, { random, isOver, report }: ChaosOptions): Promise<ChaosReport> {
  const all = disturbancesOf(world);
  const parts = [...new Set(all.map(({ part }) => part))].map((part) => ({
    part,
    deck: createDeck(
      random,
      all.filter((one) => one.part === part),
    ),
  }));
  const counts = new Map<string, number>();
  const faults: string[] = [];
  const busy = new Map<string, Promise<void>>();

  const start = (chosen: Disturbance, milliseconds: number): void => {
    const name = `${chosen.part}: ${chosen.name}`;
    counts.set(name, (counts.get(name) ?? 0) + 1);
    report(`${name} (${milliseconds} ms)`);
    const running = chosen
      .run(milliseconds)
      .catch((error: unknown) => void faults.push(`${name}: ${String(error)}`))
      .finally(() => busy.delete(chosen.part));
    busy.set(chosen.part, running);
  };

  while (!isOver()) {
    await pause(random.between(200, 1_800));
    const { part, deck } = random.pick(parts);
    const milliseconds = random.between(100, 4_000);
    if (isOver() || busy.has(part) || busy.size >= MOST_AT_ONCE) continue;
    start(deck.deal(), milliseconds);
  }
  await Promise.all(busy.values());
  return { counts, faults };
}
