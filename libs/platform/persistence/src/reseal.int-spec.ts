import { randomBytes } from 'node:crypto';
import { createSealer } from '@vestibule/crypto';
import { type LogFields, type Logger } from '@vestibule/process';
import { type MigrationInterface, type QueryRunner } from 'typeorm';
import {
  createDatabase,
  type Database,
  findUnclassifiedColumns,
  resealRecords,
  sealedColumn,
  type SealedRegistry,
} from '.';

jest.setTimeout(180_000);

// eslint-disable-next-line no-restricted-properties -- the global set-up says where the test database is
const url = process.env['TEST_DATABASE_URL'] ?? '';
const schema = `test_reseal_${randomBytes(6).toString('hex')}`;
const table = `"${schema}".secret`;
const lines: { message: string; fields: LogFields }[] = [];
const log = (message: string, fields: LogFields = {}): void => void lines.push({ message, fields });
const logger: Logger = { debug: log, info: log, warn: log, error: log };
const [oldKey, newKey] = [randomBytes(32), randomBytes(32)];
const before = createSealer([oldKey], randomBytes);
const rotating = createSealer([newKey, oldKey], randomBytes);
const after = createSealer([newKey], randomBytes);
const contextOf = (id: number) => `secret.content/${id}`;
const contentOf = (id: number) => `content of ${id} ${'x'.repeat(id % 3 === 0 ? 6_000 : 100)}`;

const registry: SealedRegistry = {
  schema,
  sealed: [
    sealedColumn<{ id: number }>({
      table: 'secret',
      column: 'content',
      key: ['id'],
      contextOf: ({ id }) => contextOf(id),
    }),
  ],
  plain: ['secret.digest'],
};

