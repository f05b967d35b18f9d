import { readFileSync } from 'node:fs';
import path from 'node:path';
import { openStoreStage, type StoreStage } from '../../testing/store.fixture-spec';

jest.setTimeout(180_000);

/** The statements about this schema in the script for a restore to an older point in time. */
const STATEMENTS = readFileSync(path.resolve(__dirname, '../../../../../deploy/after-restore.sql'), 'utf8')
  .split(';')
  .filter((statement) => /^(UPDATE|DELETE FROM) issuer\./m.test(statement));

let stage: StoreStage;
beforeAll(async () => {
  stage = await openStoreStage();
});
beforeEach(() => stage.clear());
afterAll(() => stage.close());

const secondsFromNow = (seconds: number) => new Date(Date.now() + seconds * 1000);

async function afterRestore(): Promise<void> {
  for (const statement of STATEMENTS) await stage.database.query(statement);
}

describe('after a restore to an older point in time', () => {
  it('an open offer is over for a service whose clock is half an hour behind that of Postgres', async () => {
    const { offerId } = await stage.insert({ createdAt: secondsFromNow(-60), expiresAt: secondsFromNow(240) });
    expect(await stage.store.findOpen(offerId, secondsFromNow(0))).toBeDefined();
    await afterRestore();
    expect(await stage.store.findOpen(offerId, secondsFromNow(-1_800))).toBeUndefined();
  });

  it('one whose time had just ended by the clock of Postgres is over for it, too', async () => {
    const { offerId } = await stage.insert({ createdAt: secondsFromNow(-300), expiresAt: secondsFromNow(-10) });
    expect(await stage.store.findOpen(offerId, secondsFromNow(-20))).toBeDefined();
    await afterRestore();
    expect(await stage.store.findOpen(offerId, secondsFromNow(-20))).toBeUndefined();
  });
});
