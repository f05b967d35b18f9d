import { createTestDatabase, type TestDatabase } from '@vestibule/dev-stack';
import { createDatabase, findUnclassifiedColumns, type Database } from '@vestibule/persistence';
import { createLogger } from '@vestibule/process';
import { MIGRATIONS, SCHEMA } from './migrations';
import { SEALED } from './sealed-columns';

jest.setTimeout(180_000);

let testDatabase: TestDatabase;
let database: Database;
beforeAll(async () => {
  testDatabase = await createTestDatabase();
  const logger = createLogger({ name: 'test', level: 'silent' });
  const url = testDatabase.urls.issuer;
  database = await createDatabase({ url, schema: SCHEMA, applicationName: 'test', migrations: MIGRATIONS, logger });
});
afterAll(async () => {
  await database.close();
  await testDatabase.drop();
});

it('names every byte column of the schema: sealed, so that re-sealing visits it, or an identifier or digest', async () => {
  expect(await findUnclassifiedColumns(database, SEALED)).toEqual([]);
  const forgetful = { ...SEALED, sealed: SEALED.sealed.slice(1) };
  const missing = SEALED.sealed.slice(0, 1).map(({ table, column }) => `${table}.${column}`);
  expect(await findUnclassifiedColumns(database, forgetful)).toEqual(missing);
});
