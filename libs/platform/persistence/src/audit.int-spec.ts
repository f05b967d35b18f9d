import { randomBytes } from 'node:crypto';
import { withRequestContext, type Logger } from '@vestibule/process';
import { type MigrationInterface, type QueryRunner } from 'typeorm';
import { createAudit, auditTableSql, createDatabase, type Database } from '.';
import { auditCommand } from './audit-command';

jest.setTimeout(180_000);

// eslint-disable-next-line no-restricted-properties -- the global set-up says where the test database is
const url = process.env['TEST_DATABASE_URL'] ?? '';
const schema = `test_audit_${randomBytes(6).toString('hex')}`;
const table = `"${schema}".audit_record`;
const silent = (): void => undefined;
const logger: Logger = { debug: silent, info: silent, warn: silent, error: silent };
const NOW = new Date('2026-03-01T12:00:00.123Z');

class CreateAuditTrail1700000000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of auditTableSql(schema)) await runner.query(statement);
    await runner.query(`CREATE TABLE "${schema}".thing (id integer PRIMARY KEY)`);
  }
  async down(): Promise<void> {}
}

let databases: readonly Database[];
let database: Database;
beforeAll(async () => {
  const migrations = [CreateAuditTrail1700000000000];
  const open = () => createDatabase({ url, schema, applicationName: 'test', migrations, logger });
  databases = [await open(), await open()];
  [database] = databases as [Database];
});
/** What only the owner of a table can do, and a thief of its credentials. */
async function tamper(sql: string): Promise<void> {
  await database.transaction(async ({ query }) => {
    await query(`ALTER TABLE ${table} DISABLE TRIGGER ALL`);
    await query(sql);
    await query(`ALTER TABLE ${table} ENABLE TRIGGER ALL`);
  });
}
beforeEach(async () => {
  await tamper(`DELETE FROM ${table}`);
  await database.query(`DELETE FROM "${schema}".thing`);
});
afterAll(async () => {
  await database.query(`DROP SCHEMA "${schema}" CASCADE`);
  await Promise.all(databases.map((one) => one.close()));
});

const audits = (one: Database) => createAudit({ database: one, schema, clock: () => NOW });
const record = (target: string, one = database): Promise<void> =>
  audits(one).run(async () => ({ result: undefined, entry: { action: 'offer.cancel', target } }));
async function records(count: number): Promise<void> {
  for (let index = 1; index <= count; index += 1) await record(`offer-${index}`);
}

async function run(...argv: string[]): Promise<string> {
  const lines: string[] = [];
  const output = { write: (line: string) => lines.push(line) > 0, once: silent };
  const code = await auditCommand({ database, schema, output }, argv).then(
    () => '',
    (error: unknown) => (error as { code: string }).code,
  );
  return [...lines, code].join('');
}
const head = async (): Promise<string> => (await run('--verify')).trim().split('\t')[2] ?? '';

