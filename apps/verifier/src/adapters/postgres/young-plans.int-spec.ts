import { genericPlan, READS_ALL } from '@vestibule/testkit';
import { openStoreStage, type StoreStage } from '../../testing/store.fixture-spec';
import { EXPIRE, FIND_PENDING, FINISH, MARK_UNSERVED } from './presentation-request.store';

jest.setTimeout(180_000);

let stage: StoreStage;
beforeAll(async () => {
  stage = await openStoreStage();
});
afterAll(() => stage.close());

const planOf = (sql: string) =>
  stage.database.transaction(({ manager }) => genericPlan((one) => manager.query(one), sql));

describe('a request is found and ended by its key', () => {
  it.each(Object.entries({ FIND_PENDING, FINISH }))(
    'by %s, while the tables are new and without statistics, and when few of many requests are open',
    async (_name, sql) => {
      for (const ended of [0, 20_000]) {
        await stage.database.query(
          `INSERT INTO verifier.presentation_request (state, status, session, created_at, expires_at, finished_at)
           SELECT decode(lpad(to_hex(n), 8, '0') || repeat('00', 20), 'hex'),
             CASE WHEN n > 10 THEN 'EXPIRED' ELSE 'PENDING' END, CASE WHEN n <= 10 THEN decode('00', 'hex') END,
             now(), now() + interval '1 hour', CASE WHEN n > 10 THEN now() END
           FROM generate_series(1, $1::int) AS n ON CONFLICT DO NOTHING`,
          [ended],
        );
        if (ended > 0) await stage.database.query('ANALYZE verifier.presentation_request');
        const plan = await planOf(sql);
        expect(plan).toContain('Index Scan using presentation_request_pkey');
        expect(plan).not.toMatch(READS_ALL);
        expect(plan).not.toContain('presentation_request_open');
      }
    },
  );
});

/** Rows that have come and gone, and have been looked at: as a service that rests leaves its tables. */
const EMPTY = [
  `INSERT INTO verifier.callback (id, subject, payload, expires_at)
   SELECT decode(lpad(to_hex(n), 8, '0'), 'hex'), n::text, '', now() FROM generate_series(1, 5000) AS n`,
  'DELETE FROM verifier.callback',
  'DELETE FROM verifier.presentation_request',
  'VACUUM ANALYZE verifier.callback, verifier.presentation_request',
];

it.each(Object.entries({ FIND_PENDING, FINISH, EXPIRE, MARK_UNSERVED }))(
  'a request is found and ended by its key, and earlier events by theirs, if Postgres knows that the tables are empty: %s',
  async (_name, sql) => {
    for (const statement of EMPTY) await stage.database.query(statement);
    const plan = await planOf(sql);
    expect(plan).toContain('Index Scan using presentation_request_pkey');
    if (sql === FINISH) expect(plan).toContain('Index Scan using callback_order');
    expect(plan).not.toMatch(READS_ALL);
    expect(plan).not.toMatch(/presentation_request_open|callback_due/);
  },
);
