import { spawn, type ChildProcess } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { environmentOfRun } from '@vestibule/dev-stack';
import { until } from '@vestibule/testkit';
import { Client } from 'pg';
import { issueTo, offerCredential, requestPresentation } from './flows';
import { joinStage, type SharedStage } from './stage';

const GATEWAY = path.resolve(__dirname, '../../dist/apps/gateway/main.js');
const KEY = 'the-key-of-support';
const CANARY = 'canary-claim-of-audit';
const folder = mkdtempSync(path.join(tmpdir(), 'vestibule-audit-'));

let stage: SharedStage;
let gateway: ChildProcess;
let managementUrl: string;

/** A second gateway on the bus of the stage, whose callers have names. */
async function startGateway(): Promise<void> {
  const digest = createHash('sha256').update(KEY).digest('base64url');
  const scopes = ['present', 'offer', 'revoke', 'operate'];
  const file = path.join(folder, 'callers.json');
  writeFileSync(file, JSON.stringify({ keys: [{ name: 'support', digest, scopes }] }));
  gateway = spawn(process.execPath, [GATEWAY], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      NATS_URL: stage.natsUrl,
      BASE_URL: stage.stack.baseUrl,
      ISSUER_URL: stage.stack.issuerUrl,
      MANAGEMENT_PORT: '0',
      PUBLIC_PORT: '0',
      MANAGEMENT_CALLERS_FILE: file,
      ...environmentOfRun(),
    },
  });
  for await (const text of createInterface({ input: gateway.stdout as NodeJS.ReadableStream })) {
    const line = JSON.parse(text) as { msg?: string; management?: string };
    if (line.msg !== 'listening') continue;
    managementUrl = line.management ?? '';
    gateway.stdout?.resume();
    // It listens before it has reached the bus.
    await until(async () => (await fetch(new URL('/health/ready', managementUrl))).ok, 60);
    return;
  }
  throw new Error('the gateway has ended');
}

beforeAll(async () => {
  stage = await joinStage();
  await startGateway();
});
afterAll(async () => {
  gateway?.kill();
  rmSync(folder, { recursive: true });
  await stage?.stop();
});

async function asSupport(method: string, address: string, body?: object): Promise<number> {
  const headers = {
    authorization: `Bearer ${KEY}`,
    actor: 'key:admin',
    ...(body ? { 'content-type': 'application/json' } : {}),
  };
  const sent = { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) };
  return (await fetch(new URL(address, managementUrl), sent)).status;
}

interface Record {
  readonly actor: string;
  readonly action: string;
  readonly target: string;
}

/** The records of a service about a flow, as their text. */
async function recordsAbout(service: 'issuer' | 'verifier', id: string): Promise<readonly string[]> {
  const client = new Client({ connectionString: stage.database.adminUrl });
  await client.connect();
  try {
    const { rows } = await client.query<{ record: string }>(`SELECT record FROM ${service}.audit_record ORDER BY seq`);
    const target = createHash('sha256').update(id).digest('base64url').slice(0, 12);
    return rows.map(({ record }) => record).filter((record) => (JSON.parse(record) as Record).target === target);
  } finally {
    await client.end();
  }
}
const shortOf = (records: readonly string[]) =>
  records.map((record) => {
    const { actor, action } = JSON.parse(record) as Record;
    return `${actor} ${action}`;
  });

describe('20.3 what a backend does through the management listener', () => {
  it('to an offer is in the audit trail of the issuer under its own name, without claims and ids', async () => {
    const offer = await offerCredential(stage, { claims: { family_name: CANARY, given_name: 'x' } });
    expect(await asSupport('DELETE', `/offers/${offer.offerId}`)).toBe(204);
    expect(await asSupport('DELETE', `/offers/${offer.offerId}`)).toBe(409);
    const records = await recordsAbout('issuer', offer.offerId);
    expect(shortOf(records)).toEqual(['key:support offer.cancel']);
    expect(records.join()).not.toMatch(new RegExp(`${CANARY}|${offer.offerId}|${KEY}`));
  });

  it('to issued credentials: each change of their status', async () => {
    const wallet = stage.createWallet();
    const offer = await offerCredential(stage);
    await wallet.redeemOffer(offer.uri);
    await stage.callbacksOf(offer.offerId, 2);
    for (const status of ['suspended', 'valid', 'revoked'])
      expect(await asSupport('PATCH', `/offers/${offer.offerId}/status`, { status })).toBe(200);
    expect(await asSupport('PATCH', `/offers/${offer.offerId}/status`, { status: 'valid' })).toBe(409);
    const records = await recordsAbout('issuer', offer.offerId);
    expect(shortOf(records)).toEqual(Array(3).fill('key:support credential.status'));
    expect(records.map((record) => (JSON.parse(record) as { details: object }).details)).toEqual([
      { status: 'suspended', credentials: 1 },
      { status: 'valid', credentials: 1 },
      { status: 'revoked', credentials: 1 },
    ]);
  });

  it('to a presentation request is in that of the verifier; where nobody is asked, the actor is anonymous', async () => {
    await issueTo(stage, stage.createWallet());
    const { state } = await requestPresentation(stage);
    expect(await asSupport('DELETE', `/oidc4vp/${state}`)).toBe(204);
    expect(shortOf(await recordsAbout('verifier', state))).toEqual(['key:support presentation.cancel']);
    const other = await requestPresentation(stage);
    await stage.management('DELETE', `/oidc4vp/${other.state}`);
    expect(shortOf(await recordsAbout('verifier', other.state))).toEqual(['anonymous presentation.cancel']);
  });
});
