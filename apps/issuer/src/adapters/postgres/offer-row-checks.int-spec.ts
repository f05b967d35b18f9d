import { randomBytes } from 'node:crypto';
import { createTestDatabase, type TestDatabase } from '@vestibule/dev-stack';
import { createDatabase, type Database } from '@vestibule/persistence';
import { QUIET } from '../../testing/store.fixture-spec';
import { MIGRATIONS, SCHEMA } from './migrations';
import { AddOfferRowChecks1795776000000, DropOfferChecks1795776000001 } from './offer-row-checks.migration';

jest.setTimeout(180_000);

const before = (migration: (typeof MIGRATIONS)[number]) => MIGRATIONS.slice(0, MIGRATIONS.indexOf(migration));

let testDatabase: TestDatabase;
let database: Database | undefined;
beforeEach(async () => {
  testDatabase = await createTestDatabase();
});
afterEach(async () => {
  await database?.close();
  await testDatabase.drop();
});

/** Migrates as far as these go, as a process that dies after the last of them, or one that goes on later. */
async function migrate(migrations: typeof MIGRATIONS): Promise<Database> {
  await database?.close();
  database = await createDatabase({
    url: testDatabase.urls.issuer,
    schema: SCHEMA,
    applicationName: 'issuer test',
    migrations,
    logger: QUIET,
  });
  return database;
}

const insertOffer = ({ query }: Database, status: string) =>
  query(
    `INSERT INTO issuer.credential_offer (offer_id, configuration_id, status, session, code_digest, created_at, expires_at)
     VALUES ($1, 'card', $2, 'x', $3, now(), now())`,
    [randomBytes(24), status, randomBytes(32)],
  );

const REFUSED = { sqlState: '23514' };

it('an offer is checked before, between and after the two migrations, also where a process died between them', async () => {
  for (const migrations of [
    before(AddOfferRowChecks1795776000000),
    before(DropOfferChecks1795776000001),
    MIGRATIONS,
    MIGRATIONS,
  ]) {
    const migrated = await migrate(migrations);
    await insertOffer(migrated, 'OFFER_CREATED');
    await expect(insertOffer(migrated, 'DONE')).rejects.toMatchObject(REFUSED);
    await expect(insertOffer(migrated, 'FAILED')).rejects.toMatchObject(REFUSED);
  }
  const [row] = (await database?.query<{ n: number }>('SELECT count(*)::int AS n FROM issuer.credential_offer')) ?? [];
  expect(row?.n).toBe(4);
});
