import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Stack } from '@vestibule/dev-stack';
import type { Pool } from 'pg';

/** The most that Postgres can log of a session: every statement, its parameters, and the rows that errors quote. */
const SETTINGS = [
  ['log_statement', 'all'],
  ['log_min_error_statement', 'debug5'],
  ['log_parameter_max_length', '-1'],
  ['log_parameter_max_length_on_error', '-1'],
  ['log_error_verbosity', 'verbose'],
] as const;

/** Does the log contain parameters of statements? */
export const hasLoggedParameters = (logFile: string): boolean => readFileSync(logFile).includes('Parameters: $1 = ');

const READY_MILLISECONDS = 30_000;

/**
 * Lets Postgres log everything that services do, as no installation should: from here on, its log contains whatever a service
 * sends to it unsealed. The sessions of the services begin again.
 */
export async function logEverything(pool: Pool, { managementUrl }: Pick<Stack, 'managementUrl'>): Promise<void> {
  const { rows } = await pool.query<{ role: string }>(
    'SELECT quote_ident(rolname) AS role FROM pg_roles WHERE rolcanlogin AND NOT rolsuper',
  );
  for (const { role } of rows)
    for (const [name, value] of SETTINGS) await pool.query(`ALTER ROLE ${role} SET ${name} = '${value}'`);
  await pool.query(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity JOIN pg_roles ON rolname = usename
     WHERE datname = current_database() AND NOT rolsuper`,
  );
  const deadline = performance.now() + READY_MILLISECONDS;
  while ((await fetch(`${managementUrl}/health/ready`)).status !== 200) {
    if (performance.now() > deadline) throw new Error('the services do not get a new session');
    await sleep(100);
  }
}
