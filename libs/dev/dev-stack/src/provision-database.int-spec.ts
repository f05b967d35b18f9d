import { randomBytes } from 'node:crypto';
import { withConnection, withDatabase, withUser } from './admin-connection';
import { provisionDatabase, roleName, type ServiceUrls } from './provision-database';
import { quoteIdentifier } from './sql-text';
import { readTestEnvironment } from './test-environment';

jest.setTimeout(180_000);

const adminUrl = readTestEnvironment().databaseUrl as string;
const suffix = randomBytes(4).toString('hex');
const database = `provision "odd" name ${suffix}`;
const passwords = { verifier: "it's \\ odd", issuer: 'p2', wallet_store: 'p3' };

const failure = async (url: string, sql: string): Promise<string | undefined> => {
  try {
    await withConnection(url, (client) => client.query(sql));
    return undefined;
  } catch (error) {
    return (error as { code?: string }).code;
  }
};
const asAdmin = (sql: string) => withConnection(adminUrl, (client) => client.query(sql));

describe('provisionDatabase', () => {
  let urls: ServiceUrls;

  beforeAll(async () => {
    // Five at once: all must succeed, whoever is first.
    const all = await Promise.all(
      Array.from({ length: 5 }, () => provisionDatabase({ adminUrl, database, passwords })),
    );
    urls = all[0] as ServiceUrls;
  });
  afterAll(async () => {
    await asAdmin(`DROP DATABASE ${quoteIdentifier(database)} WITH (FORCE)`);
    for (const service of ['verifier', 'issuer', 'wallet_store'] as const) {
      await asAdmin(`DROP ROLE ${quoteIdentifier(roleName(database, service))}`);
    }
  });

  it('gives each service a login, a schema of its own and that schema as its search path', async () => {
    const sql = 'CREATE TABLE here (n int); SELECT current_schema() AS schema, current_database() AS database';
    const [, result] = (await withConnection(urls.verifier, (client) => client.query(sql))) as unknown as [
      unknown,
      { rows: unknown[] },
    ];
    expect(result.rows).toEqual([{ schema: 'verifier', database }]);
  });

  it('lets no service read or write in the schema of another, or create in public', async () => {
    const DENIED = '42501';
    expect(await failure(urls.issuer, 'SELECT * FROM verifier.here')).toBe(DENIED);
    expect(await failure(urls.issuer, 'CREATE TABLE verifier.mine (n int)')).toBe(DENIED);
    expect(await failure(urls.issuer, 'CREATE TABLE public.mine (n int)')).toBe(DENIED);
    expect(await failure(urls.issuer, 'CREATE SCHEMA mine')).toBe(DENIED);
    expect(await failure(urls.issuer, 'CREATE ROLE mine')).toBe(DENIED);
    expect(await failure(withDatabase(adminUrl, database), 'SELECT * FROM verifier.here')).toBeUndefined();
  });

  it('may be repeated, keeps what is there and sets the passwords anew', async () => {
    // Looked up, not tried: a server that was given for the tests may trust everybody.
    const storedPassword = async () => {
      const sql = `SELECT rolpassword FROM pg_authid WHERE rolname = '${roleName(database, 'issuer')}'`;
      return (await asAdmin(sql)).rows as { rolpassword: string }[];
    };
    const before = await storedPassword();
    const changed = await provisionDatabase({ adminUrl, database, passwords: { ...passwords, issuer: 'new' } });
    expect(await failure(urls.verifier, 'SELECT * FROM here')).toBeUndefined();
    expect(await failure(changed.issuer, 'SELECT 1')).toBeUndefined();
    expect(await storedPassword()).not.toEqual(before);
  });

  it('works for an admin that is no superuser and owns nothing but the right to create', async () => {
    const admin = `admin_${suffix}`;
    await asAdmin(`CREATE ROLE ${admin} LOGIN CREATEROLE CREATEDB PASSWORD 'x'`);
    const plainAdmin = withUser(adminUrl, admin, 'x');
    const own = `own_${suffix}`;
    const made = await provisionDatabase({ adminUrl: plainAdmin, database: own, passwords });
    await provisionDatabase({ adminUrl: plainAdmin, database: own, passwords });
    expect(await failure(made.wallet_store, 'CREATE TABLE t (n int)')).toBeUndefined();
    expect(await failure(made.issuer, 'SELECT * FROM wallet_store.t')).toBe('42501');
    await asAdmin(`DROP DATABASE ${own} WITH (FORCE)`);
    for (const service of ['verifier', 'issuer', 'wallet_store']) await asAdmin(`DROP ROLE ${own}_${service}`);
    await asAdmin(`DROP ROLE ${admin}`);
  });

  it('says what is missing when the admin URL may not create roles, databases or schemas', async () => {
    const weak = `weak_${suffix}`;
    await asAdmin(`CREATE ROLE ${weak} LOGIN PASSWORD 'x'`);
    const weakUrl = withUser(adminUrl, weak, 'x');
    await expect(provisionDatabase({ adminUrl: weakUrl, passwords })).rejects.toMatchObject({
      code: 'admin_may_not_create_roles',
    });
    await asAdmin(`ALTER ROLE ${weak} CREATEROLE`);
    await expect(provisionDatabase({ adminUrl: weakUrl, database: `none_${suffix}`, passwords })).rejects.toMatchObject(
      { code: 'admin_may_not_create_databases' },
    );
    await expect(provisionDatabase({ adminUrl: weakUrl, passwords })).rejects.toMatchObject({
      code: 'admin_may_not_create_schemas',
    });
    await asAdmin(`DROP OWNED BY ${weak}`);
    const given = new URL(adminUrl).pathname.slice(1);
    await asAdmin(`REVOKE ALL ON DATABASE ${given} FROM ${given}_verifier`);
    await asAdmin(`DROP ROLE IF EXISTS ${given}_verifier`);
    await asAdmin(`DROP ROLE ${weak}`);
  });

  it('says that nobody answers, without the password', async () => {
    const attempt = provisionDatabase({ adminUrl: 'postgres://u:canary@127.0.0.1:1/x', passwords });
    await expect(attempt).rejects.toMatchObject({ code: 'database_unreachable' });
    await expect(attempt).rejects.not.toThrow('canary');
  });
});
