import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { SavedWallet } from '@vestibule/demo-wallet';
import {
  createTestDatabase,
  createTestNats,
  DATABASE_SERVICES,
  startCallbackReceiver,
  startStack,
  type CallbackReceiver,
  type Stack,
  type TestDatabase,
} from '@vestibule/dev-stack';
import { Client } from 'pg';

const FIXTURE = path.resolve(__dirname, '../fixtures/old-rows');

/** What the flows of the former version left: see the README of the fixture. */
export interface OldFacts {
  readonly dumpedAt: string;
  readonly baseUrl: string;
  readonly offers: {
    readonly issued: string;
    readonly revoked: string;
    readonly cancelled: string;
    readonly waiting: string;
    readonly open: { readonly offerId: string; readonly uri: string; readonly txCode: string };
    readonly keyed: { readonly key: string; readonly offerId: string };
  };
  readonly requests: {
    readonly fulfilled: string;
    readonly failed: string;
    readonly waiting: string;
    readonly open: { readonly state: string; readonly crossDevice: string };
  };
  readonly content: {
    readonly owner: { readonly entityDid: string; readonly walletDid: string };
    readonly entityKey: string;
    readonly credential: string;
    readonly presentation: string;
  };
  /** The callback that the backend refused, byte by byte. */
  readonly waitingTexts: string;
  readonly wallet: SavedWallet;
  readonly revokedWallet: SavedWallet;
}

export const OLD = JSON.parse(readFileSync(path.join(FIXTURE, 'facts.json'), 'utf8')) as OldFacts;

/** Runs statements with one connection. */
export async function runOn(
  url: string,
  ...statements: readonly string[]
): Promise<readonly Record<string, unknown>[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    let rows: readonly Record<string, unknown>[] = [];
    for (const statement of statements) ({ rows } = await client.query<Record<string, unknown>>(statement));
    return rows;
  } finally {
    await client.end();
  }
}

const TIMES = `
  SELECT format('UPDATE %I.%I SET %s', table_schema, table_name,
    string_agg(format('%1$I = %1$I + $SHIFT', column_name), ', ')) AS statement
  FROM information_schema.columns WHERE table_schema IN ('verifier', 'issuer', 'wallet_store')
    AND data_type = 'timestamp with time zone' AND is_generated = 'NEVER'
    AND (table_name, column_name) <> ('status_list', 'published_at')
  GROUP BY table_schema, table_name`;

/** As if the rows had been written a moment ago; but for the signed status list, which says itself when it was made. */
async function makeRecent({ adminUrl }: TestDatabase): Promise<void> {
  const shift = `(now() - timestamptz '${OLD.dumpedAt}')`;
  const updates = await runOn(adminUrl, TIMES);
  await runOn(adminUrl, ...updates.map(({ statement }) => String(statement).replaceAll('$SHIFT', shift)));
}

/** Schemas and rows as the former version left them, each owned by the role of its service. */
async function restoreOld(database: TestDatabase): Promise<void> {
  for (const service of DATABASE_SERVICES)
    await runOn(database.urls[service], readFileSync(path.join(FIXTURE, `${service}.sql`), 'utf8'));
  await makeRecent(database);
}

/** This version over the rows, keys and addresses of a former one. */
export interface OldInstallation {
  readonly stack: Stack;
  readonly backend: CallbackReceiver;
  readonly adminUrl: string;
  readonly logLines: readonly string[];
  stop(): Promise<void>;
}

/** Starts it; the migrations of this version run first. */
export async function startOverOldRows(): Promise<OldInstallation> {
  const closers: (() => unknown)[] = [];
  const stop = async () => {
    for (const close of closers.splice(0).reverse()) await close();
  };
  try {
    const folder = mkdtempSync(path.join(tmpdir(), 'vestibule-old-rows-'));
    closers.push(() => rmSync(folder, { recursive: true, force: true }));
    cpSync(path.join(FIXTURE, 'config'), path.join(folder, 'config'), { recursive: true });
    const database = await createTestDatabase();
    closers.push(() => database.drop());
    await restoreOld(database);
    const nats = await createTestNats();
    closers.push(() => nats.stop());
    const backend = await startCallbackReceiver();
    closers.push(() => backend.stop());
    const logLines: string[] = [];
    const { hostname, port } = new URL(OLD.baseUrl);
    const stack = await startStack({
      databaseUrls: database.urls,
      natsUrl: nats.url,
      callbackUrl: backend.url,
      dataFolder: folder,
      baseUrl: OLD.baseUrl,
      ports: { management: 0, public: 0 },
      // Wallets and verifiers know this address from credentials: a loopback address that nothing else uses.
      environment: { gateway: { PUBLIC_HOST: hostname, PUBLIC_PORT: port } },
      onLog: (label, line) => logLines.push(`${label} ${line}`),
    });
    closers.push(() => stack.stop());
    return { stack, backend, adminUrl: database.adminUrl, logLines, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