class CreateSecrets1700000000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE TABLE ${table} (id integer PRIMARY KEY, content bytea, digest bytea, visits integer NOT NULL DEFAULT 0)`,
    );
  }
  async down(): Promise<void> {}
}

let database: Database;
beforeAll(async () => {
  const migrations = [CreateSecrets1700000000000];
  database = await createDatabase({ url, schema, applicationName: 'test', migrations, logger });
});
beforeEach(async () => {
  lines.length = 0;
  await database.query(`TRUNCATE ${table}`);
});
afterAll(async () => {
  await database.query(`DROP SCHEMA "${schema}" CASCADE`);
  await database.close();
});

async function fill(count: number, sealer = before, first = 1): Promise<void> {
  const ids = Array.from({ length: count }, (_, index) => first + index);
  const contents = ids.map((id) => sealer.seal(Buffer.from(contentOf(id)), contextOf(id)));
  await database.query(`INSERT INTO ${table} (id, content) SELECT * FROM unnest($1::int[], $2::bytea[])`, [
    ids,
    contents,
  ]);
}

async function openedWith(sealer = after): Promise<string[]> {
  const rows = await database.query<{ id: number; content: Buffer }>(
    `SELECT id, content FROM ${table} WHERE content IS NOT NULL ORDER BY id`,
  );
  return rows.map(({ id, content }) => sealer.open(content, contextOf(id)).toString('utf8'));
}

const reseal = (sealer = rotating, more: object = {}) =>
  resealRecords({ database, registry, sealer, logger, windowPages: 4, pauseMilliseconds: 20, ...more });
const contents = (count: number) => Array.from({ length: count }, (_, index) => contentOf(index + 1));

describe('resealRecords', () => {
  it('puts every record under the first key, whatever its size, and the older key can go', async () => {
    await fill(500);
    await database.query(`INSERT INTO ${table} (id) VALUES (1000)`);
    expect(await reseal()).toEqual({ moved: 500, broken: 0, left: 0 });
    expect(await openedWith(after)).toEqual(contents(500));
    expect(lines.at(-1)).toEqual({
      message: 'column re-sealed',
      fields: { table: 'secret', column: 'content', moved: 500, broken: 0, left: 0 },
    });
  });

  it('has nothing to do the second time, and goes on where it was stopped', async () => {
    await fill(100);
    await fill(100, after, 101);
    expect(await reseal()).toEqual({ moved: 100, broken: 0, left: 0 });
    expect(await reseal()).toEqual({ moved: 0, broken: 0, left: 0 });
    expect(await openedWith(after)).toEqual(contents(200));
  });

  it('says how far it is', async () => {
    await fill(700);
    await reseal(rotating, { progressMilliseconds: 0 });
    const progress = lines.filter(({ message }) => message === 're-sealing').map(({ fields }) => fields['percent']);
    expect(progress.length).toBeGreaterThan(2);
    expect(progress.at(-1)).toBe(100);
    expect([...progress].sort((a, b) => Number(a) - Number(b))).toEqual(progress);
  });

  it('counts what does not open, moves the rest, and leaves what it cannot open as it is', async () => {
    await fill(20);
    const foreign = createSealer([randomBytes(32)], randomBytes).seal(Buffer.from('foreign'), contextOf(3));
    await database.query(`UPDATE ${table} SET content = $1 WHERE id = 3`, [foreign]);
    await database.query(`UPDATE ${table} SET content = (SELECT content FROM ${table} WHERE id = 5) WHERE id = 4`);
    expect(await reseal()).toEqual({ moved: 18, broken: 2, left: 0 });
    const [row] = await database.query<{ content: Buffer }>(`SELECT content FROM ${table} WHERE id = 3`);
    expect(row?.content).toEqual(foreign);
  });

  it('waits for nobody: a locked row is taken in a later pass, and counted when it stays locked', async () => {
    await fill(50);
    await database.transaction(async ({ query }) => {
      await query(`SELECT 1 FROM ${table} WHERE id = 7 FOR UPDATE`);
      expect(await reseal(rotating, { passes: 2 })).toEqual({ moved: 49, broken: 0, left: 1 });
    });
    expect(await reseal()).toEqual({ moved: 1, broken: 0, left: 0 });
  });

  it('loses no change that services make meanwhile', async () => {
    await fill(400);
    let running = true;
    const changes = async () => {
      for (let round = 0; running; round += 1) {
        const id = 1 + ((round * 37) % 400);
        const sealed = rotating.seal(Buffer.from(`changed ${id}`), contextOf(id));
        if (round % 2 === 0) await database.query(`UPDATE ${table} SET visits = visits + 1 WHERE id = $1`, [id]);
        else await database.query(`UPDATE ${table} SET content = $2 WHERE id = $1`, [id, sealed]);
      }
    };
    const changing = Promise.all([changes(), changes()]);
    const result = await reseal();
    running = false;
    await changing;
    expect(result).toMatchObject({ broken: 0, left: 0 });
    expect(await openedWith(after)).toHaveLength(400);
  });

  it('visits the rows of every scope under row-level security, and refuses to overlook hidden ones', async () => {
    await fill(30);
    const role = `${schema}_owner`;
    await database.query(`CREATE ROLE "${role}" NOSUPERUSER`);
    await database.query(`GRANT USAGE ON SCHEMA "${schema}" TO "${role}"`);
    await database.query(`ALTER TABLE ${table} OWNER TO "${role}"`);
    await database.query(`ALTER TABLE ${table} ENABLE ROW LEVEL SECURITY`);
    await database.query(`ALTER TABLE ${table} FORCE ROW LEVEL SECURITY`);
    await database.query(
      `CREATE POLICY part ON ${table} USING (id % 3 = nullif(current_setting('test.part', true), '')::int)`,
    );
    const asOwner: Database = {
      ...database,
      transaction: (work) =>
        database.transaction(async (transaction) => {
          await transaction.query(`SELECT set_config('role', $1, true)`, [role]);
          return work(transaction);
        }),
    };
    const scoped = (valuesSql: string) => ({
      ...registry,
      sealed: registry.sealed.map((column) => ({ ...column, scope: { setting: 'test.part', valuesSql } })),
    });
    try {
      await expect(reseal(rotating, { database: asOwner })).rejects.toMatchObject({ code: 'database_error' });
      const all = scoped('SELECT part::text AS value FROM generate_series(0, 2) AS part');
      expect(await reseal(rotating, { database: asOwner, registry: all })).toEqual({ moved: 30, broken: 0, left: 0 });
    } finally {
      await database.query(`ALTER TABLE ${table} NO FORCE ROW LEVEL SECURITY`);
      await database.query(`ALTER TABLE ${table} DISABLE ROW LEVEL SECURITY`);
      await database.query(`ALTER TABLE ${table} OWNER TO CURRENT_USER`);
      await database.query(`DROP OWNED BY "${role}"`);
      await database.query(`DROP ROLE "${role}"`);
    }
    expect(await openedWith(after)).toEqual(contents(30));
  });

  it('goes by places in the table: no statement reads all of it for one batch', async () => {
    const plans: string[] = [];
    await fill(300);
    const watched: Database = {
      ...database,
      transaction: (work) =>
        database.transaction(({ query, manager }) =>
          work({
            manager,
            query: async (sql, parameters) => {
              if (/ctid/.test(sql)) {
                // A table of a few pages is read as a whole: what matters is that it need not be.
                await query('SET LOCAL enable_seqscan = off');
                const rows = await query<{ 'QUERY PLAN': string }>(`EXPLAIN ${sql}`, parameters);
                plans.push(rows.map((row) => row['QUERY PLAN']).join('\n'));
              }
              return query(sql, parameters);
            },
          }),
        ),
    };
    await reseal(rotating, { database: watched });
    expect(plans.length).toBeGreaterThan(2);
    for (const plan of plans) expect(plan).not.toContain('Seq Scan');
    expect(plans[0]).toContain('Tid Range Scan');
  });

  it('refuses a schema with a byte column that nobody classified, and names what is not there', async () => {
    const forgetful = { ...registry, plain: ['secret.gone'] };
    expect(await findUnclassifiedColumns(database, forgetful)).toEqual(['secret.digest', 'secret.gone']);
    await expect(reseal(rotating, { registry: forgetful })).rejects.toMatchObject({ code: 'sealed_column_unknown' });
  });
});
