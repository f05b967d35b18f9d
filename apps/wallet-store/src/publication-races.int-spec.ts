import { createAudit } from '@vestibule/persistence';
import { until } from '@vestibule/testkit';
import { SCHEMA } from './adapters/postgres/migrations';
import { BADGE, openSchemas, type SchemaStage } from './testing/schemas.fixture-spec';
import { PATIENT } from './testing/wallet-store.fixture-spec';

const WAITING = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;

const code = (expected: string) => expect.objectContaining({ code: expected });
let stage: SchemaStage;
beforeAll(async () => {
  stage = await openSchemas(PATIENT);
  // From here on the tenant has its default wallet, whose entity signs.
  await stage.publishBadge();
});
afterAll(() => stage.close());

/** Schemas with one claim each, which no two of them share. */
const create = (count: number) =>
  Promise.all(
    BADGE.fields.slice(0, count).map(async (field) => {
      const body = { data: { schema: { fields: [field] } } };
      return (await stage.schemas.createSchema({ ...stage.asTenant(), body })).id;
    }),
  );
const publish = (id: string, slug: string, version = 1) =>
  stage.schemas.publishSchema({ ...stage.asTenant(), id, body: { slug, version } });

describe('schemas that are published in parallel', () => {
  it('under one name: one definition wins, the others get 409', async () => {
    const ids = await create(5);
    const outcomes = await Promise.allSettled(ids.map((id) => publish(id, 'race')));
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected') expect(outcome.reason).toEqual(code('schema_version_taken'));
    }
  });

  it('17.4 under several versions: none is published after a higher one', async () => {
    const [higher = '', lower = ''] = await create(2);
    const isWaiting = (count: number) => async () => (await stage.database.query(WAITING)).length === count;
    let outcomes: Promise<PromiseSettledResult<unknown>[]> | undefined;
    await stage.database.transaction(async ({ query }) => {
      // Keeps the higher one, which has been stored, from its commit.
      await createAudit({ database: stage.database, schema: SCHEMA }).append(query, { action: 'test.hold' });
      const first = publish(higher, 'ascent', 9);
      await until(isWaiting(1));
      outcomes = Promise.allSettled([first, publish(lower, 'ascent', 2)]);
      await until(isWaiting(2));
    });
    expect(await outcomes).toEqual([
      { status: 'fulfilled', value: expect.objectContaining({ etag: '2' }) },
      { status: 'rejected', reason: code('schema_version_outdated') },
    ]);
  });
});
