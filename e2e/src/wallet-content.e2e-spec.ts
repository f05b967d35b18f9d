import { joinStage, type SharedStage } from './stage';
import { createWalletApi, newTenantKey, type OwnedWallet } from './wallet-api';

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
  it('W:1.1 W:1.2 W:1.7 W:2.1 W:2.2 W:4.1 W:4.2 W:4.3 W:9.1 makes entities and wallets with a did:key of their own, and reads an empty wallet', async () => {
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

  it('W:4.4 refuses a missing entityDid, an unknown entity and an unknown key, as problem details', async () => {
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

describe('17.14 GET /entities and GET /wallets', () => {
  it('list what the tenant has made, page by page, and the wallets of one entity', async () => {
    const api = createWalletApi(stage.stack.baseUrl, await newTenantKey(stage, 'lists-of-owners'));
    const first = await api.newWallet();
    const second = await api.newWallet();
    const { walletDid: third } = await api.newWallet(first.entityDid);
    const walk = async (path: string) => {
      const items: Members[] = [];
      let at: string | undefined = `${path}limit=1`;
      while (at !== undefined) {
        const answer = await api.get(at);
        expect(answer.status).toBe(200);
        items.push(...answer.items);
        const [, next] = /^<([^>]+)>; rel="next"$/.exec(answer.headers.get('link') ?? '') ?? [];
        at = next === undefined ? undefined : `/${next}`;
      }
      return items;
    };
    const record = { Created: expect.any(String), Updated: expect.any(String), Revision: 1 };
    const metaData = { MetaData: { Labels: {}, Annotations: {} } };
    const entityOf = (EntityDid: string) => ({ EntityDid, ...record, ...metaData });
    const walletOf = (WalletDid: string, { entityDid }: OwnedWallet) => ({ WalletDid, ...entityOf(entityDid) });
    expect(await walk('/entities?')).toEqual([entityOf(first.entityDid), entityOf(second.entityDid)]);
    const [one, other] = [walletOf(first.walletDid, first), walletOf(third, first)];
    expect(await walk('/wallets?')).toEqual([one, walletOf(second.walletDid, second), other]);
    expect(await walk(`/wallets?entityDid=${first.entityDid}&`)).toEqual([one, other]);
  });

  it('refuse an unknown entity, a limit beyond 1,000 and a cursor that they did not make', async () => {
    const api = createWalletApi(stage.stack.baseUrl, stage.stack.files.secrets.apiKey);
    const codes = [
      '/wallets?entityDid=did:key:zNone',
      '/entities?limit=1001',
      '/wallets?cursor=x',
      '/entities?cursor=x',
    ];
    const answers = await Promise.all(codes.map(api.get));
    expect(answers.map(({ status, body }) => [status, body['code']])).toEqual([
      [404, 'entity_not_found'],
      ...[1, 2, 3].map(() => [400, 'invalid_request']),
    ]);
  });
});
