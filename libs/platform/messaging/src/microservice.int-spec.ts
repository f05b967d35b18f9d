import { randomBytes } from 'node:crypto';
import { createServer, type AddressInfo } from 'node:net';
import { Client } from 'pg';
import { createSealer } from '@vestibule/crypto';
import { createTestDatabase, type TestDatabase } from '@vestibule/dev-stack';
import { createAsker, type Asker } from './asker';
import { createDatabase, type Database } from '@vestibule/persistence';
import { createLogger } from '@vestibule/process';
import { until } from '@vestibule/testkit';
import {
  createProcesses,
  openWire,
  randomNoun,
  tinyContracts,
  type ServiceProcess,
} from './testing/service-process.fixture-spec';

jest.setTimeout(180_000);

// eslint-disable-next-line no-restricted-properties -- the global set-up says where the test broker is
const natsUrl = process.env['TEST_NATS_URL'] ?? '';
const noun = randomNoun();
const { save, check } = tinyContracts(noun);
const logger = createLogger({ name: 'test', level: 'silent' });
const processes = createProcesses(noun);
const sealingKey = randomBytes(32).toString('base64url');

let testDatabase: TestDatabase;
let database: Database;
let asker: Asker;
let environment: Record<string, string>;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  const url = testDatabase.urls.verifier;
  database = await createDatabase({
    url: testDatabase.adminUrl,
    schema: 'probe',
    applicationName: 'probe',
    migrations: [],
    logger,
  });
  asker = createAsker({ servers: [natsUrl], name: 'test', logger });
  environment = {
    DATABASE_URL: url,
    NATS_URL: natsUrl,
    SEALING_KEYS: sealingKey,
    GREETING: 'hello',
    HEALTH_PORT: '0',
  };
  await until(() => asker.isConnected());
});
afterAll(async () => {
  await processes.end();
  await asker.close();
  await database.close();
  await testDatabase.drop();
});

/** The status and the checks of the health listener; 0 where nothing listens. */
async function readiness(service: ServiceProcess): Promise<{ status: number; checks: unknown }> {
  try {
    const response = await fetch(`${service.healthUrl()}/health/ready`);
    return { status: response.status, checks: ((await response.json()) as { checks: unknown }).checks };
  } catch {
    return { status: 0, checks: undefined };
  }
}
const isReady = async (service: ServiceProcess) => (await readiness(service)).status === 200;
const hasTable = async () =>
  (await database.query<{ found: boolean }>(`SELECT to_regclass('verifier.thing') IS NOT NULL AS found`))[0]?.found;

describe('the command migrate', () => {
  it('migrates without NATS, ends with 0, and may be repeated', async () => {
    expect(await hasTable()).toBe(false);
    const offline = { ...environment, NATS_URL: 'nats://127.0.0.1:1' };
    for (const ran of [1, 0]) {
      const migrating = processes.start(offline, 'migrate');
      expect(await migrating.exited).toBe(0);
      expect(migrating.lines()).toContainEqual(expect.objectContaining({ msg: 'migrations are up to date', ran }));
    }
    expect(await hasTable()).toBe(true);
  });

  it('ends with 1 when Postgres refuses, and names the role, but never the password', async () => {
    const url = new URL(environment['DATABASE_URL'] ?? '');
    url.pathname = '/canary_no_such_user_database';
    url.username = 'canary_user';
    url.password = 'canary_password';
    const migrating = processes.start({ ...environment, DATABASE_URL: url.href }, 'migrate');
    expect(await migrating.exited).toBe(1);
    expect(migrating.text()).toContain('the command failed');
    expect(migrating.text()).toContain('canary_user');
    expect(migrating.text()).not.toContain('canary_password');
  });
});

describe('the command reseal', () => {
  const record = (key: string, label: string) =>
    createSealer([Buffer.from(key, 'base64url')], randomBytes).seal(
      Buffer.from('x'),
      `verifier.secret.content/${label}`,
    );
  const insert = (label: string, sealed: Buffer) =>
    database.query('INSERT INTO verifier.secret VALUES ($1, $2)', [label, sealed]);
  const newKey = randomBytes(32).toString('base64url');

  it('puts all records under the first key and ends with 0', async () => {
    await insert('a', record(sealingKey, 'a'));
    await insert('b', record(newKey, 'b'));
    const resealing = processes.start({ ...environment, SEALING_KEYS: `${newKey},${sealingKey}` }, 'reseal');
    expect(await resealing.exited).toBe(0);
    const done = { msg: 'every sealed record is under the first key: the other keys can be removed', moved: 1 };
    expect(resealing.lines()).toContainEqual(expect.objectContaining(done));
  });

  it('ends with 1 when a record does not open, without a word of it', async () => {
    await insert('canary-label', record(randomBytes(32).toString('base64url'), 'canary-label'));
    const resealing = processes.start({ ...environment, SEALING_KEYS: newKey }, 'reseal');
    expect(await resealing.exited).toBe(1);
    expect(resealing.text()).toContain('1 records cannot be opened, 0 are still sealed with a key other');
    expect(resealing.text()).not.toContain('canary');
    await database.query('DELETE FROM verifier.secret');
  });
});

