import { CALLBACK_PLAIN_COLUMNS, callbackSealedColumns } from '@vestibule/callbacks';
import { encodeBase64url } from '@vestibule/foundation';
import {
  AUDIT_PLAIN_COLUMNS,
  IDEMPOTENCY_PLAIN_COLUMNS,
  idempotencySealedColumn,
  sealedColumn,
  type SealedRegistry,
} from '@vestibule/persistence';
import { SCHEMA } from './migrations';
import { sealContext } from './presentation-request.store';

const requestColumn = (column: 'session' | 'answer') =>
  sealedColumn<{ state: Buffer }>({
    table: 'presentation_request',
    column,
    key: ['state'],
    contextOf: ({ state }) => sealContext(column, encodeBase64url(state)),
  });

/** What is sealed in the verifier's schema. */
export const SEALED: SealedRegistry = {
  schema: SCHEMA,
  sealed: [
    requestColumn('session'),
    requestColumn('answer'),
    idempotencySealedColumn(SCHEMA),
    ...callbackSealedColumns(SCHEMA),
  ],
  plain: [
    'presentation_request.state',
    'presentation_request.response_digest',
    ...IDEMPOTENCY_PLAIN_COLUMNS,
    ...AUDIT_PLAIN_COLUMNS,
    ...CALLBACK_PLAIN_COLUMNS,
  ],
};
