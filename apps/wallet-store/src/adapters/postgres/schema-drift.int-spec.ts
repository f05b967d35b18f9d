import {
  createTestDatabase,
  findSchemaDrift,
  MIGRATIONS_TABLE,
  type DriftException,
  type TestDatabase,
} from '@vestibule/dev-stack';
import { runMigrations } from '@vestibule/persistence';
import { createLogger } from '@vestibule/process';
import { WALLET_STORE_DATABASE } from './database';

jest.setTimeout(180_000);

const securedByTenant = (table: string): readonly DriftException[] => [
  { fact: `${table}: row security`, migrations: 'forced', reason: 'an EntitySchema knows no row-level security' },
  {
    fact: `${table}: policy of_tenant`,
    migrations:
      "permissive * {0} USING (tenant_id = (NULLIF(current_setting('vestibule.tenant'::text, true), ''::text))::uuid)",
    reason: 'an EntitySchema knows no policies',
  },
];

const EXCEPTIONS: readonly DriftException[] = [
  ...MIGRATIONS_TABLE,
  ...['entity', 'wallet', 'credential', 'presentation', 'claims_schema', 'published_schema'].flatMap(securedByTenant),
];

let testDatabase: TestDatabase;
beforeAll(async () => {
  testDatabase = await createTestDatabase();
  const logger = createLogger({ name: 'test', level: 'silent' });
  await runMigrations({
    ...WALLET_STORE_DATABASE,
    url: testDatabase.urls.wallet_store,
    applicationName: 'test',
    logger,
  });
});
afterAll(() => testDatabase.drop());

it('migrations and entities say the same of every table', async () => {
  const { schema, entities } = WALLET_STORE_DATABASE;
  const { adminUrl } = testDatabase;
  expect(await findSchemaDrift({ adminUrl, schema, entities, exceptions: EXCEPTIONS })).toEqual([]);
});
