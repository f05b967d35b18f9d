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

/** The database in a postgres:// URL; by default the one with the user's name, as in libpq. */
export function databaseOf(url: string): string {
  const parsed = new URL(url);
  return decodeURIComponent(parsed.pathname.slice(1)) || decodeURIComponent(parsed.username) || 'postgres';
}

async function open(url: string): Promise<Client> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 10_000 });
  // Without a listener, a connection that breaks while idle would end the process; the next query reports the error
  // anyway.
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
 * Opens one connection for `work` and always closes it.
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

/**
 * Runs `work` under a named lock in the database, which no two processes hold at the same time. It ends with the
 * connection.
 */
export function withAdvisoryLock<T>(url: string, name: string, work: (client: Client) => Promise<T>): Promise<T> {
  return withConnection(url, async (client) => {
    await client.query('SELECT pg_advisory_lock(hashtextextended($1, 0))', [`vestibule ${name}`]);
    return work(client);
  });
}
