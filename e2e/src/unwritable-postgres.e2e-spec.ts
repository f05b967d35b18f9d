import type { Wallet } from '@vestibule/demo-wallet';
import { until } from '@vestibule/testkit';
import { Client } from 'pg';
import { issueTo, offerCredential, queryFor, requestPresentation } from './flows';
import { FLOWS, startStage, type Stage } from './stage';

let stage: Stage;
let wallet: Wallet;
let admin: Client;
let database: string;
/** Whether the backend takes callbacks. */
let takes = true;

beforeAll(async () => {
  stage = await startStage({ apps: FLOWS, respond: () => (takes ? 204 : 500) });
  wallet = stage.createWallet();
  await issueTo(stage, wallet);
  admin = new Client({ connectionString: stage.database.adminUrl });
  await admin.connect();
  database = `"${stage.database.name}"`;
});
afterAll(async () => {
  await admin?.end();
  await stage?.stop();
});

/** Ends the sessions of the services, as a failover does; what they open next has the settings of now. */
const endSessions = () =>
  admin.query(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
     WHERE datname = current_database() AND application_name IN ('verifier', 'issuer')`,
  );

interface State {
  readonly name: string;
  readonly begin: () => Promise<unknown>;
  readonly end: () => Promise<unknown>;
  readonly code: string;
}

/** For every table of a service, whoever runs the statement. */
const forEachTable = (statement: string) => `
  DO $$ DECLARE place record; BEGIN
    FOR place IN SELECT schemaname, tablename FROM pg_tables WHERE schemaname IN ('verifier', 'issuer')
    LOOP EXECUTE format('${statement}', place.schemaname, place.tablename); END LOOP;
  END $$`;

/** Every write fails with 53100, as on a full disk: `full-disk` has a real one, where a test may mount it. */
const DISK_FULL = `
  CREATE OR REPLACE FUNCTION public.disk_full() RETURNS trigger LANGUAGE plpgsql AS
  $$ BEGIN RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = '53100'; END $$`;
const TRIGGER =
  'CREATE TRIGGER disk_full BEFORE INSERT OR UPDATE OR DELETE ON %I.%I EXECUTE FUNCTION public.disk_full()';

const STATES: readonly State[] = [
  {
    name: 'out of disk space',
    begin: async () => {
      await admin.query(DISK_FULL);
      await admin.query(forEachTable(TRIGGER));
    },
    end: () => admin.query(forEachTable('DROP TRIGGER IF EXISTS disk_full ON %I.%I')),
    code: 'database_not_writable',
  },
  {
    name: 'read-only, as a standby after a failover',
    begin: () => admin.query(`ALTER DATABASE ${database} SET default_transaction_read_only = on`),
    end: () => admin.query(`ALTER DATABASE ${database} RESET default_transaction_read_only`),
    code: 'database_not_writable',
  },
  {
    name: 'out of connections',
    begin: () => admin.query(`ALTER DATABASE ${database} CONNECTION LIMIT 0`),
    end: () => admin.query(`ALTER DATABASE ${database} CONNECTION LIMIT -1`),
    code: 'database_unavailable',
  },
];

/** Which of the services say that they are ready; this stage has no wallet store. */
async function ready(): Promise<readonly unknown[]> {
  const { body } = await stage.management('GET', '/health/ready');
  const services = body['services'] as Readonly<Record<string, { readonly ready: boolean }>>;
  return [services['verifier']?.ready, services['issuer']?.ready];
}
const areAll = async (wanted: boolean) => (await ready()).every((one) => one === wanted);

/** Creating calls of a backend, and whatever the wallet is about to do. */
async function expectRefused(code: string, responseUri: string, form: Readonly<Record<string, string>>) {
  const offer = { credential_configuration_id: 'identity-card', claims: {}, deferred: true };
  const answers = [
    await stage.management('POST', '/offers', offer),
    await stage.management('POST', '/oidc4vp', { dcql_query: queryFor(stage) }),
  ];
  for (const { status, headers, body } of answers) {
    expect([status, body['code']]).toEqual([503, code]);
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
  }
  const told = await fetch(responseUri, { method: 'POST', body: new URLSearchParams(form) });
  expect(told.status).toBe(503);
  expect(Number(told.headers.get('retry-after'))).toBeGreaterThan(0);
}

describe.each(STATES)('14.4 a Postgres that is $name', ({ begin, end, code }) => {
  it('is 503 with Retry-After and not ready; callbacks and sweeps survive it, and all is well by itself afterwards', async () => {
    const { state, crossDevice } = await requestPresentation(stage);
    const { responseUri, form } = await wallet.buildPresentation(crossDevice);
    // An event that waits all the while.
    takes = false;
    const offer = await offerCredential(stage);
    await until(() => stage.backend.received.some(({ text }) => text.includes(offer.offerId)));
    const pids = (['verifier', 'issuer'] as const).map((app) => stage.stack.process(app).pid);
    const linesBefore = stage.logLines.length;
    const since = performance.now();
    await begin();
    await endSessions();
    try {
      await until(() => areAll(false));
      await expectRefused(code, responseUri, form);
    } finally {
      await end();
    }
    const seconds = (performance.now() - since) / 1_000;
    const complaints = stage.logLines.slice(linesBefore).filter((line) => /"level":"(?:warn|error)"/.test(line));
    // One for each connection and request, and some for each turn of a sweep: no loop without a pause.
    expect(complaints.length).toBeLessThan(150 + 20 * seconds);
    await until(() => areAll(true));
    takes = true;
    expect((await stage.management('GET', `/oidc4vp/${state}`)).body['status']).toBe('PENDING');
    await until(async () => (await wallet.send(responseUri, form)).status === 200);
    expect((await stage.callbacksOf(state, 1))[0]).toMatchObject({ status: 'FULFILLED' });
    await stage.untilDelivered([offer.offerId]);
    await issueTo(stage, wallet);
    expect((['verifier', 'issuer'] as const).map((app) => stage.stack.process(app).pid)).toEqual(pids);
  });
});
