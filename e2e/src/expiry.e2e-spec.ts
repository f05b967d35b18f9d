import { until } from '@vestibule/testkit';
import { offerCredential, requestPresentation } from './flows';
import { FLOWS, startStage, type Stage } from './stage';

const COUNT = 60;
const LIFE_SECONDS = 8;
const EXACT_MILLISECONDS = 5_000;

let stage: Stage;
/** Instants at which they expire, by their ids: both kinds at the same time. */
let requests: ReadonlyMap<string, number>;
let offers: ReadonlyMap<string, number>;
beforeAll(async () => {
  stage = await startStage({ apps: FLOWS, replicas: { verifier: 3, issuer: 3 } });
  const life = { expires_in: LIFE_SECONDS };
  [requests, offers] = await Promise.all([
    makeFlows(async () => (await requestPresentation(stage, life)).state, '/oidc4vp'),
    makeFlows(async () => (await offerCredential(stage, life)).offerId, '/offers'),
  ]);
});
afterAll(() => stage?.stop());

/** Makes flows that nobody answers and gives their ids with the instant at which each of them expires. */
async function makeFlows(make: () => Promise<string>, path: string): Promise<ReadonlyMap<string, number>> {
  const expiries = new Map<string, number>();
  for (let flow = 0; flow < COUNT; flow += 1) {
    const id = await make();
    const { body } = await stage.management('GET', `${path}/${id}`);
    expiries.set(id, Date.parse(String(body['expires_at'])));
  }
  return expiries;
}

async function expectEachOnce(expiries: ReadonlyMap<string, number>): Promise<void> {
  expect(expiries.size).toBe(COUNT);
  const ids = [...expiries.keys()];
  const expired = (id: string) =>
    stage.backend.received.filter(({ text }) => text.includes(id) && text.includes('"EXPIRED"'));
  await until(() => ids.every((id) => expired(id).length > 0), 120);
  await stage.untilDelivered(ids);
  for (const [id, expiresAt] of expiries) {
    const events = expired(id);
    expect(events).toHaveLength(1);
    const late = (events[0]?.receivedAt.getTime() ?? Number.NaN) - expiresAt;
    expect(late).toBeGreaterThanOrEqual(0);
    expect(late).toBeLessThan(EXACT_MILLISECONDS);
  }
}

describe('three replicas', () => {
  it('VP:P10 expire each presentation request once, within five seconds', () => expectEachOnce(requests));

  it('expire each offer once, within five seconds', () => expectEachOnce(offers));
});
