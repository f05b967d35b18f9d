import { presentedCredentialsEvent } from '@vestibule/contracts';
import type { Wallet } from '@vestibule/demo-wallet';
import { CLAIMS, issueTo, queryFor, requestPresentation } from './flows';
import { joinStage, type SharedStage } from './stage';

let stage: SharedStage;
let wallet: Wallet;
beforeAll(async () => {
  stage = await joinStage();
  wallet = stage.createWallet();
  await issueTo(stage, wallet);
});
afterAll(() => stage?.stop());

const credentialClaims = (event: Record<string, unknown> | undefined) => {
  const raw = (event?.['credentialsRaw'] as Record<string, { claims: string }[]>)['card']?.[0]?.claims ?? '';
  return JSON.parse(Buffer.from(raw, 'base64').toString('utf8')) as Record<string, unknown>;
};

describe('presentation by a wallet of a third party', () => {
  it('cross-device ends as FULFILLED with every member that the contract has, and no responseCode', async () => {
    const { state, crossDevice } = await requestPresentation(stage, { redirect_uri: 'https://shop.example/return' });
    const result = await wallet.present(crossDevice);
    expect([result.status, result.body]).toEqual([200, {}]);
    const [event, ...more] = await stage.callbacksOf(state, 1);
    expect(more).toEqual([]);
    expect(presentedCredentialsEvent.safeParse(event).error?.issues).toBeUndefined();
    expect(Object.keys(event ?? {}).sort()).toEqual(['credentials', 'credentialsRaw', 'state', 'status']);
    expect(event).toMatchObject({ status: 'FULFILLED', state });
    const thumbprint = expect.stringMatching(/^[A-Za-z0-9_-]{43}$/);
    expect(event?.['credentials']).toEqual({
      card: [
        {
          issuer: stage.stack.issuerUrl,
          claims: { family_name: CLAIMS.family_name, sub: expect.any(String) },
          signatureIsValid: true,
          supportRevocation: true,
          isRevoked: false,
          supportTrustAnchor: true,
          isTrusted: true,
          kbKeyId: thumbprint,
          kbSignatureIsValid: true,
        },
      ],
    });
    expect(event?.['credentialsRaw']).toEqual({
      card: [
        {
          claims: expect.any(String),
          issuer: stage.stack.issuerUrl,
          validFrom: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
          validUntil: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:00:00\.000Z$/),
          kbKeyId: thumbprint,
        },
      ],
    });
    expect(credentialClaims(event)).toMatchObject({ family_name: CLAIMS.family_name, vct: stage.vct });
    expect(credentialClaims(event)).not.toHaveProperty('given_name');
  });

  it('C:1.15 C:2.14 C:2.26 C:3.5 C:4.14 C:4.15 VP:P1 VP:P2 VP:P3 VP:G3 same-device with redirect_uri sends the browser back with the responseCode of the callback', async () => {
    const { state, sameDevice } = await requestPresentation(stage, {
      redirect_uri: 'https://shop.example/return?cart=7',
    });
    const result = await wallet.present(sameDevice);
    const [event] = await stage.callbacksOf(state, 1);
    expect(result.body).toEqual({
      redirect_uri: `https://shop.example/return?cart=7&response_code=${String(event?.['responseCode'])}`,
    });
    expect(event?.['responseCode']).toMatch(/^[A-Za-z0-9_-]{43}$/);
  });

  it('C:2.26 same-device without redirect_uri has a responseCode and no redirect', async () => {
    const { state, sameDevice } = await requestPresentation(stage);
    expect((await wallet.present(sameDevice)).body).toEqual({});
    const [event] = await stage.callbacksOf(state, 1);
    expect(event?.['responseCode']).toEqual(expect.any(String));
  });

  it('VP:B8 fetches the request by POST with a wallet_nonce', async () => {
    const { state, crossDevice } = await requestPresentation(stage);
    expect((await wallet.present(crossDevice, { requestUriMethod: 'post' })).status).toBe(200);
    expect((await stage.callbacksOf(state, 1))[0]).toMatchObject({ status: 'FULFILLED' });
  });

  it('C:2.8 C:2.9 C:2.41 C:2.43 VP:J18 without holder binding the event says nothing about a key', async () => {
    const dcql_query = queryFor(stage, { require_cryptographic_holder_binding: false });
    const { state, crossDevice } = await requestPresentation(stage, { dcql_query });
    await wallet.present(crossDevice);
    const [event] = await stage.callbacksOf(state, 1);
    expect(event).toMatchObject({ status: 'FULFILLED' });
    const text = JSON.stringify(event);
    expect(text).not.toContain('kbKeyId');
    expect(text).not.toContain('kbSignatureIsValid');
  });

  it('C:2.13 C:2.49 VP:F6 reports the transaction data hashes that the wallet signed', async () => {
    const transaction_data = [{ type: 'payment', credential_ids: ['card'], amount: '10.00' }];
    const { state, crossDevice } = await requestPresentation(stage, { transaction_data });
    await wallet.present(crossDevice, { transactionDataTypes: ['payment'] });
    const [event] = await stage.callbacksOf(state, 1);
    const raw = (event?.['credentialsRaw'] as Record<string, object[]>)['card']?.[0];
    expect(raw).toMatchObject({ transactionDataHashes: [expect.stringMatching(/^[A-Za-z0-9_-]{43}$/)] });
  });

  it.each([
    ['encrypted', true],
    ['plain', 'plain'],
  ] as const)(
    'C:3.6 C:3.8 C:3.9 C:7.1 17.6 VP:I3 VP:G6 a %s refusal of the wallet ends as REJECTED with its code alone in errorDetails',
    async (_how, deny) => {
      const { state, sameDevice } = await requestPresentation(stage, { redirect_uri: 'https://shop.example/return' });
      const result = await wallet.present(sameDevice, { deny, errorDescription: 'not today' });
      expect([result.status, result.body]).toEqual([200, {}]);
      const [event, ...more] = await stage.callbacksOf(state, 1);
      expect(more).toEqual([]);
      expect(event).toEqual({
        status: 'REJECTED',
        state,
        errorDetails: 'access_denied',
        errorDescription: 'not today',
      });
    },
  );

  it('C:3.10 C:3.11 C:7.2 C:8.2 VP:P10 ends as EXPIRED, once and without errorDetails, when nobody answers', async () => {
    const { state, crossDevice } = await requestPresentation(stage, { expires_in: 1 });
    const [event, ...more] = await stage.callbacksOf(state, 1);
    expect([event, more]).toEqual([{ status: 'EXPIRED', state }, []]);
    await expect(wallet.present(crossDevice)).rejects.toBeDefined();
    expect((await stage.management('GET', `/oidc4vp/${state}`)).body).toMatchObject({ status: 'EXPIRED' });
  });

  it('shows status, times and the record of the checks to the backend, and no claim', async () => {
    const { state, crossDevice } = await requestPresentation(stage);
    await wallet.present(crossDevice);
    const { body } = await stage.management('GET', `/oidc4vp/${state}`);
    expect(body).toMatchObject({ state, status: 'FULFILLED', finished_at: expect.any(String) });
    const checks = (body['checks'] as { check: string; outcome: string }[]).map(
      ({ check, outcome }) => `${check} ${outcome}`,
    );
    expect(checks).toEqual(expect.arrayContaining(['issuer_signature passed', 'key_binding passed', 'dcql passed']));
    expect(JSON.stringify(body)).not.toContain(CLAIMS.family_name);
  });
});
