import type { Wallet } from '@vestibule/demo-wallet';
import { endIn, issueTo, requestPresentation } from './flows';
import { joinStage, type SharedStage } from './stage';

let stage: SharedStage;
let wallet: Wallet;
beforeAll(async () => {
  stage = await joinStage();
  wallet = stage.createWallet();
  await issueTo(stage, wallet);
});
afterAll(() => stage?.stop());

describe('20 parallel answers to one request', () => {
  it('VP:G9 that differ: one is taken, the others hear 400, and there is one callback', async () => {
    const { state, crossDevice } = await requestPresentation(stage);
    const built = await Promise.all(Array.from({ length: 20 }, () => wallet.buildPresentation(crossDevice)));
    const results = await Promise.all(built.map(({ responseUri, form }) => wallet.send(responseUri, form)));
    expect(results.map(({ status }) => status).sort()).toEqual([200, ...Array.from({ length: 19 }, () => 400)]);
    const events = await stage.callbacksOf(state, 1);
    expect(events).toHaveLength(1);
    expect(events[0]).toMatchObject({ status: 'FULFILLED' });
  });

  it('VP:T25 that are the same bytes: all hear the stored answer, and there is one callback', async () => {
    const { state, sameDevice } = await requestPresentation(stage, { redirect_uri: 'https://shop.example/return' });
    const { responseUri, form } = await wallet.buildPresentation(sameDevice);
    const results = await Promise.all(Array.from({ length: 20 }, () => wallet.send(responseUri, form)));
    expect(new Set(results.map(({ status }) => status))).toEqual(new Set([200]));
    expect(new Set(results.map(({ redirectUri }) => redirectUri)).size).toBe(1);
    expect(await stage.callbacksOf(state, 1)).toHaveLength(1);
  });

  it('good and bad mixed: one end, one callback', async () => {
    const { state, crossDevice } = await requestPresentation(stage);
    const faults = { keyBinding: { payload: { nonce: 'another-nonce-another-nonce' } } };
    const built = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        wallet.buildPresentation(crossDevice, index % 2 === 0 ? {} : { faults }),
      ),
    );
    await Promise.all(built.map(({ responseUri, form }) => wallet.send(responseUri, form)));
    expect(await stage.callbacksOf(state, 1)).toHaveLength(1);
  });
});

describe('a used answer', () => {
  it('VP:Q1 VP:Q2 sent to another request ends that one as PROCESSING_ERROR, never as FULFILLED', async () => {
    const [first, second] = [await requestPresentation(stage), await requestPresentation(stage)];
    const { form } = await wallet.buildPresentation(first.crossDevice);
    const { responseUri } = await wallet.buildPresentation(second.crossDevice);
    expect((await wallet.send(responseUri, form)).status).toBe(400);
    expect((await stage.callbacksOf(second.state, 1))[0]).toMatchObject({ status: 'PROCESSING_ERROR' });
  });

  it('VP:G8 that comes late, after another one or after the end of time, hears 400 and makes no callback', async () => {
    const { state, crossDevice } = await requestPresentation(stage);
    const late = await wallet.buildPresentation(crossDevice);
    await endIn(stage, 0, state);
    expect(await stage.callbacksOf(state, 1)).toEqual([{ status: 'EXPIRED', state }]);
    expect((await wallet.send(late.responseUri, late.form)).status).toBe(400);
    expect(await stage.callbacksOf(state, 1)).toHaveLength(1);
  });
});
