import type { QueryRunner } from 'typeorm';
import { openStoreStage, type StoreStage } from '../../testing/store.fixture-spec';
import { MIGRATIONS } from './migrations';

jest.setTimeout(180_000);

let stage: StoreStage;
beforeAll(async () => {
  stage = await openStoreStage();
});
afterAll(() => stage.close());

const tables = async () => {
  const rows = await stage.database.query<{ name: string }>(
    `SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'verifier' ORDER BY 1`,
  );
  return rows.map(({ name }) => name).filter((name) => !name.startsWith('migration'));
};

describe('the migrations', () => {
  const made = ['audit_record', 'callback', 'idempotency_key', 'presentation_request'];

  it('make the tables of the verifier in its own schema, and run once however many start', async () => {
    expect(await tables()).toEqual(made);
    const again = await Promise.all([stage.open(), stage.open()]);
    await Promise.all(again.map((database) => database.close()));
    expect(await tables()).toEqual(made);
  });

  it('leave nothing when they are taken back, and can be run again', async () => {
    const migrations = MIGRATIONS.map((Migration) => new Migration());
    const run = (way: 'up' | 'down', order: typeof migrations) =>
      stage.database.transaction(async ({ manager }) => {
        for (const migration of order) await migration[way](manager.queryRunner as QueryRunner);
      });
    await run('down', [...migrations].reverse());
    expect(await tables()).toEqual([]);
    await run('up', migrations);
    expect(await tables()).toEqual(made);
  });
});