describe('an action and its record', () => {
  it('are committed together, with who did it', async () => {
    const context = { requestId: 'request-1', actor: 'key:shop certificate:DNS:shop.example' };
    const result = await withRequestContext(context, () =>
      audits(database).run(async (query) => {
        await query(`INSERT INTO "${schema}".thing VALUES (1)`);
        return { result: 7, entry: { action: 'credential.status', target: 'abc', details: { status: 'revoked' } } };
      }),
    );
    expect(result).toBe(7);
    const exported = JSON.parse(await run()) as { seq: number; hash: string; record: unknown };
    expect(exported).toEqual({
      seq: 1,
      hash: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
      record: {
        at: '2026-03-01T12:00:00.123Z',
        service: schema,
        actor: 'key:shop certificate:DNS:shop.example',
        action: 'credential.status',
        target: 'abc',
        details: { status: 'revoked' },
        request: 'request-1',
      },
    });
  });

  it('are rolled back together, whichever of them fails', async () => {
    const failing = audits(database).run(async (query) => {
      await query(`INSERT INTO "${schema}".thing VALUES (1)`);
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    const unrecordable = createAudit({ database, schema: 'nowhere' }).run(async (query) => {
      await query(`INSERT INTO "${schema}".thing VALUES (1)`);
      return { result: 1, entry: { action: 'offer.cancel' } };
    });
    await expect(unrecordable).rejects.toMatchObject({ code: 'database_error' });
    expect(await database.query(`SELECT 1 AS it FROM "${schema}".thing`)).toEqual([]);
    expect(await run()).toBe('');
  });

  it('leave no record if nothing was changed', async () => {
    await audits(database).run(async () => ({ result: 1, entry: undefined }));
    expect(await run('--verify')).toBe(`whole\t0\t0:${'00'.repeat(32)}\n`);
  });

  it('have the actor unknown if the gateway names nobody', async () => {
    await record('x');
    expect(JSON.parse(await run())).toMatchObject({ record: { actor: 'unknown' } });
  });
});

describe('the table', () => {
  it.each([`UPDATE ${table} SET record = record`, `DELETE FROM ${table}`, `TRUNCATE ${table}`])(
    'refuses even its owner: %s',
    async (sql) => {
      await record('x');
      await expect(database.query(sql)).rejects.toMatchObject({ sqlState: '42501' });
    },
  );

  it('takes from other roles what default privileges have granted, except to read and append', async () => {
    const [other, role] = [`${schema}_2`, `${schema}_run`];
    await database.transaction(async ({ query }) => {
      await query(`CREATE ROLE "${role}"`);
      await query(`CREATE SCHEMA "${other}"`);
      await query(`ALTER DEFAULT PRIVILEGES IN SCHEMA "${other}" GRANT ALL ON TABLES TO "${role}", PUBLIC`);
      for (const statement of auditTableSql(other)) await query(statement);
    });
    const rights = await database.query(
      `SELECT privilege_type AS it FROM information_schema.role_table_grants
       WHERE table_schema = $1 AND grantee IN ($2, 'PUBLIC') AND privilege_type <> 'MAINTAIN' ORDER BY grantee, 1`,
      [other, role],
    );
    expect(rights.map((right) => (right as { it: string }).it)).toEqual(['INSERT', 'SELECT', 'INSERT', 'SELECT']);
    await database.query(`DROP SCHEMA "${other}" CASCADE`);
    await database.query(`DROP ROLE "${role}"`);
  });
});

describe('the chain', () => {
  it('stays whole while two processes append at the same time', async () => {
    const all = Array.from({ length: 60 }, (_, index) => record(`offer-${index}`, databases[index % 2]));
    await Promise.all(all);
    expect(await run('--verify')).toMatch(/^whole\t60\t60:/);
    const targets = (await run()).trim().split('\n');
    expect(
      new Set(targets.map((line) => (JSON.parse(line) as { record: { target: string } }).record.target)).size,
    ).toBe(60);
  });

  it('is read in pages, from a noted head on', async () => {
    await database.query(`WITH RECURSIVE chain (seq, hash) AS (
        SELECT 1::bigint, sha256('\\x${'00'.repeat(32)}'::bytea || int8send(1) || convert_to('{}', 'UTF8'))
        UNION ALL SELECT seq + 1, sha256(hash || int8send(seq + 1) || convert_to('{}', 'UTF8')) FROM chain WHERE seq < 2500
      ) INSERT INTO ${table} SELECT seq, '{}', hash FROM chain`);
    expect(await run('--verify')).toMatch(/^whole\t2500\t2500:/);
    const noted = await head();
    await record('after');
    expect(await run('--verify', '--after', noted)).toMatch(/^whole\t1\t2501:/);
    expect((await run('--after', noted)).trim().split('\n')).toHaveLength(1);
  });

  it.each([
    ['changed', `UPDATE ${table} SET record = replace(record, 'offer-3', 'offer-9') WHERE seq = 3`, 3],
    ['deleted', `DELETE FROM ${table} WHERE seq = 2`, 2],
    ['deleted at the beginning', `DELETE FROM ${table} WHERE seq = 1`, 1],
    [
      'deleted, and the later ones moved up',
      `WITH gone AS (DELETE FROM ${table} WHERE seq = 2)
       UPDATE ${table} SET seq = seq + 8 WHERE seq > 2; UPDATE ${table} SET seq = seq - 9 WHERE seq > 8`,
      2,
    ],
    [
      'inserted',
      `UPDATE ${table} SET seq = seq + 11 WHERE seq >= 3; UPDATE ${table} SET seq = seq - 10 WHERE seq > 10;
       INSERT INTO ${table} VALUES (3, '{}', sha256('x'))`,
      3,
    ],
    ['appended with a gap', `INSERT INTO ${table} SELECT max(seq) + 2, '{}', sha256('x') FROM ${table}`, 6],
    [
      'reordered',
      `UPDATE ${table} SET seq = 12 WHERE seq = 2; UPDATE ${table} SET seq = 2 WHERE seq = 3;
       UPDATE ${table} SET seq = 3 WHERE seq = 12`,
      2,
    ],
    ['given another hash', `UPDATE ${table} SET hash = sha256('x') WHERE seq = 5`, 5],
  ])('shows a record that was %s', async (_what, sql, seq) => {
    await records(5);
    for (const one of sql.split(';')) await tamper(one);
    expect(await run('--verify')).toMatch(new RegExp(`^broken\\t${seq}\\t.*\\naudit_chain_broken$`));
  });

  it('does not show a cut end by itself, but to whoever has noted a head', async () => {
    await records(5);
    const noted = await head();
    await tamper(`DELETE FROM ${table} WHERE seq >= 4`);
    expect(await run('--verify')).toMatch(/^whole\t3\t/);
    expect(await run('--verify', '--expect-head', noted)).toMatch(/^broken\t4\t.*cut off/);
    await records(4);
    expect(await run('--verify', '--expect-head', noted)).toMatch(/^broken\t5\t.*rewritten/);
  });

  it('holds against a head that was noted earlier', async () => {
    await records(2);
    const noted = await head();
    await records(2);
    expect(await run('--verify', '--expect-head', noted)).toMatch(/^whole\t4\t4:/);
  });

  it('is exported as it is, even if a record is no JSON any more', async () => {
    await records(2);
    await tamper(`UPDATE ${table} SET record = '{"a":1}}, {"seq":7' WHERE seq = 1`);
    const lines = (await run()).trim().split('\n');
    expect(lines.map((line) => JSON.parse(line) as object)).toMatchObject([
      { seq: 1, record: '{"a":1}}, {"seq":7' },
      { seq: 2 },
    ]);
  });
});

describe('the command', () => {
  it.each([
    ['--verifi'],
    ['--expect-head'],
    ['--verify', '--expect-head', '12'],
    ['--expect-head', `1:${'ab'.repeat(32)}`],
    ['--verify', '--after', `1:${'AB'.repeat(32)}`],
    ['--verify', '--after', `9:${'ab'.repeat(32)}`, '--expect-head', `8:${'ab'.repeat(32)}`],
  ])('refuses %s %s', async (...argv) => {
    expect(await run(...argv)).toBe('command_invalid');
  });
});
