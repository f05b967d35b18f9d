import {
  AUDIT_TABLE,
  findDriftAfterMigrations,
  identity,
  MIGRATIONS_TABLE,
  OUTBOX_TABLE,
  rowDomain,
  storageOptions,
  type DriftException,
} from '@vestibule/dev-stack';
import { runMigrations } from '@vestibule/persistence';
import { createLogger } from '@vestibule/process';
import { ISSUER_DATABASE } from './database';

jest.setTimeout(180_000);

const EXCEPTIONS: readonly DriftException[] = [
  ...AUDIT_TABLE,
  ...MIGRATIONS_TABLE,
  ...OUTBOX_TABLE,
  storageOptions('kept_answer', 'toast_tuple_target=8160'),
  identity('status_list.list_number'),
  ...rowDomain('credential_offer'),
  {
    fact: 'kept_answer.sealed: storage',
    migrations: 'external',
    reason:
      'an EntitySchema knows no storage of a column; sealed bytes are random, and compressing them is work for nothing',
  },
  {
    fact: 'status_list: index status_list_open',
    migrations:
      "CREATE UNIQUE INDEX status_list_open ON status_list USING btree (COALESCE(certificate, '\\x'::bytea), issuer) WHERE (closed_at IS NULL)",
    reason: 'the indexes of an EntitySchema are over columns, and this one is over an expression',
  },
];

it('migrations and entities say the same of every table', async () => {
  const { schema, entities } = ISSUER_DATABASE;
  const logger = createLogger({ name: 'test', level: 'silent' });
  const drift = await findDriftAfterMigrations({
    schema,
    entities,
    exceptions: EXCEPTIONS,
    migrate: ({ issuer: url }) => runMigrations({ ...ISSUER_DATABASE, url, applicationName: 'test', logger }),
  });
  expect(drift).toEqual([]);
});
