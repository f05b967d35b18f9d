import { Client } from 'pg';
import { StackFailure } from './stack-failure';

/** The same server and user, another database. */
export function withDatabase(url: string, database: string): string {
  const changed = new URL(url);
  changed.pathname = `/${encodeURIComponent(database)}`;
  return changed.href;
}

/** The same server and database, another user. */
export function withUser(url: string, user: string, password: string): string {
  const changed = new URL(url);
  changed.username = encodeURIComponent(user);
  changed.password = encodeURIComponent(password);
  return changed.href;
}

/** The database that a postgres:// URL names; the one of the user's name when it names none, as libpq has it. */
export function databaseOf(url: string): string {
  const parsed = new URL(url);
  return decodeURIComponent(parsed.pathname.slice(1)) || decodeURIComponent(parsed.username) || 'postgres';
}

async function open(url: string): Promise<Client> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 10_000 });
  // Without a listener, a connection that breaks while idle would end the process; the next query reports it.
  client.on('error', () => undefined);
  try {
    await client.connect();
    return client;
  } catch (error) {
    const { host } = new URL(url);
    const reason = (error as { code?: string }).code ?? 'no answer';
    throw new StackFailure('database_unreachable', `no connection to Postgres at ${host} (${reason})`, error);
  }
}

/**
 * Opens one connection for `work` and closes it, whatever happens.
 * @throws StackFailure `database_unreachable`
 */
export async function withConnection<T>(url: string, work: (client: Client) => Promise<T>): Promise<T> {
  const client = await open(url);
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** Runs `work` while no other process holds the lock of that name in the database. It ends with the connection. */
export function withAdvisoryLock<T>(url: string, name: string, work: (client: Client) => Promise<T>): Promise<T> {
  return withConnection(url, async (client) => {
    await client.query('SELECT pg_advisory_lock(hashtextextended($1, 0))', [`vestibule ${name}`]);
    return work(client);
  });
}
