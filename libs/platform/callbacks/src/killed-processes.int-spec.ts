import type { Database, Query } from '@vestibule/persistence';
import { createCallbackOperations } from './callback-operations';
import { createCallbackOverview } from './callback-overview';
import { DELIVERY_LIMITS } from './delivery-policy';
import { putOffForgotten } from './forgotten-callbacks';
import { openStage, until, type Stage } from './outbox.stage';
import { createOverdue } from './overdue-callbacks';

jest.setTimeout(180_000);

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
  await stage.database.query(
    `CREATE FUNCTION "${stage.schema}".stall() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
       IF NEW.subject LIKE '%last' THEN PERFORM pg_advisory_xact_lock(hashtext(TG_TABLE_SCHEMA)); END IF; RETURN NEW; END $$`,
  );
});
afterEach(() => stage.reset());
afterAll(() => stage.close());

const common = (database: Database = stage.database) => ({
  database,
  service: 'issuer' as const,
  schema: stage.schema,
  wake: () => undefined,
});
const operations = (database?: Database) =>
  createCallbackOperations({ ...common(database), sealer: stage.context.sealer, lifetimeSeconds: 3_600 });

/** Without a time limit for statements: on a busy machine, it could end one before its process is killed. */
function patientDatabase(): Database {
  const { database } = stage;
  const query: Query = (...question) => database.transaction((open) => open.query(...question), 'slow');
  return { ...database, query, queryAnew: query, transaction: (work) => database.transaction(work, 'slow') };
}

