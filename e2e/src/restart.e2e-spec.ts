import type { Wallet } from '@vestibule/demo-wallet';
import { until } from '@vestibule/testkit';
import { issueTo, requestPresentation } from './flows';
import { startStage, type Stage } from './stage';

/** While true, the backend answers 503 to everything: callbacks stay in the outbox. */
let away = false;
let stage: Stage;
let wallet: Wallet;
beforeAll(async () => {
  stage = await startStage({ respond: () => (away ? 503 : 204) });
  wallet = stage.createWallet();
  await issueTo(stage, wallet);
});
afterAll(() => stage?.stop());

const bodiesAbout = (state: string) =>
  stage.backend.received.filter(({ text }) => text.includes(state)).map(({ text }) => text);

async function waitForAttempts(state: string, count: number): Promise<string[]> {
  await until(() => bodiesAbout(state).length >= count);
  return bodiesAbout(state);
}

describe('kill -9 of the verifier', () => {
  it('between answer and callback loses nothing: after its restart the callback arrives with the same body', async () => {
    away = true;
    const { state, sameDevice } = await requestPresentation(stage, { redirect_uri: 'https://shop.example/return' });
    const result = await wallet.present(sameDevice);
    expect(result.status).toBe(200);
    const [refused] = await waitForAttempts(state, 1);
    await stage.stack.process('verifier').kill('SIGKILL');
    const before = bodiesAbout(state).length;
    away = false;
    await stage.stack.process('verifier').restart();
    const bodies = await waitForAttempts(state, before + 1);
    expect(bodies.length).toBeGreaterThan(before);
    expect(new Set(bodies)).toEqual(new Set([refused]));
    expect(JSON.parse(bodies.at(-1) as string)).toMatchObject({ status: 'FULFILLED', state });
    expect(result.redirectUri).toContain(
      (JSON.parse(bodies.at(-1) as string) as { responseCode: string }).responseCode,
    );
  });

  it('leaves open requests open: they are answered after its restart', async () => {
    const { state, crossDevice } = await requestPresentation(stage);
    await stage.stack.process('verifier').kill('SIGKILL');
    const answer = await stage.management('POST', '/oidc4vp', { dcql_query: {} });
    expect([answer.status, answer.body['code']]).toEqual([503, 'service_unavailable']);
    expect((await stage.management('GET', '/health/ready')).status).toBe(503);
    await stage.stack.process('verifier').restart();
    expect((await wallet.present(crossDevice)).status).toBe(200);
    expect((await stage.callbacksOf(state, 1))[0]).toMatchObject({ status: 'FULFILLED' });
  });
});

describe('SIGTERM', () => {
  it('ends each service with exit code 0 within its drain time', async () => {
    for (const app of ['issuer', 'wallet-store', 'verifier'] as const) {
      const process = stage.stack.process(app);
      await process.stop();
      expect(process.describeEnd()).toContain('exit code 0');
      await process.restart();
    }
  });
});
