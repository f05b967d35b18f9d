import { createTestDatabase, type TestDatabase } from '@vestibule/dev-stack';
import { migrationConnection, workingPool, type DatabaseOptions } from './data-source';

const nothing = () => undefined;
const logger = { debug: nothing, info: nothing, warn: nothing, error: nothing };
let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database?.drop());

const optionsOf = (url: string): DatabaseOptions => ({
  url,
  schema: 'verifier',
  applicationName: 'keep-alive test',
  migrations: [],
  logger,
});
/** Postgres reads these from the socket. */
const SETTINGS = ['tcp_keepalives_idle', 'tcp_keepalives_interval', 'tcp_keepalives_count', 'tcp_user_timeout'];
const ASKED = `SELECT ${SETTINGS.map((name) => `current_setting('${name}') AS ${name}`).join(', ')},
  current_setting('search_path') AS path`;

async function settingsAt(url: string): Promise<Record<string, unknown>> {
  const pool = workingPool(optionsOf(url));
  try {
    return (await pool.query<Record<string, unknown>>(ASKED)).rows[0] ?? {};
  } finally {
    await pool.end();
  }
}

describe('the connection of a service that has vanished', () => {
  const found = {
    tcp_keepalives_idle: '30',
    tcp_keepalives_interval: '10',
    tcp_keepalives_count: '3',
    tcp_user_timeout: '60000',
  };

  it('is noticed by Postgres within a minute, so that it leaves max_connections', async () => {
    expect(await settingsAt(database.urls.verifier)).toMatchObject(found);
  });

  it('is noticed during migrations, too', async () => {
    const { dataSource } = migrationConnection(optionsOf(database.urls.verifier));
    await dataSource.initialize();
    try {
      const [row] = await dataSource.query<Record<string, unknown>[]>(ASKED);
      expect(row).toMatchObject(found);
    } finally {
      await dataSource.destroy();
    }
  });

  it('is noticed as the options of the URL say, which stay in force', async () => {
    const url = new URL(database.urls.verifier);
    url.searchParams.set('options', '-c search_path=pg_catalog -c tcp_keepalives_idle=77');
    expect(await settingsAt(url.href)).toMatchObject({ ...found, tcp_keepalives_idle: '77', path: 'pg_catalog' });
  });
});
