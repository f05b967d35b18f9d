import { randomBytes } from 'node:crypto';
import { genericPlan, READS_ALL } from '@vestibule/testkit';
import { openStoreStage, type StoreStage } from '../../testing/store.fixture-spec';
import {
  CANCEL,
  COMPLETE_AGAIN,
  COMPLETE_CLAIMS,
  DEFER,
  FIND_CHANGEABLE,
  MARK_UNSERVED,
  MARK_UNSIGNED,
} from './change-statements';
import { HAND_OVER, NOTIFY } from './delivery-statements';
import { FIND_GIVEN_TOKEN, FIND_KEPT, REVOKE_TOKEN } from './kept-statements';
import { PURGE_OFFERS } from './purge-statements';
import {
  COMPLETE,
  COMPLETE_ONE,
  EXPIRE,
  FAIL,
  FIND_GRANT_WITH_PROOF,
  FIND_OPEN,
  FIND_REDEEMABLE,
  FIND_VIEW,
  INSERT,
  REDEEM,
  REDEEM_ONE,
  SPEND_PROOFS,
} from './statements';
import * as STATUS_SQL from './status-statements';

jest.setTimeout(180_000);

let stage: StoreStage;
beforeAll(async () => {
  stage = await openStoreStage();
});
afterAll(() => stage.close());

/** As a connection keeps it for all parameters: made while the tables are new, and used while they grow. */
const genericPlanOf = (sql: string) =>
  stage.database.transaction(({ manager }) => genericPlan((one) => manager.query(one), sql));

const STATEMENTS = Object.entries({
  INSERT,
  FIND_OPEN,
  FIND_REDEEMABLE,
  REDEEM,
  REDEEM_ONE,
  FIND_GRANT_WITH_PROOF,
  DRAW_INDEX: STATUS_SQL.DRAW_INDEX,
  DRAW_INDEXES: STATUS_SQL.DRAW_INDEXES,
  COMPLETE,
  COMPLETE_ONE,
  HAND_OVER,
  FAIL,
  CANCEL,
  COMPLETE_CLAIMS,
  DEFER,
  COMPLETE_AGAIN,
  FIND_CHANGEABLE,
  MARK_UNSERVED,
  NOTIFY,
  FIND_GIVEN_TOKEN,
  FIND_KEPT,
  REVOKE_TOKEN,
  PURGE_OFFERS,
  EXPIRE,
  FIND_VIEW,
  SPEND_PROOFS,
  MARK_UNSIGNED,
  HOLD_OFFER: STATUS_SQL.HOLD_OFFER,
  END_KEPT: STATUS_SQL.END_KEPT,
  CHANGE_STATUS: STATUS_SQL.CHANGE_STATUS,
  FIND_LIST: STATUS_SQL.FIND_LIST,
  PUBLISH: STATUS_SQL.PUBLISH,
});

/** Statements about lists, of which there are few, but each has many entries. */
const OF_LISTS = Object.entries({
  READ_CONTENT: STATUS_SQL.READ_CONTENT,
  FIND_OWNERS: STATUS_SQL.FIND_OWNERS,
  CLOSE_ABANDONED: STATUS_SQL.CLOSE_ABANDONED,
  UNLINK_EXPIRED: STATUS_SQL.UNLINK_EXPIRED,
  PURGE_ENTRIES: STATUS_SQL.PURGE_ENTRIES,
  PURGE_LISTS: STATUS_SQL.PURGE_LISTS,
});

/** Conditions that most rows meet while they are of use. */
const BY_STATE = /credential_offer_(?:open|kept)|_expiry/;

async function expectByKeys(sql: string): Promise<void> {
  const plan = await genericPlanOf(sql);
  expect(plan).not.toMatch(READS_ALL);
  expect(plan).not.toMatch(BY_STATE);
}

/** Before version 17, Postgres expects a search for several values to cost as many scans, and rather reads what it takes for empty. */
const ALL_ENTRIES_BEFORE_17: readonly string[] = ['PURGE_OFFERS', 'END_KEPT', 'CHANGE_STATUS'];

async function expectByKeysIfEmpty(name: string, sql: string): Promise<void> {
  const [server] = await stage.database.query<{ version: number }>(
    `SELECT current_setting('server_version_num')::int AS version`,
  );
  if (Number(server?.version) >= 170_000 || !ALL_ENTRIES_BEFORE_17.includes(name)) return expectByKeys(sql);
  expect(await genericPlanOf(sql)).toMatch(/using status_entry_expiry on status_entry .*$(?!\n *Index Cond)/m);
}

const OF_ALL_LISTS = /using \w+ on status_entry .*$(?!\n *Index Cond: \(+list_number = )/m;

async function expectByList(sql: string): Promise<void> {
  const plan = await genericPlanOf(sql);
  expect(plan.replaceAll(/.* on status_list .*/g, '')).not.toMatch(READS_ALL);
  expect(plan).not.toMatch(OF_ALL_LISTS);
}

const TABLES = ['credential_offer', 'access_token', 'spent', 'kept_answer', 'status_list', 'status_entry', 'callback'];

/** As many rows as Postgres has for tables in use. */
const fill = (table: string): string => {
  const offer = `decode(lpad(to_hex(n), 8, '0') || repeat('00', 20), 'hex')`;
  const digest = `decode(repeat(md5(n::text), 2), 'hex')`;
  const rows: Readonly<Record<string, string>> = {
    credential_offer: `(offer_id, configuration_id, status, created_at, expires_at, finished_at)
      SELECT ${offer}, 'type', 'EXPIRED', now(), now(), now()`,
    access_token: `(token_digest, offer_id, thumbprint, granted, expires_at)
      SELECT ${digest}, ${offer}, 'thumbprint', '[]', now()`,
    spent: `(kind, digest, expires_at) SELECT 'c_nonce', ${digest}, now()`,
    status_entry: `(list_number, idx, offer_id, expires_at, is_issued)
      SELECT (SELECT list_number FROM issuer.status_list), n, ${offer}, now(), true`,
  };
  return `INSERT INTO issuer.${table} ${rows[table] ?? ''} FROM generate_series(1, 20000) AS n`;
};

describe('a step of an issuance finds its rows by their keys', () => {
  describe('while the tables are new and without statistics', () => {
    it.each(STATEMENTS)('%s', (_name, sql) => expectByKeys(sql));
    it.each(OF_LISTS)('%s, entries by their list', (_name, sql) => expectByList(sql));
  });

  describe('when Postgres has found the tables empty', () => {
    beforeAll(() => analyze());
    it.each(STATEMENTS)('%s', (name, sql) => expectByKeysIfEmpty(name, sql));
    it.each(OF_LISTS)('%s, entries by their list', (_name, sql) => expectByList(sql));
  });

  describe('when Postgres has found the tables full, and empty what is so at rest', () => {
    beforeAll(async () => {
      await stage.database.query(
        `INSERT INTO issuer.status_list (list_id, size, certificate, x5c, issuer)
         VALUES (decode(repeat('ab', 16), 'hex'), 1000000, decode(repeat('ab', 32), 'hex'), ARRAY['AAAA'], '')`,
      );
      for (const table of ['credential_offer', 'access_token', 'spent', 'status_entry'])
        await stage.database.query(fill(table));
      await analyze();
    });
    it.each(STATEMENTS)('%s', (_name, sql) => expectByKeys(sql));
    it.each(OF_LISTS)('%s, entries by their list', (_name, sql) => expectByList(sql));
  });
});

async function analyze(): Promise<void> {
  await stage.database.query(`VACUUM ANALYZE ${TABLES.map((table) => `issuer.${table}`).join(', ')}`);
}

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
