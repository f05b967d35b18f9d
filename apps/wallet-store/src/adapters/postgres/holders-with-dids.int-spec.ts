import { createTestDatabase, type TestDatabase } from '@vestibule/dev-stack';
import { runMigrations, type MigrationClass } from '@vestibule/persistence';
import { createLogger } from '@vestibule/process';
import { Client } from 'pg';
import { WALLET_STORE_DATABASE } from './database';
import { HoldersWithDids1795700000000 } from './holders-with-dids.migration';
import { MIGRATIONS } from './migrations';

jest.setTimeout(60_000);

const TENANT = '00000000-0000-4000-8000-000000000001';
const HOLDERS = ["'did:example:ada'", "'mailto:ada@example.org'", "'tel:+3212345'", "'did:example:a b'", 'NULL'];

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
  await migrate(MIGRATIONS.slice(0, MIGRATIONS.indexOf(HoldersWithDids1795700000000)));
  client = new Client({ connectionString: made.adminUrl });
  await client.connect();
  for (const statement of [
    `INSERT INTO wallet_store.tenant (id, name) VALUES ('${TENANT}', 'one')`,
    `INSERT INTO wallet_store.entity VALUES ('e', '${TENANT}', '', 1, '{}', '{}', now(), now())`,
    `INSERT INTO wallet_store.wallet VALUES ('w', '${TENANT}', 'e', '', 1, '{}', '{}', now(), now())`,
    ...HOLDERS.map(
      (holder, index) =>
        `INSERT INTO wallet_store.credential (did, revision, latest, tenant_id, wallet_did, entity_did, state, holder_did, types, body, created_at, updated_at)
         VALUES ('did:x:${index}', 1, true, '${TENANT}', 'w', 'e', 'issued', ${holder}, '{}', '', now(), now())`,
    ),
  ])
    await client.query(statement);
});
afterAll(async () => {
  await client.end();
  await made.drop();
});

it('leaves only DIDs in holder_did, and documents of other holders are not held by the wallet', async () => {
  await migrate(MIGRATIONS);
  const { rows } = await client.query('SELECT holder_did, presented FROM wallet_store.credential ORDER BY did');
  expect(rows).toEqual([
    { holder_did: 'did:example:ada', presented: false },
    ...Array.from({ length: 3 }, () => ({ holder_did: null, presented: true })),
    { holder_did: null, presented: false },
  ]);
});

it('leaves row-level security in force for the owner of the table', async () => {
  const { rows } = await client.query<{ relforcerowsecurity: boolean }>(
    `SELECT relforcerowsecurity FROM pg_class WHERE oid = 'wallet_store.credential'::regclass`,
  );
  expect(rows).toEqual([{ relforcerowsecurity: true }]);
});
