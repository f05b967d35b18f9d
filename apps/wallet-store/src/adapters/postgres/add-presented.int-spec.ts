import { openBefore, TENANT, type EarlierDatabase } from '../../testing/migrated.fixture-spec';
import { AddPresented1795413600000 } from './add-presented.migration';

jest.setTimeout(60_000);

const [EARLIER, LATER] = ['2026-03-01T12:00:00.000Z', '2026-03-01T12:00:00.001Z'];

/** One revision: kind, DID, wallet, and when it was created there; `source` is SQL. */
const content = ([kind, did, wallet, createdAt]: readonly [string, string, string, string], source = 'NULL') =>
  `INSERT INTO wallet_store.${kind} (did, revision, latest, tenant_id, wallet_did, entity_did, state, types, body, source, created_at, updated_at)
   VALUES ('${did}', 1, true, '${TENANT}', '${wallet}', 'e', 'issued', '{}', '', ${source}, '${createdAt}', now())`;

let earlier: EarlierDatabase;
beforeAll(async () => {
  earlier = await openBefore(AddPresented1795413600000, ['from', 'to']);
});
afterAll(() => earlier.close());

it('marks what was presented before: copied presentations, and the credentials that came with them', async () => {
  for (const statement of [
    content(['presentation', 'vp', 'from', EARLIER], `'\\x00'`),
    content(['credential', 'vc', 'from', EARLIER]),
    content(['credential', 'drafted', 'to', LATER], `'\\x00'`),
    content(['credential', 'imported', 'to', EARLIER]),
    content(['presentation', 'vp', 'to', LATER]),
    content(['credential', 'vc', 'to', LATER]),
  ]) {
    await earlier.client.query(statement);
  }
  await earlier.migrate();
  const { rows } = await earlier.client.query<{ place: string }>(
    `SELECT wallet_did || ' ' || did AS place FROM wallet_store.credential WHERE presented
     UNION ALL SELECT wallet_did || ' ' || did FROM wallet_store.presentation WHERE presented ORDER BY 1`,
  );
  expect(rows.map(({ place }) => place)).toEqual(['to vc', 'to vp']);
});

it('leaves row-level security in force for the owner of the tables', async () => {
  expect(await earlier.forcedTables()).toEqual(['credential', 'presentation']);
});
