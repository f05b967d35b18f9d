import { createAudit } from '@vestibule/persistence';
import { until } from '@vestibule/testkit';
import { SCHEMA } from './migrations';
import { openVerifier } from '../../testing/running-verifier.fixture-spec';
import { endingOf, expiryOf, openStoreStage, type StoreStage } from '../../testing/store.fixture-spec';
import { answerForm, at, createWorld, failsWith, NOW, type World } from '../../testing/verifier.fixture-spec';

jest.setTimeout(180_000);

const nothing = (): void => undefined;

let stage: StoreStage;
let world: World;
beforeAll(async () => {
  [stage, world] = await Promise.all([openStoreStage(), createWorld()]);
});
beforeEach(() => stage.clear());
afterAll(() => stage.close());

/** The whole verifier on the real store. */
const openOnStore = () => openVerifier(world, stage.store);

describe('many cancellations while another replica appends to the audit trail', () => {
  it('leave the places of the lane to answers: they wait for their turn first', async () => {
    const requests = await Promise.all(Array.from({ length: 12 }, () => stage.insert()));
    const locks = async (granted: boolean) => {
      const own = `database = (SELECT oid FROM pg_database WHERE datname = current_database())`;
      const sql = `SELECT count(*)::int AS n FROM pg_locks WHERE locktype = 'advisory' AND ${own} AND granted = $1`;
      return (await stage.database.query<{ n: number }>(sql, [granted]))[0]?.n;
    };
    let release = nothing;
    const held = new Promise<void>((resolve) => (release = resolve));
    const other = await stage.open();
    try {
      const holding = other.transaction(async ({ query }) => {
        await createAudit({ database: other, schema: SCHEMA }).append(query, { action: 'test.hold' });
        await held;
      });
      await until(async () => (await locks(true)) === 1);
      const cancelled = Promise.all(requests.map((request) => stage.store.cancel(endingOf(request))));
      await until(async () => (await locks(false)) === 2);
      expect(stage.takenPlaces()).toBe(2);
      release();
      await holding;
      expect(await cancelled).toEqual(requests.map(() => true));
      expect(stage.takenPlaces()).toBe(0);
    } finally {
      release();
      await other.close();
    }
  });
});

describe('many ends of one request at the same time', () => {
  it('VP:G9 of 20 exactly one wins, and exactly one event is written: the winner’s', async () => {
    for (let round = 0; round < 5; round += 1) {
      const request = await stage.insert();
      const endings = Array.from({ length: 20 }, (_item, index) =>
        endingOf(request, {
          event: { status: 'VERIFICATION_FAILED', state: request.state, errorDetails: `code_${index}: …` },
          finishedAt: at(index),
        }),
      );
      const won = await Promise.all(endings.map((ending) => stage.store.finish(ending)));
      expect(won.filter(Boolean)).toHaveLength(1);
      const winner = endings[won.indexOf(true)];
      expect(await stage.eventsOf(request)).toEqual([winner?.event]);
      expect(await stage.row(request)).toMatchObject({ session: null, finished_at: winner?.finishedAt });
    }
  });

  it('VP:P10 a response and the sweep give one end with its own event', async () => {
    const ends = new Set<unknown>();
    for (let round = 0; round < 20; round += 1) {
      const request = await stage.insert({ expiresAt: NOW });
      const finish = () => stage.store.finish(endingOf(request));
      const expire = () => stage.store.expire([expiryOf(request)], NOW);
      const steps = round % 2 === 0 ? [finish, expire, expire] : [expire, finish, finish];
      const results = await Promise.all(steps.map((step) => step()));
      expect(results.filter((result) => result === true || result === 1)).toHaveLength(1);
      const { status, session } = await stage.row(request);
      expect(session).toBeNull();
      expect((await stage.eventsOf(request)).map((event) => event.status)).toEqual([status]);
      ends.add(status);
    }
    expect([...ends].every((status) => status === 'EXPIRED' || status === 'VERIFICATION_FAILED')).toBe(true);
  });

  it('VP:P10 sweeps of several replicas end each request once', async () => {
    const requests = await Promise.all(
      Array.from({ length: 200 }, (_item, index) => stage.insert({ expiresAt: at(-index) })),
    );
    const verifiers = [1, 2, 3, 4].map(openOnStore);
    const sweeps = await Promise.all(verifiers.map((verifier) => verifier.expirePresentationRequests()));
    expect(sweeps.reduce((sum, expired) => sum + expired, 0)).toBe(requests.length);
    expect(await stage.count('callback')).toBe(requests.length);
    expect(await stage.store.findOverdue(NOW, 1)).toEqual([]);
  });
});

describe('20 good responses at the same time', () => {
  it('VP:G9 one is accepted with its code, 19 are refused, one event is written', async () => {
    const verifier = openOnStore();
    const request = await stage.insert({ redirectUri: 'https://rp.example/back' });
    const forms = await Promise.all(Array.from({ length: 20 }, () => answerForm(world, request, 'same-device')));
    const results = await Promise.allSettled(
      forms.map((form) => verifier.submitPresentation({ state: request.state, form })),
    );
    const [accepted, ...others] = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
    expect(others).toEqual([]);
    const refused = results.flatMap((result) => (result.status === 'rejected' ? [result.reason as unknown] : []));
    expect(refused).toEqual(Array.from({ length: 19 }, () => failsWith('invalid_request')));
    const events = await stage.eventsOf(request);
    expect(events).toHaveLength(1);
    const code = new URL(accepted?.redirectUri ?? '').searchParams.get('response_code');
    expect(events[0]).toMatchObject({ status: 'FULFILLED', responseCode: code });
  });

  it('VP:D12 where they are byte-identical all hear the same, and one event is written', async () => {
    const verifier = openOnStore();
    const request = await stage.insert({ redirectUri: 'https://rp.example/back' });
    const form = await answerForm(world, request, 'same-device');
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => verifier.submitPresentation({ state: request.state, form })),
    );
    expect(new Set(answers.map(({ redirectUri }) => redirectUri)).size).toBe(1);
    expect(await stage.eventsOf(request)).toHaveLength(1);
  });
});
