import fc from 'fast-check';
import { createGate, type GateLimits } from './gate';

const LIMITS: GateLimits = { maxConcurrent: 3, maxConcurrentForHost: 2, maxWaiting: 4, maxWaitingForHost: 3 };
const HOSTS = ['a', 'b', 'c'] as const;
type Host = (typeof HOSTS)[number];

/** A task comes, one that runs ends, or one that waits is given up: of those, which counts from the oldest on. */
type Step =
  | { readonly comes: Host; readonly throws: boolean }
  | { readonly ends: number; readonly fails: boolean }
  | { readonly givenUp: number };

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ comes: fc.constantFrom(...HOSTS), throws: fc.constantFrom(false, false, false, true) }),
  },
  { weight: 2, arbitrary: fc.record({ ends: fc.nat(5), fails: fc.boolean() }) },
  fc.record({ givenUp: fc.nat(5) }),
);

interface Task {
  readonly number: number;
  readonly host: Host;
  readonly throws: boolean;
}

/** The same rules, as lists that are searched from the beginning each time. */
function createModel() {
  const [running, waiting]: [Task[], Task[]] = [[], []];
  const told: string[] = [];
  const of = (tasks: readonly Task[], host: Host) => tasks.filter((task) => task.host === host).length;
  const fits = ({ host }: Task) =>
    running.length < LIMITS.maxConcurrent && of(running, host) < LIMITS.maxConcurrentForHost;
  const startNext = (): void => {
    const next = waiting.find(fits);
    if (next) begin(waiting.splice(waiting.indexOf(next), 1)[0] as Task);
  };
  function begin(task: Task): void {
    told.push(`${task.number} starts`);
    if (!task.throws) return void running.push(task);
    // It had a place for a moment.
    told.push(`${task.number} fails`);
    startNext();
  }
  return {
    running,
    waiting,
    told,
    come(task: Task): void {
      const isFull = waiting.length >= LIMITS.maxWaiting || of(waiting, task.host) >= LIMITS.maxWaitingForHost;
      if (fits(task)) begin(task);
      else if (isFull) told.push(`${task.number} is refused`);
      else waiting.push(task);
    },
    end(task: Task, fails: boolean): void {
      running.splice(running.indexOf(task), 1);
      told.push(`${task.number} ${fails ? 'fails' : 'ends'}`);
      startNext();
    },
    giveUp(task: Task): void {
      waiting.splice(waiting.indexOf(task), 1);
      told.push(`${task.number} is given up`);
    },
  };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

/** The gate itself, with tasks that end when they are told to. */
function createWorld() {
  const gate = createGate(LIMITS);
  const told: string[] = [];
  const ends = new Map<number, (fails: boolean) => void>();
  const patience = new Map<number, AbortController>();
  return {
    told,
    ends,
    patience,
    come({ number, host, throws }: Task): void {
      const limit = new AbortController();
      patience.set(number, limit);
      const task = (): Promise<void> => {
        told.push(`${number} starts`);
        if (throws) throw new Error('fails');
        return new Promise((resolve, reject) =>
          ends.set(number, (fails) => (fails ? reject(new Error('fails')) : resolve())),
        );
      };
      void gate.run(host, limit.signal, task).then(
        () => told.push(`${number} ends`),
        ({ code, message }: { code?: string; message: string }) =>
          told.push(`${number} ${code === 'egress_overloaded' ? 'is refused' : message}`),
      );
    },
  };
}

describe('the places of hosts', () => {
  it('are given and given back as the rules say, however tasks come, end, throw and are given up', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        const [model, world] = [createModel(), createWorld()];
        const play = async (one: Step, number: number): Promise<void> => {
          if ('comes' in one) {
            const task = { number, host: one.comes, throws: one.throws };
            model.come(task);
            world.come(task);
          } else if ('ends' in one) {
            const task = model.running[one.ends % model.running.length];
            if (!task) return;
            model.end(task, one.fails);
            world.ends.get(task.number)?.(one.fails);
          } else {
            const task = model.waiting[one.givenUp % model.waiting.length];
            if (!task) return;
            model.giveUp(task);
            world.patience.get(task.number)?.abort(new Error('is given up'));
          }
          await settled();
          expect([...world.told].sort()).toEqual([...model.told].sort());
        };
        for (const [number, one] of steps.entries()) await play(one, number);
        // In the end every place is free again.
        for (let number = steps.length; model.running.length > 0; number += 1)
          await play({ ends: 0, fails: false }, number);
        expect(model.waiting).toEqual([]);
        for (let place = 0; place < LIMITS.maxConcurrent; place += 1)
          await play({ comes: HOSTS[place] as Host, throws: false }, 1_000 + place);
        expect(model.running).toHaveLength(LIMITS.maxConcurrent);
      }),
    );
  });
});
