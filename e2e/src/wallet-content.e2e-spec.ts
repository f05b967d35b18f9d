import { joinStage, type SharedStage } from './stage';

let stage: SharedStage;
beforeAll(async () => {
  stage = await joinStage();
});
afterAll(() => stage?.stop());

type Members = Record<string, unknown>;

async function call(listener: 'managementUrl' | 'baseUrl', method: string, path: string, key?: string) {
  const apiKey = key ?? stage.stack.files.secrets.apiKey;
  const response = await fetch(`${stage.stack[listener]}/api/wallet/v1${path}`, {
    method,
    headers: { 'x-api-key': apiKey },
  });
  return { status: response.status, body: (await response.json()) as Members };
}

describe.each(['managementUrl', 'baseUrl'] as const)('the wallet content API on %s', (listener) => {
  it('makes entities and wallets with a did:key of their own, and reads an empty wallet', async () => {
    const entity = await call(listener, 'POST', '/entity');
    expect([entity.status, entity.body]).toEqual([
      201,
      {
        EntityDid: expect.stringMatching(/^did:key:zDna/),
        Created: expect.any(String),
        Updated: expect.any(String),
        Revision: 1,
        MetaData: { Labels: {}, Annotations: {} },
      },
    ]);
    const entityDid = String(entity.body['EntityDid']);
    const wallet = await call(listener, 'POST', `/wallet?entityDid=${entityDid}`);
    expect([wallet.status, wallet.body]).toMatchObject([
      201,
      { EntityDid: entityDid, WalletDid: expect.stringMatching(/^did:key:zDna/) },
    ]);
    const owner = `entityDid=${entityDid}&walletDid=${String(wallet.body['WalletDid'])}`;
    expect(await call(listener, 'GET', `/credentials?${owner}&state=draft&getBodies=true`)).toEqual({
      status: 200,
      body: [],
    });
    expect(await call(listener, 'GET', `/vp?${owner}`)).toEqual({ status: 200, body: [] });
    expect(await call(listener, 'GET', `/credential/did:key:zNone?${owner}`)).toMatchObject({
      status: 404,
      body: { code: 'credential_not_found' },
    });
    expect(await call(listener, 'GET', `/vp/did:key:zNone?${owner}`)).toMatchObject({
      status: 404,
      body: { code: 'presentation_not_found' },
    });
  });

  it('refuses a missing entityDid, an unknown entity and an unknown key, as problem details', async () => {
    expect(await call(listener, 'POST', '/wallet')).toMatchObject({
      status: 400,
      body: { code: 'invalid_request', errors: [{ path: 'entityDid' }] },
    });
    expect(await call(listener, 'POST', '/wallet?entityDid=did:key:zNone')).toMatchObject({
      status: 404,
      body: { code: 'entity_not_found' },
    });
    expect(await call(listener, 'POST', '/entity', 'unknown')).toMatchObject({
      status: 401,
      body: { code: 'api_key_invalid' },
    });
  });
});
