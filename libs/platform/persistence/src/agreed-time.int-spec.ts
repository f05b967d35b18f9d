import { randomBytes } from 'node:crypto';
import { type Logger } from '@vestibule/process';
import { createDatabase, type Database } from '.';
import { createAgreedTime } from './agreed-time';

jest.setTimeout(180_000);

// eslint-disable-next-line no-restricted-properties -- the global set-up says where the test database is
const url = process.env['TEST_DATABASE_URL'] ?? '';
const schema = `test_time_${randomBytes(6).toString('hex')}`;
const silent = (): void => undefined;
const logger: Logger = { debug: silent, info: silent, warn: silent, error: silent };
const DAY_MILLISECONDS = 86_400_000;

let database: Database;
beforeAll(async () => {
  database = await createDatabase({ url, schema, applicationName: 'test', migrations: [], poolSize: 1, logger });
});
afterAll(async () => {
  await database.query(`DROP SCHEMA "${schema}" CASCADE`);
  await database.close();
});

const databaseTime = async () => (await database.query<{ at: Date }>('SELECT clock_timestamp() AS at'))[0]?.at;

describe('the time by which something ends for good', () => {
  it('is that of Postgres while the clock of this process is ahead', async () => {
    const before = await databaseTime();
    const time = await createAgreedTime(database, () => new Date(Date.now() + DAY_MILLISECONDS))();
    const after = await databaseTime();
    expect(before && time >= before && after && time <= after).toBe(true);
  });

  it('is that of this process while Postgres is ahead of it', async () => {
    const behind = new Date(Date.now() - DAY_MILLISECONDS);
    expect(await createAgreedTime(database, () => behind)()).toEqual(behind);
  });
});
