import { createTestDatabase, type TestDatabase } from '@vestibule/dev-stack';
import { runMigrations } from '@vestibule/persistence';
import { createLogger } from '@vestibule/process';
import { Client } from 'pg';
import { WALLET_STORE_DATABASE } from './database';

jest.setTimeout(60_000);

const ONE = '00000000-0000-4000-8000-000000000001';
const TWO = '00000000-0000-4000-8000-000000000002';
const FOREIGN_KEY_VIOLATION = '23503';

const entity = (did: string, tenant: string) =>
  `INSERT INTO wallet_store.entity VALUES ('${did}', '${tenant}', '', 1, '{}', '{}', now(), now())`;
const wallet = (did: string, tenant: string, owner: string) =>
  `INSERT INTO wallet_store.wallet VALUES ('${did}', '${tenant}', '${owner}', '', 1, '{}', '{}', now(), now())`;
const content = (kind: string, tenant: string, [walletDid, entityDid]: readonly [string, string]) =>
  `INSERT INTO wallet_store.${kind} (did, revision, latest, tenant_id, wallet_did, entity_did, state, types, body, created_at, updated_at)
   VALUES ('d', 1, true, '${tenant}', '${walletDid}', '${entityDid}', 'issued', '{}', '', now(), now())`;
const schema = (tenant: string) =>
  `INSERT INTO wallet_store.claims_schema (id, tenant_id, revision, definition, labels, annotations, created_at, updated_at)
   VALUES ('s', '${tenant}', 1, '{}', '{}', '{}', now(), now())`;
const published = (tenant: string, owner: string) =>
  `INSERT INTO wallet_store.published_schema (tenant_id, slug, version, id, definition, document, owner_did, labels, annotations, created_at)
   VALUES ('${tenant}', 's', 1, 's', '{}', '{}', '${owner}', '{}', '{}', now())`;

let made: TestDatabase;
let client: Client;
beforeAll(async () => {
  made = await createTestDatabase();
  const logger = createLogger({ name: 'test', level: 'silent' });
  await runMigrations({ ...WALLET_STORE_DATABASE, url: made.urls.wallet_store, applicationName: 'test', logger });
  // A superuser: row-level security does not help here.
  client = new Client({ connectionString: made.adminUrl });
  await client.connect();
  for (const [tenant, name] of [
    [ONE, 'one'],
    [TWO, 'two'],
  ] as const) {
    await client.query(`INSERT INTO wallet_store.tenant (id, name) VALUES ('${tenant}', '${name}')`);
    await client.query(entity(`e-${name}`, tenant));
    await client.query(wallet(`w-${name}`, tenant, `e-${name}`));
  }
  await client.query(schema(ONE));
});
afterAll(async () => {
  await client.end();
  await made.drop();
});
beforeEach(() => client.query('BEGIN'));
afterEach(() => client.query('ROLLBACK'));

it.each([
  ['a wallet', wallet('w', ONE, 'e-two')],
  ['a credential, by its wallet', content('credential', ONE, ['w-two', 'e-one'])],
  ['a credential, by its entity', content('credential', ONE, ['w-one', 'e-two'])],
  ['a presentation, by its wallet', content('presentation', ONE, ['w-two', 'e-one'])],
  ['a presentation, by its entity', content('presentation', ONE, ['w-one', 'e-two'])],
  ['a published schema, by its owner', published(ONE, 'e-two')],
  ['a published schema, by its draft', published(TWO, 'e-two')],
])('%s cannot refer to what belongs to another tenant', async (_what, insert) => {
  await expect(client.query(insert)).rejects.toMatchObject({ code: FOREIGN_KEY_VIOLATION });
});

it.each([
  ['a wallet', wallet('w', ONE, 'e-one')],
  ['a credential', content('credential', ONE, ['w-one', 'e-one'])],
  ['a presentation', content('presentation', TWO, ['w-two', 'e-two'])],
  ['a published schema', published(ONE, 'e-one')],
])('%s may refer to what belongs to its own tenant', async (_what, insert) => {
  await expect(client.query(insert)).resolves.toMatchObject({ rowCount: 1 });
});
