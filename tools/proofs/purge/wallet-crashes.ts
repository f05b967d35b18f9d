import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { promisify } from 'node:util';
import { roleName } from '@vestibule/dev-stack';
import type { Pool } from 'pg';
import type { Owner } from '../wallet-content';
import { waitUntil } from './crashes';
import type { Ended, Scene } from './flows';
import { draftOf, idOf, made, queryOf } from './wallet-flows';

const run = promisify(execFile);
const WAITING_MILLISECONDS = 30_000;

/** Sessions of the wallet store that wait for a row in the middle of a transaction. */
const WAITING = `
  SELECT 1 FROM pg_stat_activity
  WHERE datname = current_database() AND wait_event_type = 'Lock' AND query ~ 'wallet_store'`;

interface Held {
  /** Statements that lock rows. */
  readonly locks: readonly (readonly [sql: string, ...parameters: string[]])[];
  /** What begins while they are locked. */
  readonly begin: () => unknown;
  /** How many sessions must wait for them. */
  readonly waiting: number;
  readonly kill: () => unknown;
}

/** Begins something, and kills it while its transactions are open: what they wrote waits for a lock, and is not committed. */
async function killMidWrite(pool: Pool, { locks, begin, waiting, kill }: Held): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query('BEGIN');
    for (const [sql, ...parameters] of locks) await client.query(sql, parameters);
    begin();
    const areWaiting = async () => (await pool.query(WAITING)).rows.length >= waiting;
    await waitUntil('transactions that wait', areWaiting, WAITING_MILLISECONDS);
    await kill();
  } finally {
    await client.query('ROLLBACK');
    client.release();
  }
  const areGone = async () => (await pool.query(WAITING)).rows.length === 0;
  await waitUntil('the end of their sessions', areGone, WAITING_MILLISECONDS);
}

/** How many documents began in a wallet, and how many of them are issued now. */
async function countIn(pool: Pool, { walletDid }: Owner): Promise<{ begun: number; issued: number }> {
  const { rows } = await pool.query<{ begun: number; issued: number }>(
    `SELECT count(DISTINCT did)::int AS begun, (count(*) FILTER (WHERE latest AND state = 'issued'))::int AS issued
     FROM wallet_store.credential WHERE wallet_did = $1`,
    [walletDid],
  );
  return rows[0] as { begun: number; issued: number };
}

/**
 * The wallet store is killed while it creates one draft and issues another. Nothing of that is committed; after its restart the
 * same calls do both, once.
 */
export async function killWhileWriting(scene: Scene, pool: Pool, owner: Owner): Promise<readonly Ended[]> {
  const address = `/drafts?${queryOf(owner)}`;
  const issued = idOf(await made(scene, 'POST', address, { body: draftOf(scene) }));
  const before = await countIn(pool, owner);
  const keys = [{ 'idempotency-key': randomUUID() }, { 'idempotency-key': randomUUID() }] as const;
  const abandoned = new AbortController();
  const calls = (signal?: AbortSignal) => {
    const more = signal ? { signal } : {};
    return [
      made(scene, 'POST', address, { body: draftOf(scene), headers: keys[0], ...more }),
      made(scene, 'POST', `/drafts/${issued}/issue`, { body: {}, headers: keys[1], ...more }),
    ] as const;
  };
  const store = scene.stack.process('wallet-store');
  let cut: Promise<unknown> = Promise.resolve();
  await killMidWrite(pool, {
    locks: [
      ['SELECT 1 FROM wallet_store.wallet WHERE did = $1 FOR UPDATE', owner.walletDid],
      ['SELECT 1 FROM wallet_store.credential WHERE did = $1 FOR UPDATE', issued],
    ],
    begin: () => (cut = Promise.allSettled(calls(abandoned.signal))),
    waiting: 2,
    kill: () => store.kill('SIGKILL'),
  });
  abandoned.abort();
  await cut;
  if (JSON.stringify(await countIn(pool, owner)) !== JSON.stringify(before))
    throw new Error('a wallet store that was killed has written something');
  await store.restart();
  const [created] = await Promise.all(calls());
  const after = await countIn(pool, owner);
  if (after.begun !== before.begun + 1 || after.issued !== before.issued + 1)
    throw new Error('calls that were repeated after the crash did not take effect once');
  return [
    { name: 'wallet store killed, draft being created', id: idOf(created), status: 'draft' },
    { name: 'wallet store killed, draft being issued', id: issued, status: 'issued' },
  ];
}

/** Runs the operator's command that erases a wallet. */
function erasing({ stack }: Scene, root: string, { walletDid }: Owner) {
  const { secrets } = stack.files;
  const url = new URL(stack.databaseAdminUrl as string);
  url.username = roleName(url.pathname.slice(1), 'wallet_store');
  url.password = secrets.databasePasswords.wallet_store;
  const env = {
    NATS_URL: stack.natsUrl,
    BASE_URL: stack.baseUrl,
    DATABASE_URL: url.href,
    SEALING_KEYS: secrets.sealingKey,
  };
  const program = path.join(root, 'dist/apps/wallet-store/main.js');
  return run(process.execPath, [program, 'erase', '--tenant', 'default', '--wallet', walletDid], { env });
}

/**
 * The operator erases the wallets: nothing else deletes what is in them. The first time, the command is killed when the
 * content of the first wallet is deleted and the remembered answers about it are not.
 */
export async function eraseWallets(scene: Scene, pool: Pool, root: string, wallets: readonly Owner[]): Promise<void> {
  const [first] = wallets as readonly [Owner];
  let killed: ReturnType<typeof erasing> | undefined;
  await killMidWrite(pool, {
    locks: [['SELECT 1 FROM wallet_store.idempotency_key FOR UPDATE']],
    begin: () => {
      killed = erasing(scene, root, first);
      killed.catch(() => undefined);
    },
    waiting: 1,
    kill: () => killed?.child.kill('SIGKILL'),
  });
  for (const wallet of wallets) await erasing(scene, root, wallet);
}
