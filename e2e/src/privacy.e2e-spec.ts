import type { Wallet } from '@vestibule/demo-wallet';
import { issueTo, offerCredential, requestPresentation } from './flows';
import { FLOWS, startStage, type Stage } from './stage';
import { expectNoTraceIn } from './traces';

/** No other text of a run contains these. */
const CANARIES = {
  given_name: 'CanaryGivenName7f3a',
  family_name: 'CanaryFamilyName9c1e',
  birthdate: 'CanaryBirthdate5b2d',
};

let stage: Stage;
let wallet: Wallet;
beforeAll(async () => {
  stage = await startStage({
    apps: FLOWS,
    environment: Object.fromEntries(['gateway', 'verifier', 'issuer'].map((app) => [app, { LOG_LEVEL: 'debug' }])),
  });
  wallet = stage.createWallet();
});
afterAll(() => stage?.stop());

const expectNoTrace = (values: readonly string[]) => expectNoTraceIn(stage, values);

describe('after each flow ends, database and logs hold no trace of', () => {
  it('C:1.10 C:3.27 claims, codes and tokens of an issued credential', async () => {
    const offer = await offerCredential(stage, { claims: CANARIES, tx_code: { length: 16, input_mode: 'text' } });
    const credentials = await wallet.redeemOffer(offer.uri, { txCode: offer.txCode as string });
    expect(JSON.stringify(credentials)).toBeDefined();
    await stage.callbacksOf(offer.offerId, 2);
    await expectNoTrace([...Object.values(CANARIES), offer.txCode as string]);
  });

  it('C:1.10 C:3.30 C:3.33 claims of failed and expired offers', async () => {
    const failing = await offerCredential(stage, { claims: CANARIES, tx_code: {} });
    const wrong = failing.txCode === '000000' ? '000001' : '000000';
    for (let attempt = 0; attempt < 5; attempt += 1)
      await wallet.redeemOffer(failing.uri, { txCode: wrong }).catch(() => undefined);
    const expiring = await offerCredential(stage, { claims: CANARIES, expires_in: 1 });
    expect((await stage.callbacksOf(failing.offerId, 2))[1]).toMatchObject({ status: 'FAILED' });
    expect((await stage.callbacksOf(expiring.offerId, 2))[1]).toMatchObject({ status: 'EXPIRED' });
    await expectNoTrace(Object.values(CANARIES));
  });

  it('C:1.9 claims of presentations, whatever their end', async () => {
    await issueTo(stage, wallet, CANARIES);
    const claims = Object.keys(CANARIES).map((name) => ({ path: [name] }));
    const dcql_query = {
      credentials: [{ id: 'card', format: 'dc+sd-jwt', meta: { vct_values: [stage.vct] }, claims }],
    };
    const ask = () => requestPresentation(stage, { dcql_query });
    const [good, refused, faulty, garbled] = [await ask(), await ask(), await ask(), await ask()];
    const [credential] = wallet.credentials().slice(-1);
    const credentials = { card: [credential?.id as string] };
    await wallet.present(good.crossDevice, { credentials });
    await wallet.present(refused.crossDevice, { deny: true });
    await wallet.present(faulty.crossDevice, {
      credentials,
      faults: { keyBinding: { payload: { nonce: 'x'.repeat(43) } } },
    });
    await wallet.present(garbled.crossDevice, {
      credentials,
      faults: { plaintext: (json) => `${json} ${CANARIES.family_name}` },
    });
    const ends = await Promise.all([good, refused, faulty, garbled].map(({ state }) => stage.callbacksOf(state, 1)));
    expect(ends.map(([event]) => event?.['status'])).toEqual([
      'FULFILLED',
      'REJECTED',
      'VERIFICATION_FAILED',
      'PROCESSING_ERROR',
    ]);
    expect(JSON.stringify(ends[0])).toContain(CANARIES.family_name);
    await expectNoTrace(Object.values(CANARIES));
  });

  it('what a backend or a wallet wrote into a faulty request', async () => {
    await stage.management('POST', '/offers', {
      credential_configuration_id: 'identity-card',
      claims: { shoe: CANARIES.given_name },
    });
    await stage.management('POST', '/oidc4vp', { dcql_query: { credentials: CANARIES.given_name } });
    await fetch(`${stage.stack.baseUrl}/oidc4vci/token`, {
      method: 'POST',
      body: new URLSearchParams({ grant_type: CANARIES.given_name }),
    });
    await fetch(`${stage.stack.baseUrl}/oidc4vp/${CANARIES.given_name}/request?flow_type=same-device`);
    await expectNoTrace([CANARIES.given_name]);
  });
});
