import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { findProgram, startEmbeddedPostgres, type EmbeddedPostgres } from '@vestibule/dev-stack';
import { Client } from 'pg';

const SCRIPT = path.resolve(__dirname, '../../deploy/postgres-init.sh');
const SERVICES = ['verifier', 'issuer', 'wallet_store'] as const;
type Service = (typeof SERVICES)[number];
const run = promisify(execFile);
const DENIED = '42501';
/** A password that a shell or psql would read as something else if it were not quoted. */
const password = () => `${randomBytes(12).toString('base64url')}'"$\\ :x`;

(findProgram('psql') === undefined ? describe.skip : describe)('deploy/postgres-init.sh, on an empty Postgres', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'vestibule-init-'));
  const passwords = new Map<string, string>();
  let postgres: EmbeddedPostgres;

  const runScript = () => {
    const { hostname, port, username, password: ownPassword } = new URL(postgres.adminUrl);
    return run('sh', [SCRIPT], {
      env: {
        PATH: process.env['PATH'], // eslint-disable-line no-restricted-properties -- where psql is
        ...{ PGHOST: hostname, PGPORT: port, PGPASSWORD: decodeURIComponent(ownPassword) },
        ...{ POSTGRES_USER: username, POSTGRES_DB: 'postgres', SECRETS_FOLDER: folder },
      },
    });
  };

  beforeAll(async () => {
    postgres = await startEmbeddedPostgres();
    for (const role of SERVICES.flatMap((service) => [service, `${service}_run`])) {
      passwords.set(role, password());
      writeFileSync(path.join(folder, `${role}_database_password`), String(passwords.get(role)));
    }
    await runScript();
  });
  afterAll(async () => {
    await postgres?.stop();
    rmSync(folder, { recursive: true });
  });

  /** The rows of a statement, or the SQLSTATE of its refusal. */
  async function as(role: string, sql: string): Promise<unknown> {
    const { hostname, port } = new URL(postgres.adminUrl);
    const login = { host: hostname, port: Number(port), user: role, password: String(passwords.get(role)) };
    const client = new Client({ ...login, database: 'postgres' });
    await client.connect();
    try {
      return (await client.query<object>(sql)).rows;
    } catch (error) {
      return (error as { code: string }).code;
    } finally {
      await client.end();
    }
  }

  it.each(SERVICES)(
    'lets %s own its schema, and its running role read and write rows and nothing else',
    async (service) => {
      expect(await as(service, `CREATE TABLE ${service}.thing (id integer)`)).toEqual([]);
      const runner = `${service}_run`;
      expect(await as(runner, `INSERT INTO ${service}.thing VALUES (1)`)).toEqual([]);
      expect(await as(runner, `UPDATE thing SET id = 2 RETURNING id`)).toEqual([{ id: 2 }]);
      expect(await as(runner, `DELETE FROM ${service}.thing RETURNING id`)).toEqual([{ id: 2 }]);
      const refused = [
        `TRUNCATE ${service}.thing`,
        `CREATE TABLE ${service}.other (id integer)`,
        'CREATE SCHEMA other',
        'CREATE TABLE public.other (id integer)',
        'CREATE TEMPORARY TABLE other (id integer)',
        `ALTER ROLE ${runner} BYPASSRLS`,
        `SET ROLE ${service}`,
        'CREATE ROLE other',
        'CREATE DATABASE other',
      ];
      const outcomes = await Promise.all(refused.map(async (sql) => [sql, await as(runner, sql)]));
      expect(outcomes).toEqual(refused.map((sql) => [sql, DENIED]));
      const dropped = await as(runner, `DROP TABLE ${service}.thing`);
      expect(dropped).toBe(DENIED);
      const owned = 'SELECT relname FROM pg_class WHERE relowner = current_user::regrole';
      expect(await as(runner, owned)).toEqual([]);
    },
  );

  it.each(
    SERVICES.flatMap((service) =>
      SERVICES.filter((other) => other !== service).map((other) => [service, other] as [Service, Service]),
    ),
  )('shows %s nothing of %s', async (service, other) => {
    for (const role of [service, `${service}_run`]) {
      expect(await as(role, `SELECT FROM ${other}.thing`)).toBe(DENIED);
      expect(await as(role, `CREATE TABLE ${other}.foreign (id integer)`)).toBe(DENIED);
    }
  });

  it('gives no role a power over the server', async () => {
    const powers = await as(
      'verifier',
      `SELECT rolname FROM pg_roles WHERE rolname ~ '^(verifier|issuer|wallet_store)(_run)?$'
       AND (rolsuper OR rolcreaterole OR rolcreatedb OR rolreplication OR rolbypassrls)`,
    );
    expect(powers).toEqual([]);
  });

  it('does nothing without a secret, and says which one is missing', async () => {
    rmSync(path.join(folder, 'verifier_run_database_password'));
    await expect(runScript()).rejects.toMatchObject({
      stderr: expect.stringContaining('the secret verifier_run_database_password is missing or empty') as string,
    });
  });
});
