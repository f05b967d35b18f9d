import type { Wallet } from '@vestibule/demo-wallet';
import { until } from '@vestibule/testkit';
import { issueTo, requestPresentation } from './flows';
import { FLOWS, startStage, type Stage } from './stage';

let stage: Stage;
let wallet: Wallet;
beforeAll(async () => {
  stage = await startStage({ apps: FLOWS });
  wallet = stage.createWallet();
  await issueTo(stage, wallet);
});
afterAll(() => stage?.stop());

const statusOf = async (state: string) => (await stage.management('GET', `/oidc4vp/${state}`)).body['status'];
const heardOf = (state: string) => stage.backend.received.filter(({ text }) => text.includes(state));

/** The verifier stands still, as when its machine is suspended, until the gateway has given up on this response. */
async function sendWhileFrozen({ responseUri, form }: Awaited<ReturnType<Wallet['buildPresentation']>>) {
  const verifier = stage.stack.process('verifier');
  await verifier.kill('SIGSTOP');
  try {
    const { status } = await fetch(responseUri, { method: 'POST', body: new URLSearchParams({ ...form }) });
    return status;
  } finally {
    await verifier.kill('SIGCONT');
  }
}

describe('a verifier that stands still for longer than the gateway waits', () => {
  it('decides nothing afterwards that the wallet does not hear of', async () => {
    const { state, crossDevice } = await requestPresentation(stage);
    const response = await wallet.buildPresentation(crossDevice);
    expect(await sendWhileFrozen(response)).toBe(503);

    // A whole flow later the first response has long been dealt with.
    await until(async () => (await fetch(stage.stack.process('verifier').readyUrl)).status === 200);
    const later = await requestPresentation(stage);
    expect((await wallet.present(later.crossDevice)).status).toBe(200);
    await stage.callbacksOf(later.state, 1);
    expect([await statusOf(state), heardOf(state).length]).toEqual(['PENDING', 0]);

    expect((await wallet.send(response.responseUri, response.form)).status).toBe(200);
    await stage.callbacksOf(state, 1);
    expect(await statusOf(state)).toBe('FULFILLED');
  });
});