describe('a wrong configuration', () => {
  it('ends with 2 and names every fault at once, never a value', async () => {
    const wrong = {
      DATABASE_URL: 'canary-1',
      SEALING_KEYS: 'canary-2',
      DATABASE_POOL_SIZE: 'canary-3',
      LOG_LEVEL: 'canary-4',
    };
    const started = processes.start(wrong);
    expect(await started.exited).toBe(2);
    const named = started.lines().flatMap(({ variable }) => (variable === undefined ? [] : [variable]));
    expect(named.sort()).toEqual([...Object.keys(wrong), 'GREETING', 'NATS_URL'].sort());
    expect(started.text()).not.toContain('canary');
  });

  it('ends with 2 when a development key is given with a public address, and says what to do', async () => {
    const developmentKey = Buffer.concat([Buffer.from('development-', 'base64url'), randomBytes(23)]);
    const SEALING_KEYS = `${sealingKey},${developmentKey.toString('base64url')}`;
    const started = processes.start({ ...environment, SEALING_KEYS, ADDRESS: 'https://service.example' });
    expect(await started.exited).toBe(2);
    const reason = 'holds a development key, and ADDRESS is public: generate a key of 32 random bytes';
    expect(started.lines()).toContainEqual(expect.objectContaining({ variable: 'SEALING_KEYS', reason }));
    expect(started.text()).not.toContain(developmentKey.toString('base64url'));
  });

  it('ends with 2 for an unknown command too', async () => {
    const started = processes.start(environment, 'migrat');
    expect(await started.exited).toBe(2);
    expect(started.lines()).toContainEqual(
      expect.objectContaining({ msg: 'unknown command', known: 'migrate, reseal, audit, doctor' }),
    );
  });
});

describe('a service', () => {
  it('is ready when Postgres and NATS are there, and only then', async () => {
    const postgres = await openWire(new URL(environment['DATABASE_URL'] ?? ''), 5432);
    const nats = await openWire(new URL(natsUrl), 4222);
    const service = processes.start({ ...environment, DATABASE_URL: postgres.url, NATS_URL: nats.url });
    try {
      await until(async () => (await readiness(service)).status === 503);
      const live = await fetch(`${service.healthUrl()}/health/live`);
      expect([live.status, await readiness(service)]).toEqual([
        200,
        { status: 503, checks: { postgres: false, nats: false } },
      ]);
      postgres.mend();
      const withoutNats = { status: 503, checks: { postgres: true, nats: false, key: true } };
      await until(async () => JSON.stringify(await readiness(service)) === JSON.stringify(withoutNats));
      nats.mend();
      await until(() => isReady(service));
      expect(await asker.ask(check, {})).toEqual({ ready: true, checks: { postgres: true, nats: true, key: true } });
      postgres.cut();
      await until(async () => !(await isReady(service)));
      expect(await asker.ask(check, {})).toMatchObject({ ready: false, checks: { postgres: false, nats: true } });
      postgres.mend();
      await until(() => isReady(service));
      nats.cut();
      await until(async () => !(await isReady(service)));
      nats.mend();
      await until(() => isReady(service));
      expect(await asker.ask(save, { label: 'after all', milliseconds: 0 })).toEqual({ saved: 1 });
    } finally {
      service.kill('SIGKILL');
      await service.exited;
      await Promise.all([postgres.close(), nats.close()]);
    }
  });

  it('answers on SIGTERM what arrived, takes nothing new, closes in reverse order and ends with 0', async () => {
    const service = processes.start(environment);
    await until(() => isReady(service));
    // What it is asked to save waits for the table until the test lets it go.
    const locker = new Client({ connectionString: testDatabase.adminUrl });
    await locker.connect();
    await locker.query('BEGIN');
    await locker.query('LOCK TABLE verifier.thing IN SHARE MODE');
    const slow = ['a', 'b', 'c'].map((label) => asker.ask(save, { label, milliseconds: 0 }));
    const waiting = `SELECT FROM pg_locks WHERE relation = 'verifier.thing'::regclass AND NOT granted`;
    await until(async () => (await locker.query(waiting)).rowCount === slow.length);
    service.kill('SIGTERM');
    await until(async () => (await readiness(service)).status === 503);
    const isUnavailable = (asked: Promise<unknown>) =>
      asked.then(
        () => false,
        (error: { code?: string }) => error.code === 'service_unavailable',
      );
    await until(() => isUnavailable(asker.ask(check, {})));
    expect(await isUnavailable(asker.ask(save, { label: 'late', milliseconds: 0 }))).toBe(true);
    await locker.query('COMMIT');
    await locker.end();
    expect(await Promise.all(slow)).toEqual([{ saved: 1 }, { saved: 1 }, { saved: 1 }]);
    expect(await service.exited).toBe(0);
    const messages = service.lines().map(({ msg }) => msg);
    expect(messages.slice(-2)).toEqual(['thing closed', 'stopped']);
    expect(service.lines().at(-1)).toMatchObject({ clean: true });
    const rows = await database.query<{ label: string }>(
      `SELECT label FROM verifier.thing WHERE label IN ('a', 'b', 'c')`,
    );
    expect(rows).toHaveLength(3);
  });

  it.each(['Postgres', 'NATS'])('ends on SIGTERM also while it waits for %s', async (what) => {
    const nowhere = '127.0.0.1:1';
    const change: Record<string, string> =
      what === 'NATS' ? { NATS_URL: `nats://${nowhere}` } : { DATABASE_URL: `postgres://x:y@${nowhere}/z` };
    const service = processes.start({ ...environment, ...change });
    await until(() => service.text().includes('does not answer yet'));
    service.kill('SIGTERM');
    expect(await service.exited).toBe(0);
  });

  it('ends with 1 when its health port is taken', async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    try {
      const HEALTH_PORT = String((server.address() as AddressInfo).port);
      const service = processes.start({ ...environment, HEALTH_PORT });
      expect(await service.exited).toBe(1);
      expect(service.lines()).toContainEqual(expect.objectContaining({ msg: 'the start failed' }));
    } finally {
      await new Promise((resolve) => server.close(resolve));
    }
  });
});
