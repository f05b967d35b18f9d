import type { ReceivedCallback } from '@vestibule/dev-stack';
import { offerCredential, requestPresentation } from './flows';
import { FLOWS, startStage, type Stage } from './stage';

type Members = Record<string, unknown>;

/** What the backend does before it answers; the default is to take the event. */
let answer: (callback: ReceivedCallback) => number | Promise<number> = () => 204;
let stage: Stage;
beforeAll(async () => {
  stage = await startStage({ apps: FLOWS, respond: (callback) => answer(callback) });
});
afterEach(() => {
  answer = () => 204;
});
afterAll(() => stage?.stop());

const about = (id: string) => stage.backend.received.filter(({ text }) => text.includes(id));
const statusesOf = (callbacks: readonly ReceivedCallback[]) => callbacks.map(({ body }) => (body as Members)['status']);

describe('the callback address of the configuration', () => {
  it('C:1.1 C:1.4 C:1.7 C:4.11 C:6.1 gets both kinds of event as a POST of JSON', async () => {
    const wallet = stage.createWallet();
    const { offerId, uri } = await offerCredential(stage);
    await wallet.redeemOffer(uri);
    const { state, crossDevice } = await requestPresentation(stage);
    await wallet.present(crossDevice);
    await stage.untilDelivered([offerId, state]);
    const callbacks = [...about(offerId), ...about(state)];
    expect(statusesOf(callbacks)).toEqual(['OFFER_CREATED', 'ISSUED', 'FULFILLED']);
    for (const { method, headers } of callbacks) {
      expect([method, headers['content-type']]).toEqual(['POST', 'application/json']);
    }
  });

  it('C:4.12 C:6.5 may be slow: neither the backend nor the wallet waits for its answer', async () => {
    let release = () => {};
    const held = new Promise<number>((resolve) => (release = () => resolve(204)));
    answer = () => held;
    const wallet = stage.createWallet();
    const { offerId, uri } = await offerCredential(stage);
    await wallet.redeemOffer(uri);
    const { state, crossDevice } = await requestPresentation(stage);
    expect((await wallet.present(crossDevice)).status).toBe(200);
    const { body } = await stage.management('GET', `/oidc4vp/${state}`);
    expect(body['status']).toBe('FULFILLED');
    release();
    await stage.untilDelivered([offerId, state]);
    expect(new Set(statusesOf(about(offerId)))).toEqual(new Set(['OFFER_CREATED', 'ISSUED']));
  });

  it('C:4.13 C:6.5 takes an event with any 2xx', async () => {
    const answers = new Map<string, number>();
    answer = ({ body }) => answers.get(String((body as Members)['state'])) ?? 204;
    const requests = await Promise.all(
      [200, 201, 202, 206, 299].map(async (status) => {
        const { state } = await requestPresentation(stage);
        answers.set(state, status);
        expect((await stage.management('DELETE', `/oidc4vp/${state}`)).status).toBe(204);
        return state;
      }),
    );
    await stage.untilDelivered(requests);
    expect(requests.map((state) => about(state).length)).toEqual(requests.map(() => 1));
  });

  it('C:6.7 hears an event that it did not take again, with the same eventId and status', async () => {
    const refused = new Set<string>();
    answer = ({ text }) => (refused.size === refused.add(text).size ? 204 : 503);
    const { offerId } = await offerCredential(stage);
    expect((await stage.management('DELETE', `/offers/${offerId}`)).status).toBe(204);
    await stage.untilDelivered([offerId]);
    const told = about(offerId).map(({ body }) => [(body as Members)['eventId'], (body as Members)['status']]);
    expect(told).toEqual(['OFFER_CREATED', 'OFFER_CREATED', 'FAILED', 'FAILED'].map((status) => [offerId, status]));
  });
});
