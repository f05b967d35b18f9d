/** @jest-environment ./tools/jest-context-environment.cjs */
import fc from 'fast-check';
import { type ClaimedCallback } from './callback-store';
import { commitEvent, createCommitEvents } from './commit-events';
import { type Removal } from './delivered-callbacks';
import { type DeliveryLane } from './delivery-lane';
import { DELIVERY_LIMITS } from './delivery-policy';
import { type Attempt } from './post-callback';
import { openLane, sealedEvent } from './testing/delivery-lane.fixture-spec';

jest.setTimeout(120_000);

const TICK = 200;
const { pollMilliseconds, timeoutMilliseconds, leaseMarginMilliseconds } = DELIVERY_LIMITS;
/** For what a living process knows of: a poll, and what the ticks leave open. */
const KNOWN_BOUND = pollMilliseconds + 2 * TICK;
/** For what died with its process. */
const BOUND = 5 * pollMilliseconds + 2 * TICK;
const LEASE = timeoutMilliseconds + leaseMarginMilliseconds;
const never = <Result>() => new Promise<Result>(() => undefined);
const pass = (milliseconds: number) => new Promise<void>((resolve) => setTimeout(resolve, milliseconds));

/** How a statement goes: it waits for a connection, and its answer may be late or lost. */
interface Way {
  readonly wait: number;
  readonly answer: number;
  readonly isLost: boolean;
}
const WAY = fc.record({
  wait: fc.constantFrom(0, 0, 50, 4_900),
  answer: fc.constantFrom(0, 0, 40, 3_400),
  isLost: fc.constantFrom(false, false, false, true),
});
/** How the receiver answers. */
interface Answer {
  readonly took: number;
  readonly end: 'delivered' | 'failed';
  readonly retryAfter: number;
}
const ANSWER = fc.record({
  took: fc.constantFrom(0, 30, 2_000, 9_900),
  end: fc.constantFrom<Answer['end']>('delivered', 'delivered', 'failed'),
  retryAfter: fc.constantFrom(0, 0, 7_000, 30_000),
});
type Step =
  | { readonly kind: 'insert'; readonly subject: string }
  | { readonly kind: 'pass' | 'away'; readonly milliseconds: number }
  | { readonly kind: 'die' };
const kind = <Kind extends Step['kind']>(name: Kind) => fc.constant(name);
const STEP: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: kind('insert'), subject: fc.constantFrom('a', 'b', 'c') }) },
  { weight: 6, arbitrary: fc.record({ kind: kind('pass'), milliseconds: fc.integer({ min: 0, max: 20_000 }) }) },
  { weight: 1, arbitrary: fc.record({ kind: kind('die') }) },
  { weight: 1, arbitrary: fc.record({ kind: kind('away'), milliseconds: fc.constantFrom(500, 20_000) }) },
);
const SCHEDULE = fc.record({
  steps: fc.array(STEP, { minLength: 2, maxLength: 14 }),
  ways: fc.array(WAY, { minLength: 1, maxLength: 12 }),
  answers: fc.array(ANSWER, { minLength: 1, maxLength: 12 }),
});
const CALM = { wait: 0, answer: 0, isLost: false };

interface Row extends ClaimedCallback {
  readonly sequence: number;
  attempts: number;
  due: number;
  leasedUntil: number;
  /** For how long it could have been claimed, and nobody was just doing so. */
  waited: number;
}

interface Replica {
  readonly lane: DeliveryLane;
  isDead: boolean;
  claiming: number;
}

/** An outbox with the rules of `callback-store.ts`, its replicas, and their receiver. */
class World {
  rows: Row[] = [];
  replicas: Replica[] = [];
  readonly faults = new Set<string>();
  readonly posting = new Set<string>();
  claims = 0;
  isCalm = false;
  awayUntil = 0;
  hasDied = false;
  #inserted = 0;
  #ways = 0;
  #answers = 0;

  constructor(
    private readonly ways: readonly Way[],
    private readonly answers: readonly Answer[],
  ) {}

  readonly #isFirst = (row: Row): boolean =>
    !this.rows.some(({ subject, sequence }) => subject === row.subject && sequence < row.sequence);
  readonly #isClaimable = (row: Row): boolean =>
    row.due <= Date.now() && row.leasedUntil <= Date.now() && this.#isFirst(row);

  async #statement<Result>(replica: Replica, effect: () => Result): Promise<Result> {
    const { wait, answer, isLost } = this.isCalm ? CALM : (this.ways[this.#ways++ % this.ways.length] as Way);
    await pass(wait);
    if (replica.isDead) return never();
    if (Date.now() < this.awayUntil) throw new Error('away');
    const result = effect();
    await pass(answer);
    if (replica.isDead) return never();
    if (isLost) throw new Error('the answer was lost');
    return result;
  }

  #claim(limit: number): ClaimedCallback[] {
    const found = this.rows.filter(this.#isClaimable).sort((one, other) => one.due - other.due);
    return found.slice(0, limit).map((row) => {
      row.attempts += 1;
      row.leasedUntil = Date.now() + LEASE;
      return { ...row };
    });
  }

  #remove(delivered: readonly Pick<ClaimedCallback, 'id' | 'attempts'>[]): Removal {
    const isGone = ({ id, attempts }: Row) => delivered.some((one) => one.id.equals(id) && one.attempts === attempts);
    const subjects = new Set(this.rows.filter(isGone).map(({ subject }) => subject));
    this.rows = this.rows.filter((row) => !isGone(row));
    const followed = this.rows.some((row) => subjects.has(row.subject) && row.due <= Date.now());
    return { followed, locked: [] };
  }

