import type { Wallet } from '@vestibule/demo-wallet';
import { startConnectProxy, type ConnectProxy } from '@vestibule/testkit';
import { issueTo, requestPresentation } from './flows';
import { FLOWS, startStage, type Stage } from './stage';

const RECEIVER = 'http://backend.example/callbacks';
let backendPort = 1;
let proxy: ConnectProxy;
let stage: Stage;
beforeAll(async () => {
  proxy = await startConnectProxy({ port: () => backendPort });
  const environment = { CALLBACK_URL: RECEIVER, CALLBACK_PROXY: proxy.url };
  stage = await startStage({
    apps: FLOWS,
    environment: { issuer: environment, verifier: { ...environment, EGRESS_PROXY: `trust-lists=${proxy.url}` } },
  });
  backendPort = Number(new URL(stage.backend.url).port);
});
afterAll(async () => {
  await stage?.stop();
  await proxy?.close();
});

async function present(wallet: Wallet) {
  const { state, crossDevice } = await requestPresentation(stage);
  await wallet.present(crossDevice);
  return (await stage.callbacksOf(state, 1))[0];
}

const metricsOf = async (app: 'verifier' | 'issuer') =>
  (await fetch(stage.stack.process(app).readyUrl.replace('/health/ready', '/metrics'))).text();

describe('19.8 an installation behind an outbound proxy', () => {
  it('posts its callbacks through it, by name, and no log line has the login', async () => {
    const wallet = stage.createWallet();
    await issueTo(stage, wallet, { given_name: 'Ada', family_name: 'Lovelace' });
    expect(await present(wallet)).toMatchObject({ status: 'FULFILLED' });
    const login = `Basic ${Buffer.from('user:p@ss').toString('base64')}`;
    expect(new Set(proxy.asked)).toEqual(new Set([`backend.example:80 ${login}`]));
    expect(stage.logLines.filter((line) => /p%40ss|p@ss|dXNlcjpwQHNz/.test(line))).toEqual([]);
  });

  it('19.1 measures what it fetches, and how often a cached list served', async () => {
    const wallet = stage.createWallet();
    await issueTo(stage, wallet, { given_name: 'Ada', family_name: 'Lovelace' });
    for (let count = 0; count < 2; count += 1) expect(await present(wallet)).toMatchObject({ status: 'FULFILLED' });
    const text = await metricsOf('verifier');
    const fetched = 'vestibule_fetch_duration_seconds_count{service="verifier",purpose="status-lists",result="ok"}';
    expect(text.split('\n').filter((line) => line.startsWith(fetched))).toHaveLength(1);
    const uses = /^vestibule_cache_uses_total\{purpose="status-lists",result="hit",service="verifier"\} (\d+)$/m;
    expect(Number(uses.exec(text)?.[1])).toBeGreaterThan(0);
  });
});
