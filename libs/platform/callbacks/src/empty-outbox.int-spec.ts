import type { Database } from '@vestibule/persistence';
import { genericPlan, READS_ALL } from '@vestibule/testkit';
import { createCallbackStore } from './callback-store';
import { openStage } from './outbox.stage';

jest.setTimeout(180_000);

it('is planned for so that what fills it is found by keys, and not read as a whole', async () => {
  const stage = await openStage();
  const statements = new Set<string>();
  const query: Database['query'] = (sql, parameters) => {
    statements.add(sql);
    return stage.database.query(sql, parameters);
  };
  const database: Database = { ...stage.database, query, queryAnew: query };
  const { schema } = stage;
  const store = createCallbackStore({
    database,
    schema,
    leaseMilliseconds: 1_000,
    origin: '',
    clock: () => new Date(),
  });
  const event = {
    id: Buffer.from('none'),
    subject: '',
    payload: Buffer.alloc(0),
    url: null,
    status: null,
    attempts: 1,
  };
  await store.claim(5);
  await store.remove([event]);
  await store.fail(event, { result: 'timeout', delayMilliseconds: 1, final: false });
  expect(statements.size).toBe(4);
  await stage.database.query(`VACUUM ANALYZE "${schema}".callback`);
  for (const sql of statements) {
    const plan = await stage.database.transaction(({ manager }) => genericPlan((one) => manager.query(one), sql));
    expect(plan).not.toMatch(READS_ALL);
  }
  await stage.close();
});
