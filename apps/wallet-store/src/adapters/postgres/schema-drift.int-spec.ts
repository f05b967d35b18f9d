import { AUDIT_TABLE, findDriftAfterMigrations, MIGRATIONS_TABLE, type DriftException } from '@vestibule/dev-stack';
import { runMigrations } from '@vestibule/persistence';
import { createLogger } from '@vestibule/process';
import { WALLET_STORE_DATABASE } from './database';

jest.setTimeout(180_000);

const securedByTenant = (table: string): readonly DriftException[] => [
  { fact: `${table}: row security`, migrations: 'forced', reason: 'an EntitySchema knows no row-level security' },
  {
    fact: `${table}: policy of_tenant`,
    migrations:
      "permissive * {0} USING (tenant_id = (NULLIF(current_setting('vestibule.tenant'::text, true), ''::text))::uuid)",
    reason: 'an EntitySchema knows no policies',
  },
];

const EXCEPTIONS: readonly DriftException[] = [
  ...AUDIT_TABLE,
  ...MIGRATIONS_TABLE,
  ...[
    'entity',
    'wallet',
    'credential',
    'presentation',
    'claims_schema',
    'published_schema',
    'status_list',
    'status_entry',
  ].flatMap(securedByTenant),
];

it('migrations and entities say the same of every table', async () => {
  const { schema, entities } = WALLET_STORE_DATABASE;
  const logger = createLogger({ name: 'test', level: 'silent' });
  const drift = await findDriftAfterMigrations({
    schema,
    entities,
    exceptions: EXCEPTIONS,
    migrate: ({ wallet_store: url }) =>
      runMigrations({ ...WALLET_STORE_DATABASE, url, applicationName: 'test', logger }),
  });
  expect(drift).toEqual([]);
});
