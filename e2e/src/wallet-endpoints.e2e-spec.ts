import { issueTo, queryFor, requestPresentation } from './flows';
import { FLOWS, joinStage, startStage, type SharedStage, type Stage } from './stage';

const CARD = { credential_configuration_id: 'identity-card', claims: { given_name: 'Ada', family_name: 'Example' } };

describe('18.11 a backend names the wallet to invoke', () => {
  let stage: SharedStage;
  beforeAll(async () => {
    stage = await joinStage();
  });
  afterAll(() => stage?.stop());

  it('an offer for haip-vci:// and a request for haip-vp:// are served like any other', async () => {
    const offered = await stage.management('POST', '/offers', { ...CARD, credential_offer_endpoint: 'haip-vci://' });
    expect(offered.body['credential_offer_uri']).toMatch(/^haip-vci:\/\/\?credential_offer_uri=https?%3A%2F%2F/);
    const wallet = stage.createWallet();
    await wallet.redeemOffer(offered.body['credential_offer_uri'] as string);
    const { state, crossDevice } = await requestPresentation(stage, { authorization_endpoint: 'haip-vp://' });
    expect(crossDevice).toMatch(/^haip-vp:\/\/\?client_id=/);
    expect((await wallet.present(crossDevice)).status).toBe(200);
    expect((await stage.callbacksOf(state, 1)).map(({ status }) => status)).toEqual(['FULFILLED']);
  });

  it('an https link keeps its own query', async () => {
    const named = 'https://wallet.example/authorize?lang=de';
    const { crossDevice } = await requestPresentation(stage, { authorization_endpoint: named });
    expect(crossDevice).toMatch(/^https:\/\/wallet\.example\/authorize\?lang=de&client_id=x509_hash%3A/);
  });

  it.each([
    ['javascript:alert(1)', 'openid4vp://#x'],
    ['openid4vp://?request_uri=https%3A%2F%2Fevil.example', 'openid-credential-offer://?credential_offer=%7B%7D'],
    ['http://wallet.example/', 'openid-credential-offer:'],
    ['unknown-wallet://', 'unknown-wallet://'],
  ])('%s and %s are 400 that names the member', async (authorization_endpoint, credential_offer_endpoint) => {
    const request = { dcql_query: queryFor(stage), authorization_endpoint };
    const asked = await stage.management('POST', '/oidc4vp', request);
    expect([asked.status, asked.body['errors']]).toMatchObject([400, [{ path: 'authorization_endpoint' }]]);
    const offered = await stage.management('POST', '/offers', { ...CARD, credential_offer_endpoint });
    expect([offered.status, offered.body['errors']]).toMatchObject([400, [{ path: 'credential_offer_endpoint' }]]);
  });
});

describe('18.11 18.7 an operator names the wallets', () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await startStage({
      apps: FLOWS,
      environment: {
        verifier: { WALLET_AUTHORIZATION_ENDPOINT: 'eudi-openid4vp://', REQUEST_URI_METHOD: 'post' },
        issuer: { WALLET_CREDENTIAL_OFFER_ENDPOINT: 'haip-vci://' },
      },
    });
  });
  afterAll(() => stage?.stop());

  it('and every URI is for them; wallets that can fetch by POST', async () => {
    const wallet = stage.createWallet();
    await issueTo(stage, wallet);
    const { state, crossDevice } = await requestPresentation(stage);
    expect(crossDevice).toMatch(/^eudi-openid4vp:\/\/\?client_id=.*&request_uri_method=post$/);
    await wallet.present(crossDevice);
    expect((await stage.callbacksOf(state, 1)).map(({ status }) => status)).toEqual(['FULFILLED']);
    const offered = await stage.management('POST', '/offers', CARD);
    expect(offered.body['credential_offer_uri']).toMatch(/^haip-vci:\/\//);
  });
});
