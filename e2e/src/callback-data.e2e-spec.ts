import { presentedCredentialsEvent } from '@vestibule/contracts';
import { issueTo, requestPresentation } from './flows';
import { FLOWS, startStage, type Stage } from './stage';

let stage: Stage;
const environment = { CALLBACK_DATA: 'minimal', PSEUDONYM_KEY: Buffer.alloc(32, 5).toString('base64url') };
beforeAll(async () => {
  stage = await startStage({ apps: FLOWS, environment: { verifier: environment } });
});
afterAll(() => stage?.stop());

describe('18.10 CALLBACK_DATA=minimal', () => {
  it('tells the backend claims and results, and knows a key again without naming it', async () => {
    const wallet = stage.createWallet();
    const credential = await issueTo(stage, wallet);
    const seen: string[] = [];
    for (const attempt of [1, 2]) {
      const { state, crossDevice } = await requestPresentation(stage);
      await wallet.present(crossDevice);
      const [event] = await stage.callbacksOf(state, 1);
      expect([attempt, event]).toMatchObject([attempt, { status: 'FULFILLED' }]);
      expect(presentedCredentialsEvent.safeParse(event).error).toBeUndefined();
      expect(event).not.toHaveProperty('credentialsRaw');
      const { card } = event?.['credentials'] as { card: { kbKeyId: string; claims: object }[] };
      expect(card[0]).toMatchObject({ claims: { family_name: expect.any(String) }, kbSignatureIsValid: true });
      expect(card[0]?.claims).not.toHaveProperty('sub');
      seen.push(card[0]?.kbKeyId ?? '');
    }
    expect(seen[0]).toMatch(/^[A-Za-z0-9_-]{43}$/);
    expect(seen[1]).toBe(seen[0]);
    expect(credential.payload['sub']).toContain(credential.holderKey);
    expect(credential.holderKey).not.toBe(seen[0]);
  });
});
