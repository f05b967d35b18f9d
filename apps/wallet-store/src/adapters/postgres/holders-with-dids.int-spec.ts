import { readFileSync } from 'node:fs';
import path from 'node:path';
import { openBefore, TENANT, type EarlierDatabase } from '../../testing/migrated.fixture-spec';
import { HoldersWithDids1795700000000 } from './holders-with-dids.migration';

jest.setTimeout(60_000);

const HOLDERS = [
  "'did:example:ada'",
  "'mailto:ada@example.org'",
  "'tel:+3212345'",
  "'did:example:a b'",
  "'did:example:org?person=ada'",
  "'did:example:org/ada'",
  "'did:example:org#ada'",
  "'did:web:example.org%3A8443:ada'",
  'NULL',
];

let earlier: EarlierDatabase;
beforeAll(async () => {
  earlier = await openBefore(HoldersWithDids1795700000000, ['w']);
});
afterAll(() => earlier.close());

/** As the program before writes them. */
async function insertHolders(): Promise<void> {
  for (const [index, holder] of HOLDERS.entries())
    await earlier.client.query(
      `INSERT INTO wallet_store.credential (did, revision, latest, tenant_id, wallet_did, entity_did, state, holder_did, types, body, created_at, updated_at)
       VALUES ('did:x:${index}', 1, true, '${TENANT}', 'w', 'e', 'issued', ${holder}, '{}', '', now(), now())`,
    );
}

async function expectOnlyDids(): Promise<void> {
  const { rows } = await earlier.client.query('SELECT holder_did, presented FROM wallet_store.credential ORDER BY did');
  expect(rows).toEqual([
    { holder_did: 'did:example:ada', presented: false },
    ...Array.from({ length: 6 }, () => ({ holder_did: null, presented: true })),
    { holder_did: 'did:web:example.org%3A8443:ada', presented: false },
    { holder_did: null, presented: false },
  ]);
}

it('leaves only DIDs in holder_did, and documents of other holders are not held by the wallet', async () => {
  await insertHolders();
  await earlier.migrate();
  await expectOnlyDids();
});

it('the statements for what old replicas wrote afterwards do the same, as the owner of the table', async () => {
  const page = readFileSync(path.resolve(__dirname, '../../../../../docs/upgrade.md'), 'utf8');
  const [, statements = ''] = /```sql\n(BEGIN;[^`]*)```/.exec(page) ?? [];
  await earlier.client.query('DELETE FROM wallet_store.credential');
  await insertHolders();
  const owner = `SELECT tableowner FROM pg_tables WHERE (schemaname, tablename) = ('wallet_store', 'credential')`;
  const { rows } = await earlier.client.query<{ tableowner: string }>(owner);
  await earlier.client.query(`SET ROLE "${rows[0]?.tableowner}"`);
  expect((await earlier.client.query('SELECT did FROM wallet_store.credential')).rows).toEqual([]);
  await earlier.client.query(statements);
  await earlier.client.query('RESET ROLE');
  await expectOnlyDids();
});

it('leaves row-level security in force for the owner of the tables', async () => {
  expect(await earlier.forcedTables()).toEqual(['credential', 'presentation']);
});
