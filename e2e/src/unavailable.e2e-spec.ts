import type { Wallet } from '@vestibule/demo-wallet';
import { until } from '@vestibule/testkit';
import { issueTo, offerCredential, requestPresentation } from './flows';
import { startStage, type Stage } from './stage';

let stage: Stage;
let wallet: Wallet;
beforeAll(async () => {
  stage = await startStage();
  wallet = stage.createWallet();
  await issueTo(stage, wallet);
});
afterAll(() => stage?.stop());

interface Probe {
  readonly responseUri: string;
  readonly form: Readonly<Record<string, string>>;
  readonly requestUri: string;
  readonly offerUri: string;
}

/** What a wallet is about to ask when a part goes away. */
async function prepare(): Promise<Probe & { readonly state: string }> {
  const { state, crossDevice } = await requestPresentation(stage);
  const requestUri = new URL(crossDevice).searchParams.get('request_uri') as string;
  const offer = await offerCredential(stage);
  const offerUri = new URL(offer.uri).searchParams.get('credential_offer_uri') as string;
  return { state, ...(await wallet.buildPresentation(crossDevice)), requestUri, offerUri };
}

const form = (members: Readonly<Record<string, string>>): RequestInit => ({
  method: 'POST',
  body: new URLSearchParams(members),
});

/** Status and Retry-After of everything that a wallet can ask. */
async function askEverything(probe: Probe) {
  const { issuerUrl } = stage.stack;
  const calls: readonly (readonly [string, RequestInit?])[] = [
    [probe.requestUri],
    [probe.responseUri, form(probe.form)],
    [probe.offerUri],
    [`${issuerUrl}/oidc4vci/nonce`, { method: 'POST' }],
    [`${issuerUrl}/oidc4vci/token`, form({ grant_type: 'urn:ietf:params:oauth:grant-type:pre-authorized_code' })],
  ];
  return Promise.all(
    calls.map(async ([url, init]) => {
      const { status, headers } = await fetch(url, { ...init, signal: AbortSignal.timeout(40_000) });
      return { address: new URL(url).pathname.split('/').at(-1), status, retryAfter: headers.get('retry-after') };
    }),
  );
}

/** Needs no database, or is refused before it is asked. */
const SERVED_WITHOUT_DATABASE = new Set(['nonce', 'token']);

async function expectAway(probe: Probe, except: ReadonlySet<string> = new Set()): Promise<void> {
  const answers = await askEverything(probe);
  for (const { address, status, retryAfter } of answers) {
    if (except.has(address ?? '')) continue;
    expect([address, status]).toEqual([address, 503]);
    expect(Number(retryAfter)).toBeGreaterThan(0);
  }
}

/** The flow goes on where it was: nothing was lost and nothing was decided meanwhile. */
async function expectBack({ state, responseUri, form: response }: Probe & { state: string }): Promise<void> {
  await until(async () => (await stage.management('GET', '/health/ready')).status === 200);
  expect((await stage.management('GET', `/oidc4vp/${state}`)).body['status']).toBe('PENDING');
  expect((await wallet.send(responseUri, response)).status).toBe(200);
  expect((await stage.callbacksOf(state, 1))[0]).toMatchObject({ status: 'FULFILLED' });
}

describe('wallets hear 503 with Retry-After, and go on afterwards, while', () => {
  it('NATS is away', async () => {
    const probe = await prepare();
    stage.proxies.nats.block();
    await expectAway(probe);
    const answer = await stage.management('POST', '/oidc4vp', { dcql_query: {} });
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '5']);
    stage.proxies.nats.heal();
    await expectBack(probe);
  });

  it('Postgres is away', async () => {
    const probe = await prepare();
    stage.proxies.postgres.block();
    await expectAway(probe, SERVED_WITHOUT_DATABASE);
    stage.proxies.postgres.heal();
    await expectBack(probe);
  });

  it('Postgres says nothing', async () => {
    const probe = await prepare();
    stage.proxies.postgres.freeze();
    await expectAway(probe, SERVED_WITHOUT_DATABASE);
    stage.proxies.postgres.cut();
    stage.proxies.postgres.heal();
    await expectBack(probe);
  });

  it('the services are away', async () => {
    const probe = await prepare();
    await Promise.all((['verifier', 'issuer'] as const).map((app) => stage.stack.process(app).kill('SIGKILL')));
    await expectAway(probe);
    for (const app of ['verifier', 'issuer'] as const) await stage.stack.process(app).restart();
    await expectBack(probe);
  });
});