  #fail({ id, attempts }: ClaimedCallback, delay: number): 'waiting' | undefined {
    const failed = this.rows.find((row) => row.id.equals(id) && row.attempts === attempts);
    if (!failed) return undefined;
    failed.due = Date.now() + delay;
    failed.leasedUntil = 0;
    for (const row of this.rows)
      if (row.subject === failed.subject && row.sequence > failed.sequence) row.due = Math.max(row.due, failed.due);
    return 'waiting';
  }

  async #post(replica: Replica, id: string): Promise<Attempt> {
    const { took, end, retryAfter } = this.isCalm
      ? { took: 0, end: 'delivered' as const, retryAfter: 0 }
      : (this.answers[this.#answers++ % this.answers.length] as Answer);
    const row = this.rows.find((one) => one.id.toString('base64url') === id);
    if (this.posting.has(id)) this.faults.add('posted twice at the same time');
    if (row && !this.#isFirst(row)) this.faults.add('posted before an earlier one of its subject');
    this.posting.add(id);
    await pass(took);
    this.posting.delete(id);
    if (replica.isDead) return never();
    return { end, result: end, retryAfterMilliseconds: retryAfter };
  }

  start(): void {
    const self: { replica?: Replica } = {};
    const own = () => self.replica as Replica;
    const lane = openLane({
      store: {
        claim: (limit) => {
          this.claims += 1;
          own().claiming += 1;
          return this.#statement(own(), () => this.#claim(limit)).finally(() => void (own().claiming -= 1));
        },
        remove: (delivered) => this.#statement(own(), () => this.#remove(delivered)),
        fail: (callback, { delayMilliseconds }) =>
          this.#statement(own(), () => this.#fail(callback, delayMilliseconds)),
      },
      poster: { post: ({ id }) => this.#post(own(), id), close: () => Promise.resolve() },
    });
    self.replica = { lane, isDead: false, claiming: 0 };
    this.replicas.push(self.replica);
  }

  /** The longest-lived process dies, and another one takes its place. */
  die(): void {
    const [replica] = this.replicas.splice(0, 1);
    if (replica) replica.isDead = true;
    this.hasDied = true;
    this.start();
  }

  insert(subject: string): void {
    const replica = this.replicas.at(-1) as Replica;
    const event = sealedEvent({ subject });
    const { id, payload } = event;
    const commit = createCommitEvents(
      (count) => replica.lane.reserve(count),
      () => replica.lane.wake(),
    );
    const work = (lease: number) =>
      this.#statement(replica, () => {
        const times = { due: Date.now(), leasedUntil: 0, waited: 0, attempts: 0 };
        const row: Row = { ...event, sequence: this.#inserted++, ...times };
        this.rows.push(row);
        const leased = lease > 0 && this.#isFirst(row);
        if (leased) Object.assign(row, { attempts: 1, leasedUntil: Date.now() + lease });
        return { result: undefined, leased };
      });
    void commitEvent(commit, [id, subject, payload, 86_400, 'ENDED', null], work).catch(() => undefined);
  }

  async live(milliseconds: number): Promise<void> {
    for (let passed = 0; passed < milliseconds; passed += TICK) {
      await jest.advanceTimersByTimeAsync(TICK);
      const isClaiming = this.replicas.some(({ claiming }) => claiming > 0);
      for (const row of this.rows) {
        if (!this.#isClaimable(row) || Date.now() < this.awayUntil) row.waited = 0;
        else if (!isClaiming) row.waited += TICK;
        if (row.waited > (this.hasDied ? BOUND : KNOWN_BOUND)) this.faults.add(`waited ${row.waited} ms`);
      }
    }
  }
}

/** Runs a schedule, then lets the receiver take everything, and looks what is left. */
async function faultsOf(steps: readonly Step[], ways: readonly Way[], answers: readonly Answer[]) {
  jest.useFakeTimers();
  try {
    const world = new World(ways, answers);
    world.start();
    world.start();
    await world.live(20_000);
    for (const step of steps) {
      if (step.kind === 'insert') world.insert(step.subject);
      else if (step.kind === 'die') world.die();
      else if (step.kind === 'away') world.awayUntil = Date.now() + step.milliseconds;
      else await world.live(step.milliseconds);
    }
    world.isCalm = true;
    for (let seconds = 0; seconds < 400 && world.rows.length > 0; seconds += 10) await world.live(10_000);
    if (world.rows.length > 0) world.faults.add('not delivered');
    await jest.advanceTimersByTimeAsync(310_000);
    world.claims = 0;
    await jest.advanceTimersByTimeAsync(60_000);
    if (world.claims > 12 * world.replicas.length) world.faults.add(`${world.claims} claims in a minute at rest`);
    return [...world.faults];
  } finally {
    jest.useRealTimers();
  }
}

describe('two processes with an outbox', () => {
  it('post each event in time, once at a time and in order, whatever is late, lost or dead, and then rest', async () => {
    await fc.assert(
      fc.asyncProperty(SCHEDULE, async ({ steps, ways, answers }) => {
        expect(await faultsOf(steps, ways, answers)).toEqual([]);
      }),
      { numRuns: 60 },
    );
  });
});
