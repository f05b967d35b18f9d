import { type Client } from 'pg';
import { databaseOf, withAdvisoryLock, withDatabase, withUser } from './admin-connection';
import { quoteIdentifier, quoteLiteral } from './sql-text';
import { StackFailure } from './stack-failure';

const INSUFFICIENT_PRIVILEGE = '42501';

/** The services that own a schema. */
export const DATABASE_SERVICES = ['verifier', 'issuer', 'wallet_store'] as const;
export type DatabaseService = (typeof DATABASE_SERVICES)[number];

export interface ProvisionOptions {
  /** A user that may create roles (and the database, if it does not exist). */
  readonly adminUrl: string;
  /** Created if missing. Default: the database of `adminUrl`. */
  readonly database?: string;
  /** The password of each service's role. */
  readonly passwords: Readonly<Record<DatabaseService, string>>;
}

/** DATABASE_URL for each service. */
export type ServiceUrls = Readonly<Record<DatabaseService, string>>;

interface AdminRights {
  readonly rolsuper: boolean;
  readonly rolcreaterole: boolean;
  readonly rolcreatedb: boolean;
}

/**
 * The role of a service. Roles belong to the whole server, so the name includes the database: two stacks on one server
 * do not share roles.
 */
export function roleName(database: string, service: DatabaseService): string {
  return `${database}_${service}`;
}

/** The role that a service uses if another one owns its schema: it reads and writes rows, and has the same password. */
export const runningRoleName = (owner: string): string => `${owner}_run`;

async function requireRights(client: Client, needsDatabase: boolean): Promise<AdminRights> {
  const result = await client.query<AdminRights>(
    'SELECT rolsuper, rolcreaterole, rolcreatedb FROM pg_roles WHERE rolname = current_user',
  );
  const rights = result.rows[0] as AdminRights;
  if (!rights.rolsuper && !rights.rolcreaterole) {
    const remedy = 'give an admin URL whose user is a superuser or has CREATEROLE';
    throw new StackFailure('admin_may_not_create_roles', `the user of the admin URL may not create roles: ${remedy}`);
  }
  if (needsDatabase && !rights.rolsuper && !rights.rolcreatedb) {
    const remedy = 'create the database beforehand, or give the user CREATEDB';
    throw new StackFailure('admin_may_not_create_databases', `the user may not create databases: ${remedy}`);
  }
  return rights;
}

async function exists(client: Client, query: string, name: string): Promise<boolean> {
  return (await client.query(query, [name])).rows.length > 0;
}

async function createDatabase(client: Client, database: string): Promise<void> {
  if (await exists(client, 'SELECT 1 FROM pg_database WHERE datname = $1', database)) return;
  await requireRights(client, true);
  await client.query(`CREATE DATABASE ${quoteIdentifier(database)}`);
}

async function ensureRole(client: Client, role: string, password: string): Promise<void> {
  const verb = (await exists(client, 'SELECT 1 FROM pg_roles WHERE rolname = $1', role)) ? 'ALTER' : 'CREATE';
  const attributes = 'LOGIN NOCREATEDB NOCREATEROLE';
  await client.query(`${verb} ROLE ${quoteIdentifier(role)} ${attributes} PASSWORD ${quoteLiteral(password)}`);
}

/** An admin who is not a superuser must temporarily belong to a role in order to create a schema for it. */
async function asMember(client: Client, role: string, rights: AdminRights, work: () => Promise<void>): Promise<void> {
  if (rights.rolsuper) return work();
  await client.query(`GRANT ${quoteIdentifier(role)} TO CURRENT_USER`);
  await work();
  await client.query(`REVOKE ${quoteIdentifier(role)} FROM CURRENT_USER`);
}

async function ensureSchema(client: Client, service: DatabaseService, role: string): Promise<void> {
  const [schema, owner] = [quoteIdentifier(service), quoteIdentifier(role)];
  try {
    await client.query(`CREATE SCHEMA IF NOT EXISTS ${schema} AUTHORIZATION ${owner}`);
  } catch (error) {
    if ((error as { code?: string }).code !== INSUFFICIENT_PRIVILEGE) throw error;
    const remedy = 'GRANT CREATE ON DATABASE to it, or use the owner of the database';
    throw new StackFailure('admin_may_not_create_schemas', `the user may not create schemas: ${remedy}`, error);
  }
  await client.query(`ALTER ROLE ${owner} SET search_path = ${schema}`);
}

async function ensureRunningRole(client: Client, service: DatabaseService, owner: string): Promise<void> {
  const [schema, role] = [quoteIdentifier(service), quoteIdentifier(runningRoleName(owner))];
  const rights = 'SELECT, INSERT, UPDATE, DELETE';
  await client.query(`GRANT USAGE ON SCHEMA ${schema} TO ${role}`);
  await client.query(`ALTER ROLE ${role} SET search_path = ${schema}`);
  await client.query(
    `ALTER DEFAULT PRIVILEGES FOR ROLE ${quoteIdentifier(owner)} IN SCHEMA ${schema} GRANT ${rights} ON TABLES TO ${role}`,
  );
}

/** Closes a database created here to everybody else; a given one may have other users. */
async function closeDatabase(client: Client, database: string, ownDatabase: boolean): Promise<void> {
  await client.query('REVOKE CREATE ON SCHEMA public FROM PUBLIC');
  if (ownDatabase) await client.query(`REVOKE CONNECT ON DATABASE ${quoteIdentifier(database)} FROM PUBLIC`);
}

/**
 * Creates the database, and for each service a role with its own schema, in which only it and its {@link
 * runningRoleName} may read or write. It may be repeated, and run by several processes simultaneously; a repeated run
 * resets the passwords.
 * @throws StackFailure `database_unreachable`, `admin_may_not_create_roles`, `admin_may_not_create_databases`,
 * `admin_may_not_create_schemas`
 */
export async function provisionDatabase(options: ProvisionOptions): Promise<ServiceUrls> {
  const { adminUrl, passwords } = options;
  const database = options.database ?? databaseOf(adminUrl);
  if (options.database !== undefined) {
    await withAdvisoryLock(adminUrl, 'create database', (client) => createDatabase(client, database));
  }
  const databaseUrl = withDatabase(adminUrl, database);
  await withAdvisoryLock(databaseUrl, 'provision', async (client) => {
    const rights = await requireRights(client, false);
    await closeDatabase(client, database, options.database !== undefined);
    for (const service of DATABASE_SERVICES) {
      const role = roleName(database, service);
      for (const name of [role, runningRoleName(role)]) {
        await ensureRole(client, name, passwords[service]);
        await client.query(`GRANT CONNECT ON DATABASE ${quoteIdentifier(database)} TO ${quoteIdentifier(name)}`);
      }
      await asMember(client, role, rights, async () => {
        await ensureSchema(client, service, role);
        await ensureRunningRole(client, service, role);
      });
    }
  });
  const urls = DATABASE_SERVICES.map((service) => [
    service,
    withUser(databaseUrl, roleName(database, service), passwords[service]),
  ]);
  return Object.fromEntries(urls) as ServiceUrls;
}
