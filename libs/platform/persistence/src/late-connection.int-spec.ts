import { randomBytes } from 'node:crypto';
import { withRequestContext, type Logger } from '@vestibule/process';
import { Client } from 'pg';
import { createDatabase, type Database } from '.';
import { LimitedClient } from './limited-client';

jest.setTimeout(60_000);

// eslint-disable-next-line no-restricted-properties -- the global set-up says where the test database is
const url = process.env['TEST_DATABASE_URL'] ?? '';
const schema = `test_late_${randomBytes(6).toString('hex')}`;
const nothing = () => undefined;
const logger: Logger = { debug: nothing, info: nothing, warn: nothing, error: nothing };

let database: Database;
let admin: Client;
beforeAll(async () => {
  admin = new Client({ connectionString: url });
  await admin.connect();
  database = await createDatabase({ url, schema, applicationName: 'late', migrations: [], poolSize: 1, logger });
  await admin.query(`CREATE TABLE "${schema}".thing (label text)`);
});
afterAll(async () => {
  await database.close();
  await admin.query(`DROP SCHEMA "${schema}" CASCADE`);
  await admin.end();
});
beforeEach(() => admin.query(`DELETE FROM "${schema}".thing`));

const insert = (label: string) => `INSERT INTO "${schema}".thing VALUES ('${label}')`;
const labels = async () =>
  (await admin.query<{ label: string }>(`SELECT label FROM "${schema}".thing`)).rows.map(({ label }) => label);
/** For somebody who waits for so long from now; the clock may be moved meanwhile. */
const runFor = <Result>(milliseconds: number, run: () => Promise<Result>) =>
  withRequestContext({ requestId: 'request-1', answerBy: new Date(Date.now() + milliseconds) }, run);

/** The only connection is taken until `free` is called. */
async function takeConnection() {
  let free: () => void = nothing;
  const gate = new Promise<void>((resolve) => (free = resolve));
  let isTaken: () => void = nothing;
  const taken = new Promise<void>((resolve) => (isTaken = resolve));
  const done = database.transaction(async () => {
    isTaken();
    await gate;
  });
  await taken;
  return { free, done };
}

/** Time passes for the deadline, not for the limits of the pool. */
function moveClock(milliseconds: number): void {
  const now = Date.now.bind(Date);
  jest.spyOn(Date, 'now').mockImplementation(() => now() + milliseconds);
}
afterEach(() => jest.restoreAllMocks());

const refused = { code: 'service_timeout', reason: 'deadline_passed' };

describe('a write that waited for a connection', () => {
  it('is not begun where its time was over meanwhile, whoever gave the connection back', async () => {
    const { free, done } = await takeConnection();
    const late = runFor(15_000, () => database.query(insert('late')));
    const other = runFor(60_000, () => database.query(insert('in time')));
    moveClock(10_000);
    free();
    await expect(late).rejects.toMatchObject(refused);
    await Promise.all([other, done]);
    expect(await labels()).toEqual(['in time']);
  });

  it('leaves its connection to others, and reads do not care', async () => {
    const { free, done } = await takeConnection();
    const late = runFor(15_000, () => database.query(insert('late')));
    const read = runFor(15_000, () => database.query('SELECT 1 AS one'));
    moveClock(10_000);
    free();
    await expect(late).rejects.toMatchObject(refused);
    await expect(read).resolves.toEqual([{ one: 1 }]);
    await done;
  });
});

describe('a transaction whose time is over before its COMMIT', () => {
  it('is rolled back where it wrote', async () => {
    const work = runFor(15_000, () =>
      database.transaction(async ({ query }) => {
        await query(insert('late'));
        moveClock(10_000);
      }),
    );
    await expect(work).rejects.toMatchObject(refused);
    expect(await labels()).toEqual([]);
  });

  it('is rolled back where TypeORM wrote, and nothing more is begun', async () => {
    const work = runFor(15_000, () =>
      database.transaction(async ({ manager }) => {
        await manager.query(insert('late'));
        moveClock(10_000);
        await manager.query(insert('later'));
      }),
    );
    await expect(work).rejects.toMatchObject(refused);
    expect(await labels()).toEqual([]);
  });

  it('ends as usual where it only read', async () => {
    const work = runFor(15_000, () =>
      database.transaction(async ({ query, manager }) => {
        moveClock(60_000);
        await manager.query('SELECT 1');
        return query('SELECT 1 AS one');
      }),
    );
    await expect(work).resolves.toEqual([{ one: 1 }]);
  });
});

describe('an answer that came while the process stood still', () => {
  /** The event loop stands still, without using a core, once a statement is on its way; what arrives waits in the socket. */
  const stall = (milliseconds: number) =>
    setImmediate(() => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds));
  let hasty: Database;
  beforeAll(async () => {
    const options = { url, schema, applicationName: 'hasty', migrations: [], poolSize: 1, logger };
    hasty = await createDatabase({ ...options, statementTimeoutMilliseconds: 1_000 });
  });
  afterAll(() => hasty.close());

  it('counts, although its time was over when it could be read', async () => {
    await hasty.query('SELECT 1');
    const written = hasty.query(`${insert('in time')} RETURNING label`);
    stall(2_500);
    await expect(written).resolves.toEqual([{ label: 'in time' }]);
    const large = hasty.query<{ text: string }>(`SELECT repeat('x', 2000000) AS text`);
    stall(2_500);
    expect((await large)[0]?.text).toHaveLength(2_000_000);
  });

  it('counts for the question whether an idle connection is still alive', async () => {
    const [before] = await hasty.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    const now = performance.now.bind(performance);
    const probes = jest.spyOn(LimitedClient.prototype, 'answersWithin');
    jest.spyOn(performance, 'now').mockImplementation(() => now() + 6_000);
    const asked = hasty.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    stall(2_500);
    expect(await asked).toEqual([before]);
    expect(probes).toHaveBeenCalledTimes(1);
  });
});
