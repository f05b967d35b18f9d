import { Client } from 'pg';
import { LimitedClient } from './limited-client';
import { PreparedStatement, type Rows } from './prepared-statement';

// eslint-disable-next-line no-restricted-properties -- the global set-up says where the test database is
const connectionString = process.env['TEST_DATABASE_URL'] ?? '';

const VALUES: readonly (readonly [type: string, value: unknown])[] = [
  ['bytea', Buffer.from([0, 1, 0x5c, 0xff])],
  ['bytea', new Uint8Array([7, 8, 9]).subarray(1)],
  ['bytea', Buffer.alloc(100_000, 0xa5)],
  ['text', 'ä "quoted" \\ \u{1F600} '.repeat(500)],
  ['text', ''],
  ['text', null],
  ['integer', -7],
  ['bigint', 9_007_199_254_740_993n],
  ['float8', 0.1],
  ['boolean', true],
  ['timestamptz', new Date('2026-11-26T10:11:12.345Z')],
  ['timestamptz', new Date(Date.UTC(12026, 5, 1))],
  ['timestamptz', new Date('-000043-03-15T01:02:03.000Z')],
  ['jsonb', { a: [1, 'b', null] }],
  ['bytea[]', [Buffer.from([1, 2]), Buffer.alloc(0)]],
  ['text[]', ['a,b', 'c"d', '{e}', '\\f', '', 'NULL', null]],
  ['text[]', []],
  ['integer[]', [1, 2]],
  ['boolean[]', [true, false]],
  ['timestamptz[]', [new Date('2026-11-26T10:11:12.345Z')]],
];

describe('a prepared statement', () => {
  let client: LimitedClient;
  const driver = new Client({ connectionString });
  const written: number[] = [];

  const run = (name: string, text: string, values: readonly unknown[] = []): Promise<Rows> =>
    new Promise((resolve, reject) => {
      const statement = new PreparedStatement(name, text, values, (error, rows) =>
        error ? reject(error) : resolve(rows as Rows),
      );
      client.query(statement as unknown as { submit: () => void });
    });

  beforeAll(async () => {
    client = new LimitedClient({ connectionString });
    await client.connect();
    await driver.connect();
    const { stream } = (client as unknown as { connection: { stream: { write(bytes: Buffer): boolean } } }).connection;
    const write = stream.write.bind(stream);
    stream.write = (bytes) => {
      written.push(bytes.length);
      return write(bytes);
    };
  });
  afterAll(async () => {
    await client.end();
    await driver.end();
  });
  beforeEach(() => void written.splice(0));

  it.each(VALUES)('carries a parameter and a result of type %s as the driver does', async (type, value) => {
    const text = `SELECT $1::${type} AS value, 1 AS one`;
    const expected = await driver.query(text, [value]);
    const name = `value_${type}`;
    expect((await run(name, text, [value])).rows).toEqual(expected.rows);
    expect((await run(name, text, [value])).rows).toEqual(expected.rows);
  });

  it('is sent in one write, and is neither parsed nor described again', async () => {
    const text = `SELECT 'a text of some length' AS text WHERE $1`;
    await run('once', text, [true]);
    await run('once', text, [true]);
    const [first = 0, second = 0] = written;
    expect(written).toHaveLength(2);
    expect(first - second).toBe(5 + 'once'.length + 1 + text.length + 1 + 2 + 7);
  });

  it('has no rows if the statement returns none', async () => {
    await run('table', 'CREATE TEMPORARY TABLE empty_handed (id integer PRIMARY KEY)');
    expect((await run('insert', 'INSERT INTO empty_handed VALUES ($1)', [1])).rows).toEqual([]);
    expect((await run('insert', 'INSERT INTO empty_handed VALUES ($1)', [2])).rows).toEqual([]);
    expect((await run('select', 'SELECT id FROM empty_handed WHERE id > $1', [7])).rows).toEqual([]);
    expect((await run('select', 'SELECT id FROM empty_handed WHERE id > $1 ORDER BY id', [0])).rows).toEqual([
      { id: 1 },
      { id: 2 },
    ]);
  });

  it('reports an error once, after which the connection runs other statements', async () => {
    await expect(run('insert', 'INSERT INTO empty_handed VALUES ($1)', [1])).rejects.toMatchObject({ code: '23505' });
    await expect(run('wrong', 'SELECT wrong')).rejects.toMatchObject({ code: '42703' });
    expect((await run('right', 'SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
  });

  it('reports a parameter that cannot be written, without sending anything', async () => {
    await expect(run('date', 'SELECT $1::timestamptz', [new Date(Number.NaN)])).rejects.toThrow(RangeError);
    expect(written).toEqual([]);
    expect((await run('right', 'SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
  });

  it('shares its names with the driver’s own queries on the connection', async () => {
    const text = 'SELECT 5 AS five';
    await client.query({ name: 'shared', text, values: [] });
    expect((await run('shared', text)).rows).toEqual([{ five: 5 }]);
    expect((await client.query({ name: 'shared', text, values: [] })).rows).toEqual([{ five: 5 }]);
  });

  it('fails if its columns have changed, and is never read by the old ones', async () => {
    await run('change', 'ALTER TABLE empty_handed ADD COLUMN label text');
    const text = 'SELECT * FROM empty_handed WHERE id = 1';
    expect((await run('all', text)).rows).toEqual([{ id: 1, label: null }]);
    await run('changed', 'ALTER TABLE empty_handed DROP COLUMN label');
    await expect(run('all', text)).rejects.toMatchObject({ code: '0A000' });
  });
});
