import { request } from 'node:https';
import { createWallet } from '@vestibule/demo-wallet';
import {
  createBackend,
  createTestDatabase,
  createTestNats,
  offerSample,
  requestSample,
  startCallbackReceiver,
  startStack,
  startTcpProxy,
  waitForStatus,
  type CallbackReceiver,
  type Stack,
} from '@vestibule/dev-stack';
import { until } from '@vestibule/testkit';
import { caddyBinary, startCaddy, type Caddy } from './caddy';

const asText = (body: RequestInit['body']): string => {
  if (typeof body === 'string' || body instanceof URLSearchParams) return String(body);
  if (body === undefined || body === null) return '';
  throw new TypeError('a body is text here');
};

/** What a wallet calls that trusts the authority of the proxy. */
const fetchBy = (ca: string) =>
  (async (input: string | URL, init: RequestInit = {}) => {
    const headers = new Headers(init.headers);
    if (init.body instanceof URLSearchParams && !headers.has('content-type'))
      headers.set('content-type', 'application/x-www-form-urlencoded');
    const body = asText(init.body);
    headers.set('content-length', String(Buffer.byteLength(body)));
    return new Promise<Response>((resolve, reject) => {
      const options = { method: init.method ?? 'GET', headers: Object.fromEntries(headers), ca, agent: false };
      const outgoing = request(input, options, (incoming) => {
        const chunks: Buffer[] = [];
        incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
        incoming.on('end', () => {
          const status = incoming.statusCode ?? 0;
          const answered = new Headers(incoming.headers as Record<string, string>);
          resolve(new Response(status === 204 ? null : Buffer.concat(chunks), { status, headers: answered }));
        });
      });
      outgoing.on('error', reject);
      outgoing.end(body);
    });
  }) as typeof fetch;

(caddyBinary === undefined ? describe.skip : describe)('a wallet behind the proxy of docker-compose.yml', () => {
  const closers: (() => Promise<void>)[] = [];
  let caddy: Caddy;
  let stack: Stack;
  let backend: CallbackReceiver;

  beforeAll(async () => {
    // Caddy has to have its port before the gateway has its address, and so comes first.
    const line = await startTcpProxy(1);
    closers.push(() => line.stop());
    caddy = await startCaddy(`127.0.0.1:${line.port}`);
    closers.push(() => caddy.stop());
    const database = await createTestDatabase();
    closers.push(() => database.drop());
    const nats = await createTestNats();
    closers.push(() => nats.stop());
    backend = await startCallbackReceiver();
    closers.push(() => backend.stop());
    stack = await startStack({
      databaseUrls: database.urls,
      natsUrl: nats.url,
      callbackUrl: backend.url,
      ports: { management: 0, public: 0 },
      baseUrl: `https://localhost:${caddy.port}`,
      apps: ['gateway', 'issuer', 'verifier'],
      // The verifier fetches the status list by the address that everyone does.
      environment: { gateway: { TRUSTED_PROXIES: '127.0.0.1' }, verifier: { EGRESS_CA_FILE: caddy.caFile } },
    });
    closers.push(() => stack.stop());
    line.redirect(Number(new URL(stack.process('gateway').addressOf('public') ?? '').port));
    // Caddy listens before it has a certificate for its name.
    const fetched = () => fetchBy(caddy.ca)(`${stack.baseUrl}/.well-known/openid-credential-issuer`);
    await until(() => fetched().then(({ status }) => status === 200, () => false)); // prettier-ignore
  });
  afterAll(async () => {
    for (const close of closers.reverse()) await close();
  });

  it('gets a credential with DPoP and presents it, over https, by the addresses that it is told', async () => {
    const seen: string[] = [];
    const byCaddy = fetchBy(caddy.ca);
    const wallet = createWallet({
      fetch: (input, init) => {
        seen.push(String(input));
        return byCaddy(input, init);
      },
    });
    const sample = createBackend(stack);
    const offer = await offerSample(sample, { tx_code: {} });
    const options = { encrypt: true, ...(offer.txCode === undefined ? {} : { txCode: offer.txCode }) };
    expect(await wallet.redeemOffer(offer.uri, options)).toHaveLength(1);
    await waitForStatus(backend, offer.offerId, 'ISSUED');
    const asked = await requestSample(sample);
    expect((await wallet.present(asked.crossDevice)).status).toBe(200);
    await waitForStatus(backend, asked.state, 'FULFILLED');
    expect(seen.length).toBeGreaterThan(6);
    expect(seen.filter((url) => !url.startsWith(`${stack.baseUrl}/`))).toEqual([]);
  });
});
