import { randomBytes } from 'node:crypto';
import { createSealer } from '@vestibule/crypto';
import type { JsonValue } from '@vestibule/foundation';
import { type Logger } from '@vestibule/process';
import { type MigrationInterface, type QueryRunner } from 'typeorm';
import { until } from '@vestibule/testkit';
import { createDatabase, createIdempotency, type Database, type Idempotency, idempotencyTableSql, type Query } from '.';

jest.setTimeout(180_000);

// eslint-disable-next-line no-restricted-properties -- the global set-up says where the test database is
const url = process.env['TEST_DATABASE_URL'] ?? '';
const schema = `test_idempotency_${randomBytes(6).toString('hex')}`;
const silent = (): void => undefined;
const logger: Logger = { debug: silent, info: silent, warn: silent, error: silent };
const sealer = createSealer([randomBytes(32)], randomBytes);
const DAY_MILLISECONDS = 86_400_000;
const start = new Date('2026-03-01T12:00:00.000Z');
const code = (expected: string) => expect.objectContaining({ code: expected });

class CreateTables1700000000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const sql of idempotencyTableSql(schema)) await runner.query(sql);
    await runner.query(`CREATE TABLE "${schema}".thing (label text NOT NULL)`);
  }
  async down(): Promise<void> {}
}

let now: Date;
let database: Database;
let idempotency: Idempotency;

beforeAll(async () => {
  const migrations = [CreateTables1700000000000];
  database = await createDatabase({ url, schema, applicationName: 'test', migrations, poolSize: 20, logger });
  idempotency = createIdempotency({ database, schema, sealer, clock: () => now });
});
beforeEach(async () => {
  now = start;
  await database.query(`TRUNCATE "${schema}".thing, "${schema}".idempotency_key`);
});
afterAll(async () => {
  await database.query(`DROP SCHEMA "${schema}" CASCADE`);
  await database.close();
});

const call = (input: JsonValue = { a: 1 }, key = 'k'.repeat(32), scope = 'test') => ({ key, scope, input });
const insert = (label: string) => (query: Query) => query(`INSERT INTO "${schema}".thing VALUES ($1)`, [label]);
const things = async () =>
  (await database.query<{ label: string }>(`SELECT label FROM "${schema}".thing ORDER BY label`)).map(
    ({ label }) => label,
  );
const make = (label: string, of = call()) => idempotency.once(of, { id: label }, insert(label));

describe('idempotent calls', () => {
  it('without a key only create', async () => {
    await idempotency.once(undefined, { id: 'a' }, insert('a'));
    await idempotency.once(undefined, { id: 'a' }, insert('a'));
    expect(await things()).toEqual(['a', 'a']);
  });

  it('with the same key and input get the first answer, and create once', async () => {
    expect(await make('first')).toEqual({ id: 'first' });
    expect(await make('second')).toEqual({ id: 'first' });
    expect(await things()).toEqual(['first']);
  });

  it('of 20 in parallel create once, and all get one answer', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, (_, index) => make(`n${index}`)));
    expect(new Set(answers.map(({ id }) => id)).size).toBe(1);
    expect(await things()).toEqual([answers[0]?.id]);
  });

  it('with the same key and another input are idempotency_conflict, also in parallel', async () => {
    await make('first');
    await expect(make('second', call({ a: 2 }))).rejects.toThrow(code('idempotency_conflict'));
    const key = 'p'.repeat(32);
    const racing = [1, 2, 3, 4].map((a) => make(`n${a}`, call({ a }, key)));
    const outcomes = await Promise.allSettled(racing);
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const one of outcomes) if (one.status === 'rejected') expect(one.reason).toEqual(code('idempotency_conflict'));
    expect(await things()).toHaveLength(2);
  });

  it.each<[string, JsonValue, JsonValue, boolean]>([
    ['another order of members', { a: 1, b: { c: 2, d: 3 } }, { b: { d: 3, c: 2 }, a: 1 }, true],
    ['another order of items', [1, 2], [2, 1], false],
    ['a number as text', { a: 1 }, { a: '1' }, false],
    ['null for an absent member', { a: null }, {}, false],
    ['a list for an object', [], {}, false],
    ['a member name that looks like two', { 'a":1,"b': 1 }, { a: 1, b: 1 }, false],
    ['1.0 for 1', 1.0, 1, true],
  ])('with %s are the same request: %#', async (_what, left, right, same) => {
    await make('first', call(left));
    const second = make('second', call(right));
    await (same
      ? expect(second).resolves.toEqual({ id: 'first' })
      : expect(second).rejects.toThrow(code('idempotency_conflict')));
  });

  it('that fail now can be answered as before, but not with another input, key or scope', async () => {
    await make('first');
    const others = [call({ a: 2 }), call(undefined, 'l'.repeat(32)), call(undefined, undefined, 'another')];
    expect(await idempotency.recall(call())).toEqual({ id: 'first' });
    for (const other of others) expect(await idempotency.recall(other)).toBeUndefined();
    expect(await things()).toEqual(['first']);
  });

  it('of another scope or key are other calls', async () => {
    await make('first');
    await make('second', call(undefined, undefined, 'another'));
    await make('third', call(undefined, 'l'.repeat(32)));
    // The two parts must not run into each other.
    await make('fourth', call(undefined, 'x', 'y'));
    await make('fifth', call(undefined, 'yx', ''));
    expect(await things()).toHaveLength(5);
  });

  it('that fail are not remembered and leave nothing, so that the caller may try again', async () => {
    const failing = idempotency.once(call(), { id: 'first' }, async (query) => {
      await insert('half done')(query);
      throw new Error('broken');
    });
    await expect(failing).rejects.toThrow('broken');
    expect(await things()).toEqual([]);
    expect(await make('second')).toEqual({ id: 'second' });
  });

  it('that wait for one that fails create in its place', async () => {
    let fail: () => void = () => undefined;
    const held = new Promise<never>((_resolve, reject) => (fail = () => reject(new Error('broken'))));
    let begin: () => void = () => undefined;
    const begun = new Promise<void>((resolve) => (begin = resolve));
    const first = idempotency.once(call(), { id: 'first' }, () => {
      begin();
      return held;
    });
    const failed = expect(first).rejects.toThrow('broken');
    await begun;
    const second = make('second');
    const waiting = `SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%"${schema}"%'`;
    await until(async () => (await database.query(waiting)).length === 1);
    fail();
    await failed;
    expect(await second).toEqual({ id: 'second' });
  });
});

