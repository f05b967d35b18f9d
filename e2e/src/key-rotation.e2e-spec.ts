import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { sealingKeyMark } from '@vestibule/crypto';
import type { Wallet } from '@vestibule/demo-wallet';
import { until } from '@vestibule/testkit';
import { Client } from 'pg';
import { CLAIMS, issueTo, offerCredential, requestPresentation } from './flows';
import { startStage, type Stage } from './stage';

const newKey = randomBytes(32).toString('base64url');
/** Version 1, then the identifier of the key. */
const MARK_BYTES = 9;
const COLUMNS = [
  ['verifier.presentation_request', 'session'],
  ['verifier.presentation_request', 'answer'],
  ['verifier.idempotency_key', 'answer'],
  ['verifier.callback', 'payload'],
  ['verifier.callback', 'details'],
  ['issuer.credential_offer', 'session'],
  ['issuer.credential_offer', 'transaction_keys'],
  ['issuer.credential_offer', 'wallet_status'],
  ['issuer.idempotency_key', 'answer'],
  ['issuer.callback', 'payload'],
  ['issuer.callback', 'details'],
  ['wallet_store.entity', 'private_key'],
  ['wallet_store.wallet', 'private_key'],
  ['wallet_store.idempotency_key', 'answer'],
] as const;

/** Ends the flows that a failed test has left. */
let stopBusy: () => Promise<number> = async () => 0;
/** While true, the backend takes nothing, and events wait sealed in the outbox. */
let away = false;
/** Of what the flows need there are two, so that they go on while one is away. */
const REPLICAS = { verifier: 2, issuer: 2, 'wallet-store': 1 } as const;
const SERVICES = ['verifier', 'issuer', 'wallet-store'] as const;
const folder = mkdtempSync(path.join(tmpdir(), 'vestibule-wrapped-'));
/** The new key, in the form that a device has to unwrap. */
const wrapped = `wrapped:${path.join(folder, 'sealing.json')}`;
/** Stands in for Vault, and has unwrapped so many keys; while it hangs, it answers nobody. */
const vault = { asked: 0, hangs: false };
let device: Server;
let stage: Stage;
let wallet: Wallet;