/** Its process is killed when this work has come to the last row: the connection breaks in the middle of the statement. */
async function killIn(work: (database: Database) => Promise<unknown>): Promise<void> {
  const { database, table, schema } = stage;
  await database.query(
    `CREATE TRIGGER stall BEFORE UPDATE ON ${table} FOR EACH ROW EXECUTE FUNCTION "${schema}".stall()`,
  );
  const sql = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE wait_event = 'advisory' AND datname = current_database() AND query LIKE '%' || $1 || '%'`;
  try {
    await database.transaction(async ({ query }) => {
      await query('SELECT pg_advisory_xact_lock(hashtext($1))', [schema]);
      const working = expect(work(patientDatabase())).rejects.toThrow();
      await until(async () => (await database.query(sql, [schema])).length > 0);
      await working;
    }, 'slow');
  } finally {
    await database.query(`DROP TRIGGER stall ON ${table}`);
  }
}

async function countOf(condition: string): Promise<number> {
  const sql = `SELECT count(*)::int AS count FROM ${stage.table} WHERE ${condition}`;
  return (await stage.database.query<{ count: number }>(sql))[0]?.count ?? 0;
}

/** How many events the audit trail has named since the last call. */
async function recorded(detail: 'retried' | 'replayed'): Promise<() => Promise<number>> {
  let known = 0;
  const more = async (): Promise<number> => {
    const [row] = await stage.database.query<{ sum: number }>(
      `SELECT coalesce(sum((record::json->'details'->>$1)::int), 0)::int AS sum FROM "${stage.schema}".audit_record`,
      [detail],
    );
    const before = known;
    known = row?.sum ?? 0;
    return known - before;
  };
  await more();
  return more;
}

async function enqueue(count: number, url?: string): Promise<void> {
  const subjects = Array.from({ length: count }, (_, index) => (index === count - 1 ? 'last' : `s${index}`));
  // A busy machine has no connection for all at once.
  for (let from = 0; from < count; from += 50)
    await Promise.all(
      subjects
        .slice(from, from + 50)
        .map((id) => stage.enqueue(id, JSON.stringify({ eventId: id, status: 'ISSUED', offerId: id }), 3_600, url)),
    );
}

/** Each of so many events is delivered once, and nothing is left. */
async function expectDelivered(count: number): Promise<void> {
  stage.deliverer();
  await until(stage.isEmpty);
  const bodies = new Set(stage.posted.map(({ body }) => body));
  expect([stage.posted.length, bodies.size]).toEqual([count, count]);
}

describe('a process that is killed', () => {
  it('while it gives up overdue events gives up none of them, and the next one all', async () => {
    const { schema, logger } = stage;
    let at = Date.now();
    const start = (database: Database) => createOverdue({ database, schema, clock: () => new Date(at), logger });
    const [doomed, successor] = [start(patientDatabase()), start(stage.database)];
    for (const end = at + 660_000; at < end; at += 60_000) for (const run of [doomed, successor]) await run(0);
    await enqueue(50);
    await stage.database.query(`UPDATE ${stage.table} SET expires_at = now() - interval '1 hour'`);
    await killIn(() => doomed(100));
    expect(await countOf('dead_at IS NULL AND payload IS NOT NULL AND leased_until IS NULL')).toBe(50);
    expect(await successor(100)).toBe(50);
    expect(await countOf(`payload IS NULL AND last_result = 'overdue' AND attempts = 0`)).toBe(50);
    expect(await operations().replay({})).toEqual({ replayed: 50, more: false });
    await expectDelivered(50);
  });

  it('while it puts off events of an origin that is no longer allowed puts off none, and the next one each once', async () => {
    await enqueue(50, 'https://gone.example/hook');
    const results: string[] = [];
    const fixed = { origins: [], limits: DELIVERY_LIMITS, clock: () => new Date(), logger: stage.logger };
    const start = (database: Database, onAttempt?: (result: string) => void) =>
      putOffForgotten({ ...common(database), ...fixed, onAttempt });
    await killIn(async (database) => {
      let failure: unknown;
      const queryAnew: Query = (...question) =>
        database.queryAnew<never>(...question).catch((error: unknown) => {
          failure = error;
          throw error;
        });
      await start({ ...database, queryAnew }, (result) => results.push(result)).stop();
      throw failure;
    });
    expect(await countOf('attempts = 0 AND last_result IS NULL AND leased_until IS NULL')).toBe(50);
    expect(results).toEqual([]);
    await start(stage.database, (result) => results.push(result)).stop();
    expect(await countOf(`attempts = 1 AND last_result = 'target_not_allowed' AND payload IS NOT NULL`)).toBe(50);
    expect(results).toHaveLength(50);
  });

  it('in the second part of a retry of all leaves the first one done, and a repetition does the rest', async () => {
    const trail = await recorded('retried');
    await stage.database.query(
      `INSERT INTO ${stage.table} (id, subject, payload, expires_at, next_attempt_at)
       SELECT decode(md5(n::text), 'hex'), n, 'sealed', now() + interval '1 day', now() + interval '1 hour'
       FROM generate_series(1, 5999) AS n`,
    );
    await stage.enqueue('last', '{}');
    const future = `now() + interval '2 hours'`;
    await stage.database.query(`UPDATE ${stage.table} SET next_attempt_at = ${future} WHERE subject = 'last'`);
    // The last one to become due is in the second part.
    await killIn((database) => createCallbackOverview(common(database)).retry({}));
    expect([await countOf('next_attempt_at <= now()'), await trail()]).toEqual([5_000, 5_000]);
    expect(await createCallbackOverview(common()).retry({})).toEqual({ retried: 6_000 });
    expect([await countOf('next_attempt_at <= now()'), await trail()]).toEqual([6_000, 6_000]);
    expect(await countOf('attempts = 0 AND payload IS NOT NULL AND dead_at IS NULL')).toBe(6_000);
  });

  it('in the second part of a replay leaves the first one done, and in the end each dead letter is sent once', async () => {
    const trail = await recorded('replayed');
    await enqueue(700);
    await stage.database.query(
      `UPDATE ${stage.table} SET dead_at = now(), payload = NULL, attempts = 7, leased_until = NULL`,
    );
    // By their ids, so that the last one is in the second part.
    expect(await operations().replay({})).toEqual({ replayed: 500, more: true });
    await stage.database.query(
      `UPDATE ${stage.table} SET subject = subject || ' last' WHERE id = (
         SELECT id FROM ${stage.table} ORDER BY id DESC LIMIT 1)`,
    );
    await killIn((database) => operations(database).replay({}));
    expect([await countOf('dead_at IS NOT NULL'), await trail()]).toEqual([200, 500]);
    expect(await operations().replay({})).toEqual({ replayed: 200, more: false });
    expect(await trail()).toBe(200);
    await expectDelivered(700);
  });
});
