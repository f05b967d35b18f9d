import { createTestDatabase, type TestDatabase } from '@vestibule/dev-stack';
import type { Logger } from '@vestibule/process';
import { Client } from 'pg';
import type { QueryRunner } from 'typeorm';
import { createDatabase, runMigrations, type DatabaseOptions, type MigrationClass } from '.';

jest.setTimeout(60_000);

const lines: { readonly message: string; readonly fields?: object | undefined }[] = [];
const log = (message: string, fields?: object) => void lines.push({ message, fields });
const logger: Logger = { debug: log, info: log, warn: log, error: log };

/** A migration that makes a table of its name, or fails; `compatible` is its mark. */
function migration(name: string, { compatible = false, fails = false } = {}): MigrationClass {
  return class {
    name = name;
    compatibleWith = compatible ? ('previous' as const) : undefined;
    async up(runner: QueryRunner): Promise<void> {
      await runner.query(`CREATE TABLE verifier.${name.toLowerCase()} (id integer)`);
      if (fails) await runner.query('SELECT broken');
    }
    async down(): Promise<void> {}
  } as MigrationClass;
}

const First = migration('First1700000000000');
const Additive = migration('Additive1700000000001', { compatible: true });
const Breaking = migration('Breaking1700000000002');
const Failing = migration('Breaking1700000000002', { fails: true });

let made: TestDatabase;
const options = (...migrations: readonly MigrationClass[]): DatabaseOptions => ({
  url: made.urls.verifier,
  schema: 'verifier',
  applicationName: 'schema version test',
  migrations,
  poolSize: 1,
  logger,
});
const newer = (detail: RegExp) => ({
  code: 'database_schema_newer',
  detail: expect.stringMatching(detail) as string,
});

async function as(url: string, ...statements: readonly string[]): Promise<readonly object[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    let rows: readonly object[] = [];
    for (const statement of statements) ({ rows } = await client.query<object>(statement));
    return rows;
  } finally {
    await client.end();
  }
}

beforeEach(async () => {
  lines.length = 0;
  made = await createTestDatabase();
});
afterEach(() => made.drop());

describe('a program that finds a newer schema', () => {
  it('refuses to start, and names the migration, where that is not marked compatible', async () => {
    await runMigrations(options(First, Breaking));
    await expect(createDatabase(options(First))).rejects.toMatchObject(newer(/Breaking1700000000002; run the newer/));
    await expect(runMigrations(options(First))).rejects.toMatchObject(newer(/Breaking/));
  });

  it('runs, and says with what, where all that is newer is marked compatible', async () => {
    await runMigrations(options(First, Additive));
    const database = await createDatabase(options(First));
    await expect(database.query('SELECT 1 AS one')).resolves.toEqual([{ one: 1 }]);
    expect(lines).toContainEqual({
      message: 'the schema is newer than this version, and is marked compatible with it',
      fields: { schema: 'verifier', migrations: 'Additive1700000000001' },
    });
    await database.close();
  });

  it('refuses where one of several is not marked', async () => {
    await runMigrations(options(First, Additive, Breaking));
    await expect(runMigrations(options(First))).rejects.toMatchObject(newer(/: Breaking1700000000002;/));
    await expect(runMigrations(options(First, Additive, Breaking))).resolves.toEqual([]);
  });

  it('runs with a half-applied set as far as that is compatible, and the newer program finishes it', async () => {
    await expect(runMigrations(options(First, Additive, Failing))).rejects.toMatchObject({ code: 'database_error' });
    await expect(runMigrations(options(First))).resolves.toEqual([]);
    await expect(runMigrations(options(First, Additive, Breaking))).resolves.toEqual(['Breaking1700000000002']);
    await expect(runMigrations(options(First))).rejects.toMatchObject(newer(/Breaking/));
  });

  it('refuses where the first half that was applied is not compatible', async () => {
    const Late = migration('Late1700000000003', { compatible: true, fails: true });
    await expect(runMigrations(options(First, Breaking, Late))).rejects.toMatchObject({ code: 'database_error' });
    await expect(runMigrations(options(First))).rejects.toMatchObject(newer(/Breaking/));
  });

  it('refuses a migration without any mark, as one that a program without marks has left', async () => {
    await runMigrations(options(First));
    await as(
      made.urls.verifier,
      `INSERT INTO verifier.migrations (timestamp, name) VALUES (1800000000000, 'Foreign1800000000000')`,
    );
    await expect(runMigrations(options(First))).rejects.toMatchObject(newer(/Foreign1800000000000/));
  });

  it('does not add its own migrations to a schema that went another way', async () => {
    await runMigrations(options(First, Additive));
    await expect(runMigrations(options(First, Breaking))).rejects.toMatchObject(newer(/lacks migrations.*Breaking/));
    await expect(as(made.urls.verifier, 'SELECT name FROM verifier.migrations')).resolves.toHaveLength(2);
  });

  it('leaves a mark as the newer program made it', async () => {
    await runMigrations(options(First, Additive));
    await runMigrations(options(First, migration('Additive1700000000001')));
    await expect(runMigrations(options(First))).resolves.toEqual([]);
  });
});

describe('a program whose role does not own the schema', () => {
  const running = () => ({ ...options(First), url: runnerUrl() });
  const runnerUrl = () => {
    const url = new URL(made.urls.verifier);
    url.username = `${made.name}_runner`;
    return url.href;
  };

  it('starts where nothing is to be migrated, and else says who has to do what', async () => {
    const role = `"${made.name}_runner"`;
    const { password } = new URL(made.urls.verifier);
    await as(
      made.adminUrl,
      `CREATE ROLE ${role} LOGIN PASSWORD '${password}'`,
      `GRANT CONNECT ON DATABASE "${made.name}" TO ${role}`,
    );
    await as(
      made.urls.verifier,
      `GRANT USAGE ON SCHEMA verifier TO ${role}`,
      `ALTER DEFAULT PRIVILEGES IN SCHEMA verifier GRANT SELECT ON TABLES TO ${role}`,
    );
    try {
      await expect(createDatabase(running())).rejects.toMatchObject({ code: 'database_schema_older' });
      const database = await createDatabase({ ...running(), migrationUrl: made.urls.verifier });
      await database.close();
      const again = await createDatabase(running());
      await expect(again.query('SELECT * FROM verifier.first1700000000000')).resolves.toEqual([]);
      await again.close();
    } finally {
      await as(made.adminUrl, `DROP OWNED BY ${role}`, `DROP ROLE ${role}`);
    }
  });
});
