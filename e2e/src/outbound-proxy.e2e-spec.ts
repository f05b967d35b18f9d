import { X509Certificate } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { signEs256 } from '@vestibule/crypto';
import type { Wallet } from '@vestibule/demo-wallet';
import {
  createCertificateAuthority,
  signTrustedList,
  toPem,
  trustedListPayload,
  type Authority,
} from '@vestibule/dev-pki';
import { packStatuses, signStatusListToken } from '@vestibule/status-list';
import { startConnectProxy, until, type ConnectProxy } from '@vestibule/testkit';
import { issueTo, requestPresentation } from './flows';
import { issuerIdentity, presentForeign } from './foreign-credential';
import { FLOWS, startStage, type Stage } from './stage';
import { startStatusHost, type StatusHost } from './status-host';

const RECEIVER = 'http://backend.example/callbacks';
/** A public name that only the proxy knows. */
const LISTS = 'https://lists.example';
const ETSI = 'http://uri.etsi.org/19602';
const PID_LIST = `${ETSI}/LoTEType/EUPIDProvidersList`;
const DAY = 86_400_000;
const folder = mkdtempSync(path.join(tmpdir(), 'vestibule-outbound-'));
let backendPort = 1;
let proxy: ConnectProxy;
/** For what services fetch. */
let fetches: ConnectProxy;
let host: StatusHost;
let authority: Authority;
let stage: Stage;

/** Serves a list of trusted entities with one authority. */
function serveList(place: string, type: string, services: readonly string[], certificate: Buffer): void {
  const dates = { issuedAt: new Date(Date.now() - DAY), nextUpdateAt: new Date(Date.now() + 20 * DAY) };
  const entities = [
    {
      name: 'Provider',
      services: services.map((one) => ({ type: `${ETSI}/SvcType/${one}`, certificates: [certificate] })),
    },
  ];
  const payload = trustedListPayload({ type, sequence: 1, ...dates, entities });
  const list = signTrustedList(payload, { signer: authority, signedAt: new Date(Date.now() - DAY) });
  host.at(place, (_request, response) => void response.writeHead(200, { 'content-type': 'application/jwt' }).end(list));
}

beforeAll(async () => {
  authority = await createCertificateAuthority({ name: 'Lists', now: new Date() });
  const leaf = await authority.issue({ name: 'lists.example', dnsNames: ['lists.example'] });
  host = await startStatusHost({ tls: { cert: toPem(leaf.certificate), key: toPem(leaf.privateKey) } });
  proxy = await startConnectProxy({ port: () => backendPort });
  fetches = await startConnectProxy({ port: Number(new URL(host.origin).port) });
  writeFileSync(path.join(folder, 'scheme.pem'), toPem(authority.certificate));
  const attesters = path.join(folder, 'attesters.json');
  const wallets = { id: 'wallets', url: `${LISTS}/wallets.jwt`, signers: ['scheme.pem'] };
  writeFileSync(attesters, JSON.stringify({ lists: [wallets] }));
  serveList(
    '/wallets.jwt',
    `${ETSI}/LoTEType/EUWalletProvidersList`,
    ['WalletSolution/Issuance'],
    authority.certificate,
  );
  const environment = {
    CALLBACK_URL: RECEIVER,
    CALLBACK_PROXY: proxy.url,
    EGRESS_PROXY: fetches.url,
    EGRESS_CA_FILE: path.join(folder, 'scheme.pem'),
  };
  stage = await startStage({
    apps: FLOWS,
    environment: {
      issuer: { ...environment, ATTESTATION_TRUST_FILE: attesters },
      verifier: { ...environment, RELOAD_SECONDS: '1' },
    },
  });
  backendPort = Number(new URL(stage.backend.url).port);
});
afterAll(async () => {
  await stage?.stop();
  await Promise.all([proxy?.close(), fetches?.close(), host?.stop()]);
  rmSync(folder, { recursive: true });
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

  it('fetches lists of trusted entities, of providers of wallets, and status lists through it, by name', async () => {
    const { chain, key } = issuerIdentity(stage);
    const uri = `${LISTS}/status`;
    const status = await signStatusListToken({
      uri,
      issuedAt: new Date(Date.now() - 1_000),
      expiresAt: new Date(Date.now() + 600_000),
      ttlSeconds: 300,
      list: packStatuses(8, 1, []),
      x5c: chain.map((der) => der.toString('base64')),
      signer: (input) => signEs256(key, input),
    });
    host.serve('/status', () => status);
    const trusted = stage.stack.files.folder;
    const root = new X509Certificate(readFileSync(path.join(trusted, 'root.pem')));
    serveList('/providers.jwt', PID_LIST, ['PID/Issuance', 'PID/Revocation'], root.raw);
    writeFileSync(path.join(trusted, 'scheme.pem'), toPem(authority.certificate));
    const rules = { signers: ['scheme.pem'], type: PID_LIST, vcts: [stage.vct] };
    const lists = [{ id: 'providers', url: `${LISTS}/providers.jwt`, ...rules }];
    writeFileSync(path.join(trusted, 'trust.json'), JSON.stringify({ lists }));
    const loaded = (id: string) => () =>
      stage.readLog().some((line) => line.includes('list of trusted entities was loaded') && line.includes(id));
    await until(loaded('wallets'));
    await until(loaded('providers'));
    const payload = (members: object) => ({ ...members, status: { status_list: { idx: 3, uri } } });
    expect(await presentForeign(stage, { payload })).toMatchObject({ event: { status: 'FULFILLED' }, codes: [] });
    const login = `Basic ${Buffer.from('user:p@ss').toString('base64')}`;
    expect(new Set(fetches.asked)).toEqual(new Set([`lists.example:443 ${login}`]));
    expect(new Set(host.calls)).toEqual(new Set(['/wallets.jwt', '/providers.jwt', '/status']));
  });
});
