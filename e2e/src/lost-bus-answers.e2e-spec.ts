import { randomBytes } from 'node:crypto';
import { until } from '@vestibule/testkit';
import { Client } from 'pg';
import { CLAIMS, queryFor } from './flows';
import { startIssuanceBench, type IssuanceBench } from './issuance-bench';
import type { Stage } from './stage';

let bench: IssuanceBench<Stage>;
let stage: Stage;
let admin: Client;
beforeAll(async () => {
  const started = await startIssuanceBench({ apps: ['gateway', 'issuer', 'verifier', 'wallet-store'] });
  bench = started;
  stage = started.stage;
  admin = new Client({ connectionString: stage.database.adminUrl });
  await admin.connect();
});
afterAll(async () => {
  await admin?.end();
  await bench?.stop();
});

interface Call {
  readonly status: number;
  readonly text: string;
}

async function whileIssuerIsFrozen<T>(act: () => Promise<T>): Promise<T> {
  const issuer = stage.stack.process('issuer');
  await issuer.kill('SIGSTOP');
  try {
    return await act();
  } finally {
    await issuer.kill('SIGCONT');
  }
}

interface Creation {
  readonly name: string;
  /** The table that it writes. */
  readonly table: string;
  readonly call: (key: string) => Promise<Call>;
}

async function post(url: string, key: string, body: object | undefined, headers: Record<string, string> = {}) {
  const json: Record<string, string> = body ? { 'content-type': 'application/json' } : {};
  const all = { 'idempotency-key': key, ...json, ...headers };
  const response = await fetch(url, { method: 'POST', headers: all, ...(body ? { body: JSON.stringify(body) } : {}) });
  return { status: response.status, text: await response.text() };
}

const CREATIONS: readonly Creation[] = [
  {
    name: 'POST /offers',
    table: 'issuer.credential_offer',
    call: (key) =>
      post(`${stage.stack.managementUrl}/offers`, key, {
        credential_configuration_id: 'identity-card',
        claims: CLAIMS,
      }),
  },
  {
    name: 'POST /oidc4vp',
    table: 'verifier.presentation_request',
    call: (key) => post(`${stage.stack.managementUrl}/oidc4vp`, key, { dcql_query: queryFor(stage) }),
  },
  {
    name: 'POST /entity',
    table: 'wallet_store.entity',
    call: (key) =>
      post(`${stage.stack.baseUrl}/api/wallet/v1/entity`, key, undefined, {
        'x-api-key': stage.stack.files.secrets.apiKey,
      }),
  },
];

const countOf = async (table: string) =>
  Number((await admin.query<{ count: string }>(`SELECT count(*) AS count FROM ${table}`)).rows[0]?.count);

/** Holds the write back until nothing that a process sends arrives at NATS any more. */
async function loseAnswer({ table, call }: Creation, key: string): Promise<Call> {
  await admin.query('BEGIN');
  await admin.query(`LOCK TABLE ${table} IN SHARE MODE`);
  const asked = call(key);
  const waits = `SELECT FROM pg_locks WHERE relation = '${table}'::regclass AND NOT granted`;
  await until(async () => (await admin.query(waits)).rows.length > 0);
  stage.proxies.nats.apply({ mode: 'swallow', connections: 'existing', direction: 'to-server' });
  await admin.query('COMMIT');
  return asked;
}

describe('an answer that is lost on the bus after the commit', () => {
  it.each(CREATIONS)('is found by the idempotency key: $name', async (creation) => {
    const before = await countOf(creation.table);
    let key = '';
    // On a busy machine the statement may have had its time before the lock was given back.
    do {
      await until(async () => (await stage.management('GET', '/health/ready')).status === 200);
      key = randomBytes(20).toString('hex');
      const lost = await loseAnswer(creation, key);
      expect([lost.status, (JSON.parse(lost.text) as { code: string }).code]).toEqual([503, 'service_timeout']);
      // NATS would go on to ask those whose connection leads nowhere, for as long as its pings let it.
      stage.proxies.nats.cut();
      stage.proxies.nats.heal();
    } while ((await countOf(creation.table)) === before);
    await until(async () => (await stage.management('GET', '/health/ready')).status === 200);
    const found = await creation.call(key);
    expect(found.status).toBe(201);
    expect(await creation.call(key)).toEqual(found);
    expect(await countOf(creation.table)).toBe(before + 1);
  });
});

describe('an issuer that stands still for longer than the gateway waits', () => {
  it('commits nothing afterwards, and the same request of the wallet works', async () => {
    const [wallet, offer] = [bench.createWallet(), await bench.offer()];
    const token = await wallet.token(offer);
    const body = await wallet.body();
    const asked = await whileIssuerIsFrozen(() => wallet.post('credential', token, body));
    expect(asked.status).toBe(503);
    // A whole flow later the first request has long been dealt with.
    await until(async () => (await stage.management('GET', '/health/ready')).status === 200);
    const [next, another] = [bench.createWallet(), await bench.offer()];
    expect((await next.post('credential', await next.token(another), await next.body())).status).toBe(200);
    expect(await bench.statusesOf(another, 2)).toEqual(['OFFER_CREATED', 'ISSUED']);
    expect((await stage.management('GET', `/offers/${offer.offerId}`)).body['status']).toBe('OFFER_CREATED');
    expect((await wallet.post('credential', token, body)).status).toBe(200);
    expect(await bench.statusesOf(offer, 2)).toEqual(['OFFER_CREATED', 'ISSUED']);
  });

  it('redeems no code afterwards: the wallet gets its token when it asks again', async () => {
    const [wallet, offer] = [bench.createWallet(), await bench.offer()];
    const asked = await whileIssuerIsFrozen(() => wallet.askToken(wallet.form(offer)));
    expect(asked.status).toBe(503);
    await until(async () => (await stage.management('GET', '/health/ready')).status === 200);
    const id = `'\\x${Buffer.from(offer.offerId, 'base64url').toString('hex')}'`;
    const tokens = await admin.query(`SELECT FROM issuer.access_token WHERE offer_id = ${id}`);
    expect(tokens.rows).toEqual([]);
    expect((await wallet.askToken(wallet.form(offer))).status).toBe(200);
  });
});
