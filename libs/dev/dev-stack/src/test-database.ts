import { createHash, randomBytes } from 'node:crypto';
import { type Client } from 'pg';
import { withAdvisoryLock, withConnection, withDatabase, withUser } from './admin-connection';
import {
  DATABASE_SERVICES,
  type DatabaseService,
  provisionDatabase,
  roleName,
  runningRoleName,
  type ServiceUrls,
} from './provision-database';
import { quoteIdentifier } from './sql-text';
import { StackFailure } from './stack-failure';
import { readTestEnvironment } from './test-environment';

/** The initial content of every copy, typically the migrated tables: created once per test run. */
export interface DatabaseTemplate {
  /** Lower case letters, digits and `_`, at most 20. */
  readonly name: string;
  /** Must have closed its connections when it returns. */
  prepare(urls: ServiceUrls): Promise<void>;
}

export interface TestDatabase {
  readonly name: string;
  /** URL of the superuser, for reading everything. */
  readonly adminUrl: string;
  /** DATABASE_URL for each service. */
  readonly urls: ServiceUrls;
  drop(): Promise<void>;
}

const PREFIX = 'vestibule_test';

interface Run {
  readonly adminUrl: string;
  readonly runId: string;
}

function getRun(): Run {
  const { databaseUrl, runId } = readTestEnvironment();
  if (databaseUrl !== undefined) return { adminUrl: databaseUrl, runId: runId ?? `pid${process.pid}` };
  throw new StackFailure('no_test_database', 'TEST_DATABASE_URL is not set: run the tests with npm test');
}

/** Only the first part of the run's secret appears in names. */
const namePrefix = (runId: string) => `${PREFIX}_${runId.slice(0, 8)}`;

/** All processes of a run derive the same passwords for a database. */
function passwordsFor(run: Run, database: string): Readonly<Record<DatabaseService, string>> {
  const derive = (service: string) =>
    createHash('sha256').update(`${run.runId}/${database}/${service}`).digest('base64url');
  return Object.fromEntries(DATABASE_SERVICES.map((service) => [service, derive(service)])) as ServiceUrls;
}

const dropDatabaseSql = (name: string) => `DROP DATABASE IF EXISTS ${quoteIdentifier(name)} WITH (FORCE)`;

async function dropRoles(client: Client, database: string): Promise<void> {
  for (const service of DATABASE_SERVICES) {
    const role = roleName(database, service);
    for (const name of [role, runningRoleName(role)])
      await client.query(`DROP ROLE IF EXISTS ${quoteIdentifier(name)}`);
  }
}

async function createPlain(run: Run, name: string): Promise<TestDatabase> {
  const urls = await provisionDatabase({ adminUrl: run.adminUrl, database: name, passwords: passwordsFor(run, name) });
  const drop = () =>
    withConnection(run.adminUrl, async (client) => {
      await client.query(dropDatabaseSql(name));
      await dropRoles(client, name);
    });
  return { name, adminUrl: withDatabase(run.adminUrl, name), urls, drop };
}

async function ensureTemplate(run: Run, template: DatabaseTemplate): Promise<string> {
  const name = `${namePrefix(run.runId)}_tpl_${template.name}`;
  await withAdvisoryLock(run.adminUrl, 'test template', async (client) => {
    const found = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [name]);
    if (found.rows.length > 0) return;
    const made = await createPlain(run, name);
    try {
      await template.prepare(made.urls);
    } catch (error) {
      await made.drop();
      throw error;
    }
    // A connection may still be closing, and Postgres does not copy a database with open connections.
    await client.query('SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = $1', [name]);
  });
  return name;
}

/** The copy's schemas belong to the roles of the template, so those are its users. */
async function createCopy(run: Run, name: string, template: DatabaseTemplate): Promise<TestDatabase> {
  const source = await ensureTemplate(run, template);
  await withConnection(run.adminUrl, (client) =>
    client.query(`CREATE DATABASE ${quoteIdentifier(name)} TEMPLATE ${quoteIdentifier(source)}`),
  );
  const passwords = passwordsFor(run, source);
  const adminUrl = withDatabase(run.adminUrl, name);
  const urls = DATABASE_SERVICES.map((service) => [
    service,
    withUser(adminUrl, roleName(source, service), passwords[service]),
  ]);
  const drop = () => withConnection(run.adminUrl, async (client) => void (await client.query(dropDatabaseSql(name))));
  return { name, adminUrl, urls: Object.fromEntries(urls) as ServiceUrls, drop };
}

/**
 * A new database for one test file, with the roles and schemas of the services; a copy of the template if one is given,
 * which saves running its preparation (migrations) again. Databases that test files leave behind are dropped at the end
 * of the run.
 * @throws StackFailure `no_test_database` outside of `npm test`
 */
export async function createTestDatabase(template?: DatabaseTemplate): Promise<TestDatabase> {
  const run = getRun();
  const name = `${namePrefix(run.runId)}_${randomBytes(5).toString('hex')}`;
  return template === undefined ? createPlain(run, name) : createCopy(run, name, template);
}

/** Drops the databases and roles of this test run only. */
export async function dropTestDatabases(adminUrl: string, runId: string): Promise<void> {
  const prefix = `${namePrefix(runId)}_`;
  await withConnection(adminUrl, async (client) => {
    const databases = await client.query<{ name: string }>(
      'SELECT datname AS name FROM pg_database WHERE starts_with(datname, $1)',
      [prefix],
    );
    for (const { name } of databases.rows) await client.query(dropDatabaseSql(name));
    const roles = await client.query<{ name: string }>(
      'SELECT rolname AS name FROM pg_roles WHERE starts_with(rolname, $1)',
      [prefix],
    );
    for (const { name } of roles.rows) await client.query(`DROP ROLE IF EXISTS ${quoteIdentifier(name)}`);
  });
}
