import { X509Certificate } from 'node:crypto';
import type { Fault } from '@vestibule/foundation';
import { optionalVariable, variable, type Configuration } from './configuration';
import { readConfigurationFile } from './configuration-file';
import { integerSetting, postgresUrlSetting, textSetting } from './settings';

const category = 'Postgres';

/** How a service connects to Postgres. */
export const databaseVariables = {
  databaseUrl: variable('DATABASE_URL', postgresUrlSetting(), {
    category,
    description:
      'Postgres connection URL with the role that the service works as. `?sslmode=verify-full` requires TLS with a certificate for the host in the URL; the only other mode is `disable`, which is the default',
    secret: true,
  }),
  migrationDatabaseUrl: optionalVariable('MIGRATION_DATABASE_URL', postgresUrlSetting(), {
    category,
    description:
      'The same with the role that owns the schema of this service, for migrations. If not set, migrations use `DATABASE_URL`',
    secret: true,
  }),
  databaseCaFile: optionalVariable('DATABASE_CA_FILE', textSetting(), {
    category,
    description:
      'PEM file with the certification authorities of Postgres, for `sslmode=verify-full` only. If not set, the public ones are trusted',
  }),
  migrationStatementSeconds: variable('MIGRATION_STATEMENT_SECONDS', integerSetting(60, 604_800), {
    category,
    description:
      'How long one statement of a migration may go without an answer, in seconds. Then the connection is given up, and the start fails',
    default: '21600',
  }),
  databasePoolSize: variable('DATABASE_POOL_SIZE', integerSetting(1, 200), {
    category,
    description: 'Maximum number of Postgres connections of this process',
    default: '10',
  }),
};

type DatabaseConfiguration = Pick<
  Configuration<typeof databaseVariables>,
  'databaseUrl' | 'migrationDatabaseUrl' | 'databaseCaFile'
>;

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/** Does this Postgres URL require TLS, with a certificate for its host? */
export const demandsVerifiedTls = (url: string): boolean => new URL(url).searchParams.get('sslmode') === 'verify-full';

/** The content of `DATABASE_CA_FILE`. Throws an Error whose message says why the file has no usable certificate. */
export function readDatabaseAuthorities(file: string): string {
  const text = readConfigurationFile(file, (reason) => new Error(reason)).toString('utf8');
  const certificates = text.match(CERTIFICATE) ?? [];
  if (certificates.length === 0) throw new Error('holds no certificate in PEM');
  for (const certificate of certificates) {
    try {
      new X509Certificate(certificate);
    } catch {
      throw new Error('holds a certificate that cannot be read');
    }
  }
  return text;
}

/** Faults of the Postgres variables in combination, and of the file. */
export function databaseFaults({ databaseUrl, migrationDatabaseUrl, databaseCaFile }: DatabaseConfiguration): Fault[] {
  if (databaseCaFile === undefined) return [];
  const path = 'DATABASE_CA_FILE';
  if (![databaseUrl, migrationDatabaseUrl ?? databaseUrl].every(demandsVerifiedTls))
    return [{ path, message: 'has no effect without sslmode=verify-full in each URL of Postgres' }];
  try {
    readDatabaseAuthorities(databaseCaFile);
    return [];
  } catch (error) {
    return [{ path, message: error instanceof Error ? error.message : 'cannot be read' }];
  }
}
