import { createTestDatabase, type TestDatabase } from '@vestibule/dev-stack';
import { runMigrations, type MigrationClass } from '@vestibule/persistence';
import { createLogger } from '@vestibule/process';
import { Client } from 'pg';
import { AddPresented1795413600000 } from './add-presented.migration';
import { WALLET_STORE_DATABASE } from './database';
import { MIGRATIONS } from './migrations';

jest.setTimeout(60_000);

const TENANT = '00000000-0000-4000-8000-000000000001';
const [EARLIER, LATER] = ['2026-03-01T12:00:00.000Z', '2026-03-01T12:00:00.001Z'];

/** One revision: kind, DID, wallet, and when it was created there; `source` is SQL. */
const content = ([kind, did, wallet, createdAt]: readonly [string, string, string, string], source = 'NULL') =>
  `INSERT INTO wallet_store.${kind} (did, revision, latest, tenant_id, wallet_did, entity_did, state, types, body, source, created_at, updated_at)
   VALUES ('${did}', 1, true, '${TENANT}', '${wallet}', 'e', 'issued', '{}', '', ${source}, '${createdAt}', now())`;

let made: TestDatabase;
let client: Client;
const logger = createLogger({ name: 'test', level: 'silent' });
const migrate = (migrations: readonly MigrationClass[]) =>
  runMigrations({
    ...WALLET_STORE_DATABASE,
    migrations,
    url: made.urls.wallet_store,
    applicationName: 'test',
    logger,
  });

beforeAll(async () => {
  made = await createTestDatabase();
  await migrate(MIGRATIONS.slice(0, MIGRATIONS.indexOf(AddPresented1795413600000)));
  client = new Client({ connectionString: made.adminUrl });
  await client.connect();
  await client.query(`INSERT INTO wallet_store.tenant (id, name) VALUES ('${TENANT}', 'one')`);
  await client.query(`INSERT INTO wallet_store.entity VALUES ('e', '${TENANT}', '', 1, '{}', '{}', now(), now())`);
  for (const wallet of ['from', 'to']) {
    await client.query(
      `INSERT INTO wallet_store.wallet VALUES ('${wallet}', '${TENANT}', 'e', '', 1, '{}', '{}', now(), now())`,
    );
  }
});
afterAll(async () => {
  await client.end();
  await made.drop();
});

it('marks what was presented before: copied presentations, and the credentials that came with them', async () => {
  for (const statement of [
    content(['presentation', 'vp', 'from', EARLIER], `'\\x00'`),
    content(['credential', 'vc', 'from', EARLIER]),
    content(['credential', 'drafted', 'to', LATER], `'\\x00'`),
    content(['credential', 'imported', 'to', EARLIER]),
    content(['presentation', 'vp', 'to', LATER]),
    content(['credential', 'vc', 'to', LATER]),
  ]) {
    await client.query(statement);
  }
  await migrate(MIGRATIONS);
  const { rows } = await client.query<{ place: string }>(
    `SELECT wallet_did || ' ' || did AS place FROM wallet_store.credential WHERE presented
     UNION ALL SELECT wallet_did || ' ' || did FROM wallet_store.presentation WHERE presented ORDER BY 1`,
  );
  expect(rows.map(({ place }) => place)).toEqual(['to vc', 'to vp']);
});

it('leaves row-level security in force for the owner of the tables', async () => {
  const { rows } = await client.query<{ relname: string }>(
    `SELECT relname FROM pg_class WHERE relname IN ('credential', 'presentation') AND relforcerowsecurity ORDER BY 1`,
  );
  expect(rows.map(({ relname }) => relname)).toEqual(['credential', 'presentation']);
});
