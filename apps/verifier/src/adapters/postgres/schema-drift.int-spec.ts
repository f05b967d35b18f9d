import {
  createTestDatabase,
  findSchemaDrift,
  MIGRATIONS_TABLE,
  OUTBOX_TABLE,
  storageOptions,
  type DriftException,
  type TestDatabase,
} from '@vestibule/dev-stack';
import { runMigrations } from '@vestibule/persistence';
import { createLogger } from '@vestibule/process';
import { VERIFIER_DATABASE } from './database';

jest.setTimeout(180_000);

const EXCEPTIONS: readonly DriftException[] = [
  ...MIGRATIONS_TABLE,
  ...OUTBOX_TABLE,
  storageOptions('presentation_request', 'fillfactor=80'),
];

let testDatabase: TestDatabase;
beforeAll(async () => {
  testDatabase = await createTestDatabase();
  const logger = createLogger({ name: 'test', level: 'silent' });
  await runMigrations({ ...VERIFIER_DATABASE, url: testDatabase.urls.verifier, applicationName: 'test', logger });
});
afterAll(() => testDatabase.drop());

it('migrations and entities say the same of every table', async () => {
  const { schema, entities } = VERIFIER_DATABASE;
  const { adminUrl } = testDatabase;
  expect(await findSchemaDrift({ adminUrl, schema, entities, exceptions: EXCEPTIONS })).toEqual([]);
});
