import { randomBytes } from 'node:crypto';
import { openStoreStage, type StoreStage } from '../../testing/store.fixture-spec';
import { CANCEL, COMPLETE_AGAIN, COMPLETE_CLAIMS, DEFER } from './change-statements';
import { HAND_OVER } from './delivery-statements';
import {
  COMPLETE,
  COMPLETE_ONE,
  FAIL,
  FIND_GRANT_WITH_PROOF,
  FIND_OPEN,
  FIND_REDEEMABLE,
  INSERT,
  REDEEM,
  REDEEM_ONE,
} from './statements';
import { DRAW_INDEX, DRAW_INDEXES } from './status-statements';

jest.setTimeout(180_000);

let stage: StoreStage;
beforeAll(async () => {
  stage = await openStoreStage();
});
afterAll(() => stage.close());

/** As a connection keeps it for all parameters: made while the tables are new, and used while they grow. */
async function genericPlanOf(sql: string): Promise<string> {
  const rows = await stage.database.transaction(
    ({ manager }) => manager.query(`EXPLAIN (GENERIC_PLAN) ${sql}`) as Promise<{ 'QUERY PLAN': string }[]>,
  );
  return rows.map((row) => row['QUERY PLAN']).join('\n');
}

const STATEMENTS = Object.entries({
  INSERT,
  FIND_OPEN,
  FIND_REDEEMABLE,
  REDEEM,
  REDEEM_ONE,
  FIND_GRANT_WITH_PROOF,
  DRAW_INDEX,
  DRAW_INDEXES,
  COMPLETE,
  COMPLETE_ONE,
  HAND_OVER,
  FAIL,
  CANCEL,
  COMPLETE_CLAIMS,
  DEFER,
  COMPLETE_AGAIN,
});

async function expectByKeys(sql: string): Promise<void> {
  const plan = await genericPlanOf(sql);
  expect(plan).not.toMatch(/Seq Scan on/);
  expect(plan).not.toContain('credential_offer_open');
}

describe('while the tables are new and without statistics, a step of an issuance finds its rows by their keys', () => {
  it.each(STATEMENTS)('%s', (_name, sql) => expectByKeys(sql));
});

describe('when Postgres has found the tables empty, a step of an issuance finds its rows by their keys', () => {
  beforeAll(async () => {
    const tables = [
      'credential_offer',
      'access_token',
      'spent',
      'callback',
      'kept_answer',
      'status_list',
      'status_entry',
    ];
    await stage.database.query(`VACUUM ANALYZE ${tables.map((table) => `issuer.${table}`).join(', ')}`);
  });

  it.each(STATEMENTS)('%s', (_name, sql) => expectByKeys(sql));
});

const now = () => new Date();
const id = () => randomBytes(24);
const digest = () => randomBytes(32);
const event = () => [id(), 'subject', randomBytes(100), 86_400, 'ISSUED', null];
/** After so many, Postgres compares what it estimates for these parameters with what it estimates for all. */
const FIRST_PLANS = 5;
const RUNS = 20;

describe('a connection plans a statement with arrays once, and not for each of its parameters', () => {
  it.each([
    [
      'COMPLETE',
      COMPLETE,
      () => {
        const kept = [digest(), digest(), randomBytes(500), now()];
        return [id(), now(), [digest()], [now()], false, null, [1], [7], null, ...kept, ...event(), 30];
      },
    ],
    ['HAND_OVER', HAND_OVER, () => [[id()], ['subject'], [true], [false], now(), 15_000, 1, []]],
  ] as const)('%s', async (_name, sql, parameters) => {
    const [plans] = await stage.database.transaction(async ({ query }) => {
      for (let run = 0; run < RUNS; run += 1) await query(sql, parameters());
      return query<{ once: number }>(
        'SELECT generic_plans::int AS once FROM pg_prepared_statements WHERE statement = $1',
        [sql],
      );
    });
    expect(plans?.once).toBe(RUNS - FIRST_PLANS);
  });
});
