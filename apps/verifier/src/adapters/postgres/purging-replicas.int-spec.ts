import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createDeliverer, purgeDeadCallbacks } from '@vestibule/callbacks';
import { createAgreedTime, createIdempotency, type Database } from '@vestibule/persistence';
import { until } from '@vestibule/testkit';
import type { PendingRequest } from '../../domain/presentation-request';
import { endingOf, openStoreStage, RETENTION_SECONDS, type StoreStage } from '../../testing/store.fixture-spec';
import { expirePresentationRequests } from '../../use-cases/expire-presentation-requests';
import { SCHEMA } from './migrations';
import { createPresentationRequestStore } from './presentation-request.store';

jest.setTimeout(180_000);

const nothing = (): void => undefined;
const never = <Result>() => new Promise<Result>(nothing);
const clock = () => new Date();
/** On a busy machine a lease may end before its events are posted, all or some of them: they are claimed again. */
const LATE = [
  'callbacks were claimed too late to be posted now',
  'a callback was not posted: its lease could end during the attempt',
];

let stage: StoreStage;
beforeAll(async () => {
  stage = await openStoreStage();
});
afterAll(() => stage.close());

/** Each deletion is noted, and takes a while, so that a replica can be killed during a statement. */
const NOTED = [
  `CREATE TABLE ${SCHEMA}.deletion (key bytea NOT NULL, subject text, ended_at timestamptz, at timestamptz NOT NULL)`,
  `CREATE FUNCTION ${SCHEMA}.note_request() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
     PERFORM pg_sleep(0.002);
     INSERT INTO ${SCHEMA}.deletion VALUES (OLD.state, NULL, OLD.finished_at, clock_timestamp()); RETURN OLD; END $$`,
  `CREATE FUNCTION ${SCHEMA}.note_event() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
     PERFORM pg_sleep(0.002);
     INSERT INTO ${SCHEMA}.deletion VALUES (OLD.id, OLD.subject, OLD.dead_at, clock_timestamp()); RETURN OLD; END $$`,
  `CREATE TRIGGER noted BEFORE DELETE ON ${SCHEMA}.presentation_request FOR EACH ROW EXECUTE FUNCTION ${SCHEMA}.note_request()`,
  `CREATE TRIGGER noted BEFORE DELETE ON ${SCHEMA}.callback FOR EACH ROW EXECUTE FUNCTION ${SCHEMA}.note_event()`,
];

/** Requests and dead letters that ended so long ago. */
async function insertEnded(count: number, secondsAgo: number): Promise<void> {
  const ago = `now() - ${secondsAgo} * interval '1 second'`;
  await stage.database.query(
    `INSERT INTO ${SCHEMA}.presentation_request (state, status, created_at, expires_at, finished_at)
     SELECT decode(md5(random()::text) || substr(md5(random()::text), 1, 16), 'hex'), 'EXPIRED', ${ago}, ${ago}, ${ago}
     FROM generate_series(1, ${count})`,
  );
  await stage.database.query(
    `INSERT INTO ${SCHEMA}.callback (id, subject, status, expires_at, dead_at)
     SELECT decode(md5(random()::text), 'hex'), 'subject' || n, 'EXPIRED', ${ago}, ${ago} FROM generate_series(1, ${count}) AS n`,
  );
}

