import { createAgreedTime } from '@vestibule/persistence';
import type { PendingRequest } from '../../domain/presentation-request';
import { endingOf, openStoreStage, type StoreStage } from '../../testing/store.fixture-spec';
import { expirePresentationRequests } from '../../use-cases/expire-presentation-requests';

jest.setTimeout(180_000);

let stage: StoreStage;
beforeAll(async () => {
  stage = await openStoreStage();
});
beforeEach(() => stage.clear());
afterAll(() => stage.close());

const TEN_MINUTES = 600_000;
const later = (time: Date, milliseconds: number) => new Date(time.getTime() + milliseconds);

async function postgresTime(): Promise<Date> {
  const [row] = await stage.database.query<{ at: Date }>('SELECT clock_timestamp() AS at');
  return row?.at as Date;
}

/** The sweep of a replica whose clock is so far from that of this machine, which is that of Postgres. */
function replicaWith(errorMilliseconds: number) {
  const clock = () => later(new Date(), errorMilliseconds);
  const { findOverdue, expire } = stage.store;
  const agreedTime = createAgreedTime(stage.database, clock);
  return expirePresentationRequests({ clock, agreedTime, findOverdue, expire, rest: async () => undefined });
}

/** Requests that end after these milliseconds, by the clock of Postgres. */
async function insertEnding(...milliseconds: readonly number[]): Promise<PendingRequest[]> {
  const now = await postgresTime();
  return Promise.all(milliseconds.map((after) => stage.insert({ createdAt: now, expiresAt: later(now, after) })));
}

/** When Postgres inserted the events of a request, which report this. */
async function toldAt({ state }: PendingRequest) {
  return stage.database.query<{ status: string; created_at: Date }>(
    'SELECT status, created_at FROM verifier.callback WHERE subject = $1',
    [state],
  );
}

/** Rounds of sweeps, of all replicas at once, until the last of these requests has been over for one; when they began. */
async function sweepUntilOver(requests: readonly PendingRequest[], errors: readonly number[], meanwhile: () => void) {
  const replicas = errors.map(replicaWith);
  const last = new Date(Math.max(...requests.map(({ expiresAt }) => expiresAt.getTime())));
  const rounds: Date[] = [];
  do {
    rounds.push(await postgresTime());
    meanwhile();
    await Promise.all(replicas.map((sweep) => sweep()));
  } while ((rounds.at(-1) as Date) < last);
  return rounds;
}

describe('replicas whose clocks are ten minutes ahead and behind', () => {
  it('VP:P10 end each request once, not before its time, and in the first sweep after it, by the clock of Postgres', async () => {
    const requests = await insertEnding(300, 600, 600, 900, 1_500);
    const errors = [TEN_MINUTES, 0, -TEN_MINUTES, TEN_MINUTES];
    const rounds = await sweepUntilOver(requests, errors, () => undefined);
    for (const request of requests) {
      const told = await toldAt(request);
      expect(told).toEqual([{ status: 'EXPIRED', created_at: expect.any(Date) as Date }]);
      const at = told[0]?.created_at as Date;
      expect(at >= request.expiresAt).toBe(true);
      const following = rounds.findIndex((began) => began >= request.expiresAt) + 1;
      if (following < rounds.length) expect(at <= (rounds[following] as Date)).toBe(true);
      const { finished_at: finishedAt } = await stage.row(request);
      expect((finishedAt as Date) >= request.expiresAt).toBe(true);
    }
  });

  it('VP:P10 end none that was answered in time, whichever of them took the answer', async () => {
    const requests = await insertEnding(...Array.from({ length: 12 }, (_, index) => 600 + 100 * index));
    const errors = [TEN_MINUTES, 0, -TEN_MINUTES];
    const answered = new Map<PendingRequest, Promise<boolean>>();
    const answerOneInTwo = () => {
      const open = requests.filter((request, index) => index % 2 === 0 && !answered.has(request));
      const soon = open.find(({ expiresAt }) => expiresAt < later(new Date(), 200));
      if (!soon) return;
      const { state } = soon;
      const event = { status: 'FULFILLED' as const, state, credentials: {} };
      const finishedAt = later(new Date(), errors[answered.size % errors.length] as number);
      answered.set(soon, stage.store.finish(endingOf(soon, { status: 'FULFILLED', event, finishedAt })));
    };
    await sweepUntilOver(requests, errors, answerOneInTwo);
    for (const request of requests) {
      const isFulfilled = (await answered.get(request)) === true;
      const told = await toldAt(request);
      expect(told.map(({ status }) => status)).toEqual([isFulfilled ? 'FULFILLED' : 'EXPIRED']);
      if (!isFulfilled) expect((told[0] as { created_at: Date }).created_at >= request.expiresAt).toBe(true);
    }
    expect(answered.size).toBeGreaterThan(0);
  });
});