describe('what is remembered', () => {
  interface Row {
    readonly key_digest: Buffer;
    readonly input_digest: Buffer;
    readonly answer: Buffer;
    readonly expires_at: Date;
  }
  const rows = () => database.query<Row>(`SELECT * FROM "${schema}".idempotency_key`);

  it('is two digests and a sealed answer for 24 hours: no key, no input, no answer in clear', async () => {
    const key = 'canary-key-'.padEnd(32, 'x');
    await idempotency.once(call({ claim: 'canary-input' }, key), { secret: 'canary-answer' }, insert('x'));
    const [row] = await rows();
    expect(row?.expires_at).toEqual(new Date(start.getTime() + DAY_MILLISECONDS));
    expect([row?.key_digest.byteLength, row?.input_digest.byteLength]).toEqual([32, 32]);
    const all = Buffer.concat([row?.key_digest, row?.input_digest, row?.answer] as Buffer[]).toString('latin1');
    expect(all).not.toContain('canary');
  });

  it('does not open in the row of another key', async () => {
    await make('first');
    await make('second', call(undefined, 'l'.repeat(32)));
    await database.query(
      `UPDATE "${schema}".idempotency_key SET answer = (SELECT answer FROM "${schema}".idempotency_key LIMIT 1)`,
    );
    const outcomes = await Promise.allSettled([make('x'), make('x', call(undefined, 'l'.repeat(32)))]);
    expect(outcomes.filter(({ status }) => status === 'rejected')).toEqual([
      { status: 'rejected', reason: code('seal_broken') },
    ]);
  });

  it('has another digest for the same input under another key, so that a guess cannot be tested', async () => {
    await make('first');
    await make('second', call(undefined, 'l'.repeat(32)));
    const [left, right] = await rows();
    expect(left?.input_digest.equals(right?.input_digest as Buffer)).toBe(false);
  });

  it('is forgotten where its answer is meant, however many there are, and nothing else', async () => {
    const keys = Array.from({ length: 450 }, (_, index) => `key-${index}`);
    for (const [index, key] of keys.entries()) await make(index % 3 === 0 ? 'meant' : 'other', call(undefined, key));
    const forget = () => database.transaction((open) => idempotency.forget(open, ({ id }) => id === 'meant'));
    expect(await forget()).toEqual({ forgotten: 150, unreadable: 0 });
    expect(await forget()).toEqual({ forgotten: 0, unreadable: 0 });
    expect(await rows()).toHaveLength(300);
    expect(await idempotency.recall(call(undefined, 'key-1'))).toEqual({ id: 'other' });
  });

  it('is purged after 24 hours and not before, in batches', async () => {
    for (const index of [1, 2, 3]) await make(`n${index}`, call(undefined, `${index}`.repeat(32)));
    now = new Date(start.getTime() + DAY_MILLISECONDS - 1);
    expect(await idempotency.purge(10)).toBe(0);
    expect(await make('again', call(undefined, '1'.repeat(32)))).toEqual({ id: 'n1' });
    now = new Date(start.getTime() + DAY_MILLISECONDS);
    expect([await idempotency.purge(2), await idempotency.purge(2), await idempotency.purge(2)]).toEqual([2, 1, 0]);
    expect(await make('again', call(undefined, '1'.repeat(32)))).toEqual({ id: 'again' });
  });

  it('is not purged by a clock that is ahead of that of Postgres', async () => {
    now = new Date();
    await make('first');
    now = new Date(now.getTime() + 2 * DAY_MILLISECONDS);
    expect(await idempotency.purge(10)).toBe(0);
    expect(await make('again')).toEqual({ id: 'first' });
  });

  it('is purged once by several replicas', async () => {
    for (let index = 0; index < 30; index += 1) await make(`n${index}`, call(undefined, `key-${index}`));
    now = new Date(start.getTime() + DAY_MILLISECONDS);
    const purged = await Promise.all([1, 2, 3, 4].map(() => idempotency.purge(30)));
    expect(purged.reduce((sum, one) => sum + one, 0)).toBe(30);
    expect(await rows()).toEqual([]);
  });
});
