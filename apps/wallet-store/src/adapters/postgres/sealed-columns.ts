import {
  AUDIT_PLAIN_COLUMNS,
  IDEMPOTENCY_PLAIN_COLUMNS,
  idempotencySealedColumn,
  sealedColumn,
  type RowScope,
  type SealedColumn,
  type SealedRegistry,
} from '@vestibule/persistence';
import type { ContentKind } from '../../domain/content';
import { bodyContext, sourceContext } from './content-row';
import { SCHEMA } from './migrations';
import { keyContext } from './wallet.store';

/** Row-level security shows the rows of one tenant at a time. */
const scope: RowScope = {
  setting: 'vestibule.tenant',
  valuesSql: 'SELECT id::text AS value FROM wallet_store.tenant',
};

const privateKeyOf = (table: 'entity' | 'wallet'): SealedColumn =>
  sealedColumn<{ did: string }>({
    table,
    column: 'private_key',
    key: ['did'],
    scope,
    contextOf: ({ did }) => keyContext(table, did),
  });

const bodyOf = (table: ContentKind): SealedColumn =>
  sealedColumn<{ wallet_did: string; did: string; revision: number }>({
    table,
    column: 'body',
    key: ['wallet_did', 'did', 'revision'],
    scope,
    contextOf: ({ wallet_did: walletDid, did, revision }) => bodyContext(table, { walletDid, did, revision }),
  });

const sourceOf = (table: ContentKind): SealedColumn =>
  sealedColumn<{ wallet_did: string; did: string; revision: number }>({
    table,
    column: 'source',
    key: ['wallet_did', 'did', 'revision'],
    scope,
    contextOf: ({ wallet_did: walletDid, did, revision }) => sourceContext(table, { walletDid, did, revision }),
  });

/** What is sealed in the wallet store's schema. */
export const SEALED: SealedRegistry = {
  schema: SCHEMA,
  sealed: [
    privateKeyOf('entity'),
    privateKeyOf('wallet'),
    bodyOf('credential'),
    bodyOf('presentation'),
    sourceOf('credential'),
    sourceOf('presentation'),
    idempotencySealedColumn(SCHEMA),
  ],
  plain: [
    'api_key.key_digest',
    'status_list.list_id',
    'status_entry.list_id',
    ...IDEMPOTENCY_PLAIN_COLUMNS,
    ...AUDIT_PLAIN_COLUMNS,
  ],
};
