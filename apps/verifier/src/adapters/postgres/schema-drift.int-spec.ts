import {
  AUDIT_TABLE,
  findDriftAfterMigrations,
  MIGRATIONS_TABLE,
  OUTBOX_TABLE,
  type DriftException,
} from '@vestibule/dev-stack';
import { runMigrations } from '@vestibule/persistence';
import { createLogger } from '@vestibule/process';
import { VERIFIER_DATABASE } from './database';

jest.setTimeout(180_000);

const EXCEPTIONS: readonly DriftException[] = [...AUDIT_TABLE, ...MIGRATIONS_TABLE, ...OUTBOX_TABLE];

it('migrations and entities say the same of every table', async () => {
  const { schema, entities } = VERIFIER_DATABASE;
  const logger = createLogger({ name: 'test', level: 'silent' });
  const drift = await findDriftAfterMigrations({
    schema,
    entities,
    exceptions: EXCEPTIONS,
    migrate: ({ verifier: url }) => runMigrations({ ...VERIFIER_DATABASE, url, applicationName: 'test', logger }),
  });
  expect(drift).toEqual([]);
});