/** The receiver of all replicas: when it first got the event of each request, and which status it reports. */
async function openReceiver() {
  const posted = new Map<string, { readonly at: Date; readonly statuses: Set<string> }>();
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { state, status } = JSON.parse(Buffer.concat(chunks).toString()) as { state: string; status: string };
      const known = posted.get(state) ?? { at: new Date(), statuses: new Set() };
      known.statuses.add(status);
      posted.set(state, known);
      response.writeHead(204).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return { posted, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`, close };
}

/** A database whose process may die: then nothing is sent any more, and no answer arrives. */
function mortal(database: Database) {
  const life = { isOver: false };
  const living =
    <Parameters extends readonly unknown[], Result>(run: (...given: Parameters) => Promise<Result>) =>
    async (...given: Parameters): Promise<Result> => {
      if (life.isOver) return never();
      const answer = run(...given);
      return answer.then(
        (result) => (life.isOver ? never<Result>() : result),
        (error: unknown) => (life.isOver ? never<Result>() : Promise.reject(error as Error)),
      );
    };
  const query = living(database.query) as Database['query'];
  const queryAnew = living(database.queryAnew) as Database['queryAnew'];
  return { life, database: { ...database, query, queryAnew } };
}

/** A replica that delivers, expires and purges as fast as it can. */
async function startReplica(name: string, url: string) {
  const opened = await stage.open(name);
  const { life, database } = mortal(opened);
  const common = { database, schema: SCHEMA, sealer: stage.sealer, random: randomBytes, clock };
  const limits = { timeoutMilliseconds: 3_000, leaseMarginMilliseconds: 1_000, pollMilliseconds: 50 };
  const faults: string[] = [];
  const isLate = (message: string) => LATE.includes(message);
  const fault = (message: string) => void (life.isOver || isLate(message) || faults.push(message));
  const logger = { debug: nothing, info: nothing, warn: fault, error: fault };
  const deliverer = createDeliverer({ ...common, target: { url }, limits, logger });
  const { commit } = deliverer;
  const lives = { retentionSeconds: RETENTION_SECONDS, callbackLifetimeSeconds: 86_400 };
  const store = createPresentationRequestStore({ ...common, idempotency: createIdempotency(common), commit, ...lives });
  const agreedTime = createAgreedTime(database, clock);
  const rest = async () => undefined;
  const expire = expirePresentationRequests({ ...store, clock, agreedTime, rest });
  const tasks = [
    async () => void (await expire()),
    async () => void (await store.purge(await agreedTime(), 50)),
    async () => {
      const options = { schema: SCHEMA, olderThanSeconds: RETENTION_SECONDS, now: clock(), limit: 50 };
      await purgeDeadCallbacks(database, options);
    },
  ];
  let isStopped = false;
  const loops = tasks.map(async (task) => {
    while (!isStopped) {
      await task().catch((error: unknown) => fault(String(error)));
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  });
  /** SIGKILL, while a row is being deleted, for which there are more in each attempt: its connections break. */
  const kill = async (insertMore: () => Promise<void>) => {
    const connections = (what: string, which: string) =>
      stage.database.query(`SELECT ${what} FROM pg_stat_activity WHERE application_name = $1 ${which}`, [name]);
    const inRow = `AND state = 'active' AND query ~ '^\\s*DELETE' AND wait_event = 'PgSleep'`;
    await until(async () => {
      await insertMore();
      if ((await connections('pid', inRow)).length === 0) return false;
      life.isOver = true;
      const killed = await connections('pg_terminate_backend(pid)', inRow);
      life.isOver = killed.length > 0;
      return life.isOver;
    });
    await connections('pg_terminate_backend(pid)', '');
    isStopped = true;
    // What it waits for does not come.
    void deliverer.stop();
    await opened.close();
  };
  const stop = async () => {
    isStopped = true;
    await Promise.all(loops);
    await deliverer.stop();
    await opened.close();
  };
  return { finish: store.finish, faults, kill, stop };
}

type Replica = Awaited<ReturnType<typeof startReplica>>;

/** Two replicas end each of these requests at the same time; how many ends there were. */
async function endByBoth(requests: readonly PendingRequest[], replicas: readonly Replica[]): Promise<number> {
  let ends = 0;
  for (const request of requests) {
    const results = replicas.map(({ finish }) => finish(endingOf(request, { finishedAt: new Date() })));
    ends += (await Promise.all(results)).filter(Boolean).length;
  }
  return ends;
}

it('two replicas that purge and delete while flows end, one of which is killed, delete everything once and nothing early', async () => {
  for (const statement of NOTED) await stage.database.query(statement);
  const expiresAt = new Date(Date.now() + 3_600_000);
  const insert = (count: number, changes: Partial<PendingRequest>) =>
    Promise.all(Array.from({ length: count }, () => stage.insert(changes)));
  const [first, second] = [await insert(120, { expiresAt }), await insert(120, { expiresAt })];
  await insert(120, { expiresAt: new Date(Date.now() + 500) });
  let ended = 750;
  await insertEnded(ended, RETENTION_SECONDS + 60);
  await insertEnded(100, RETENTION_SECONDS - 600);
  const receiver = await openReceiver();
  const doomed = await startReplica('doomed', receiver.url);
  const survivor = await startReplica('survivor', receiver.url);
  try {
    expect(await endByBoth(first, [doomed, survivor])).toBe(first.length);
    // On a busy machine all others are deleted by now, and there must be deletions to be killed in.
    await doomed.kill(async () => {
      await insertEnded(100, RETENTION_SECONDS + 60);
      ended += 100;
    });
    const successor = await startReplica('successor', receiver.url);
    expect(await endByBoth(second, [survivor, successor])).toBe(second.length);
    await until(async () => (await stage.count('callback')) === 100);
    await until(async () => (await stage.count('presentation_request')) === 100 + 360);
    await Promise.all([survivor, successor].map(({ stop }) => stop()));
    expect([survivor.faults, successor.faults]).toEqual([[], []]);
  } finally {
    await receiver.close();
  }
  const deleted = await stage.database.query<{ key: Buffer; subject: string; ended_at: Date | null; at: Date }>(
    `SELECT key, subject, ended_at, at FROM ${SCHEMA}.deletion`,
  );
  expect(deleted).toHaveLength(2 * ended + 360);
  expect(new Set(deleted.map(({ key }) => key.toString('hex'))).size).toBe(deleted.length);
  const retention = RETENTION_SECONDS * 1_000;
  const earliest = ({ subject, ended_at: endedAt }: { subject: string; ended_at: Date | null }) =>
    endedAt ? new Date(endedAt.getTime() + retention) : receiver.posted.get(subject)?.at;
  expect(deleted.filter((one) => !(one.at >= (earliest(one) ?? Infinity)))).toEqual([]);
  expect([...receiver.posted.values()].map(({ statuses }) => statuses.size)).toEqual(Array(360).fill(1));
  const [row] = await stage.database.query<{ deadlocks: string }>(
    'SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()',
  );
  expect(Number(row?.deadlocks)).toBe(0);
});