async function startDevice(): Promise<void> {
  const plaintext = Buffer.from(newKey, 'base64url').toString('base64');
  device = createServer((request, response) => {
    vault.asked += 1;
    const isRight = request.url === '/v1/transit/decrypt/sealing' && request.headers['x-vault-token'] === 'token';
    if (vault.hangs) return;
    response.writeHead(isRight ? 200 : 403, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ data: { plaintext } }));
  });
  await new Promise<void>((resolve) => device.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(device.address() as AddressInfo).port}`;
  const tokenFile = path.join(folder, 'token');
  writeFileSync(tokenFile, 'token');
  const described = { provider: 'vault-transit', url, key: 'sealing', tokenFile };
  const mark = sealingKeyMark(Buffer.from(newKey, 'base64url'));
  writeFileSync(wrapped.slice('wrapped:'.length), JSON.stringify({ wrapped: 'vault:v1:x', mark, device: described }));
}

beforeAll(async () => {
  await startDevice();
  stage = await startStage({ respond: () => (away ? 503 : 204), replicas: REPLICAS });
  wallet = stage.createWallet();
  await issueTo(stage, wallet);
});
afterAll(async () => {
  await stopBusy();
  await stage?.stop();
  device?.closeAllConnections();
  device?.close();
  rmSync(folder, { recursive: true });
});

/** One replica of each service after the other. */
async function rollOut(keys: string): Promise<void> {
  for (const replica of [0, 1]) {
    await Promise.all(
      SERVICES.filter((app) => replica < REPLICAS[app]).map(async (app) => {
        const process = stage.stack.process(app, replica);
        process.configure({ SEALING_KEYS: keys });
        await process.restart();
      }),
    );
  }
}

/** How many records there are under each key, by the mark that they begin with. */
async function marks(): Promise<ReadonlyMap<string, number>> {
  const client = new Client({ connectionString: stage.database.adminUrl });
  await client.connect();
  const counts = new Map<string, number>();
  try {
    for (const [table, column] of COLUMNS) {
      const { rows } = await client.query<{ mark: string }>(
        `SELECT encode(substring(${column} FOR ${MARK_BYTES}), 'hex') AS mark FROM ${table} WHERE ${column} IS NOT NULL`,
      );
      for (const { mark } of rows) counts.set(mark, (counts.get(mark) ?? 0) + 1);
    }
  } finally {
    await client.end();
  }
  return counts;
}

const content = (method: 'GET' | 'POST', path: string) =>
  fetch(`${stage.stack.managementUrl}/api/wallet/v1${path}`, {
    method,
    headers: { 'X-API-KEY': stage.stack.files.secrets.apiKey, 'Idempotency-Key': randomBytes(20).toString('hex') },
  });

/** One more flow of each kind, all the time, until told to stop; gives the number of flows that ended well. */
function keepBusy(): { stop(): Promise<number> } {
  let running = true;
  let flows = 0;
  const busy = (async () => {
    while (running) {
      await issueTo(stage, stage.createWallet());
      const { crossDevice } = await requestPresentation(stage);
      expect((await wallet.present(crossDevice)).status).toBe(200);
      flows += 1;
    }
  })();
  // A flow that fails is told by `stop`, and is no rejection that nobody handles until then.
  busy.catch(() => undefined);
  const stop = async () => {
    running = false;
    await busy;
    return flows;
  };
  stopBusy = () => stop().catch(() => 0);
  return { stop };
}

it('keys rotate while flows go on: old records open, new ones use the new key, re-sealing ends, the old key can go', async () => {
  const oldKey = stage.stack.files.secrets.sealingKey;
  const repeatable = { 'Idempotency-Key': randomBytes(20).toString('hex') };
  const repeated = await stage.management('POST', '/oidc4vp', { dcql_query: dcql() }, repeatable);
  const entity = await content('POST', '/entity');
  expect(entity.status).toBe(201);
  const request = await requestPresentation(stage);
  const offer = await offerCredential(stage, { tx_code: { input_mode: 'numeric', length: 6 } });
  const later = await offerCredential(stage, { deferred: true, claims: {} });
  const { deferred } = await stage.createWallet().redeem(later.uri);
  away = true;
  const waiting = await requestPresentation(stage);
  expect((await wallet.present(waiting.sameDevice)).status).toBe(200);
  const [oldMark] = (await marks()).keys();
  expect((await marks()).size).toBe(1);

  const flows = keepBusy();
  await rollOut(`${oldKey},${newKey}`);
  await rollOut(`${newKey},${oldKey}`);
  const mixed = await marks();
  expect(mixed.size).toBe(2);
  expect(mixed.get(oldMark as string)).toBeGreaterThan(4);
  const [newMark] = [...mixed.keys()].filter((mark) => mark !== oldMark);

  const resealed = await Promise.all(SERVICES.map((app) => stage.stack.process(app).runCommand('reseal')));
  for (const { code, lines } of resealed) {
    expect(lines.join('\n')).toContain('every sealed record is under the first key: the other keys can be removed');
    expect(code).toBe(0);
  }
  expect([...(await marks()).keys()]).toEqual([newMark]);
  expect(await flows.stop()).toBeGreaterThan(0);

  // The same key, now unwrapped by a device when a process starts.
  await rollOut(wrapped);
  expect(vault.asked).toBe(5);
  const attempts = stage.backend.received.length;
  away = false;
  // By itself the event would be tried again within five minutes.
  const retried = await stage.management('POST', '/callbacks/verifier/retry');
  expect(retried.status).toBe(200);
  const isDelivered = ({ text }: { text: string }) =>
    stage.backend.received.slice(attempts).some((later) => later.text === text) && text.includes(waiting.state);
  const delivered = await stage.backend.waitFor(isDelivered, 180_000);
  expect(delivered.body).toMatchObject({ status: 'FULFILLED', state: waiting.state });
  expect((await wallet.present(request.crossDevice)).status).toBe(200);
  expect((await stage.callbacksOf(request.state, 1))[0]).toMatchObject({ status: 'FULFILLED' });
  const txCode = offer.txCode as string;
  expect(await stage.createWallet().redeemOffer(offer.uri, { txCode })).toHaveLength(1);
  expect((await stage.management('PATCH', `/offers/${later.offerId}`, { claims: CLAIMS })).status).toBe(200);
  expect(await deferred[0]?.collect()).toHaveLength(1);
  const again = await stage.management('POST', '/oidc4vp', { dcql_query: dcql() }, repeatable);
  expect([again.status, again.body]).toEqual([201, repeated.body]);
  expect(stage.logLines.filter((line) => line.includes('seal_broken'))).toEqual([]);
}, 600_000);

it('re-sealing ends with 1 and says so when a key is missing that records need', async () => {
  const issuer = stage.stack.process('issuer');
  await offerCredential(stage);
  issuer.configure({ SEALING_KEYS: randomBytes(32).toString('base64url') });
  const { code, lines } = await issuer.runCommand('reseal');
  expect(code).toBe(1);
  expect(lines.join('\n')).toContain('reseal_incomplete');
  issuer.configure({ SEALING_KEYS: newKey });
});

it.each([
  ['verifier', 'BASE_URL'],
  ['issuer', 'ISSUER_URL'],
  ['wallet-store', 'BASE_URL'],
] as const)(
  '%s starts neither without a key nor with a development key and a public %s',
  async (app, variable) => {
    const process = stage.stack.process(app);
    process.configure({ SEALING_KEYS: '' });
    const missing = await process.runCommand('migrate');
    expect([missing.code, missing.lines.join('\n')]).toEqual([2, expect.stringMatching(/SEALING_KEYS.*is missing/)]);
    process.configure({ SEALING_KEYS: stage.stack.files.secrets.sealingKey, [variable]: 'https://wallets.example' });
    const development = await process.runCommand('migrate');
    expect(development.code).toBe(2);
    expect(development.lines.join('\n')).toContain(`holds a development key, and ${variable} is public`);
    process.configure({ SEALING_KEYS: newKey });
    expect((await process.runCommand('migrate')).code).toBe(0);
  },
  60_000,
);

it.each(SERVICES)('%s ends at once with 0 on SIGTERM while a device unwraps its keys', async (app) => {
  const process = stage.stack.process(app);
  await process.stop();
  process.configure({ SEALING_KEYS: wrapped });
  vault.hangs = true;
  const before = vault.asked;
  process.launch();
  await until(() => vault.asked > before);
  await process.stop();
  expect(process.describeEnd()).toContain('(exit code 0)');
  expect(process.lastLines().join('\n')).not.toContain('cannot be unwrapped');
});

function dcql() {
  const claims = [{ path: ['given_name'] }];
  return { credentials: [{ id: 'card', format: 'dc+sd-jwt', meta: { vct_values: [stage.vct] }, claims }] };
}
