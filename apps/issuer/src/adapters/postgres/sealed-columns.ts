import { CALLBACK_PLAIN_COLUMNS, callbackSealedColumns } from '@vestibule/callbacks';
import { encodeBase64url } from '@vestibule/foundation';
import {
  AUDIT_PLAIN_COLUMNS,
  IDEMPOTENCY_PLAIN_COLUMNS,
  idempotencySealedColumn,
  sealedColumn,
  type SealedRegistry,
} from '@vestibule/persistence';
import { transactionContext, walletContext } from './offer-row';
import { sessionContext } from './sealed-offer';
import { SCHEMA } from './migrations';

/** What is sealed in the issuer's schema. */
export const SEALED: SealedRegistry = {
  schema: SCHEMA,
  sealed: [
    sealedColumn<{ offer_id: Buffer }>({
      table: 'credential_offer',
      column: 'session',
      key: ['offer_id'],
      contextOf: ({ offer_id: id }) => sessionContext(encodeBase64url(id)),
    }),
    sealedColumn<{ offer_id: Buffer }>({
      table: 'credential_offer',
      column: 'transaction_keys',
      key: ['offer_id'],
      contextOf: ({ offer_id: id }) => transactionContext(encodeBase64url(id)),
    }),
    sealedColumn<{ offer_id: Buffer }>({
      table: 'credential_offer',
      column: 'wallet_status',
      key: ['offer_id'],
      contextOf: ({ offer_id: id }) => walletContext(encodeBase64url(id)),
    }),
    idempotencySealedColumn(SCHEMA),
    ...callbackSealedColumns(SCHEMA),
  ],
  plain: [
    'credential_offer.offer_id',
    'credential_offer.code_digest',
    'credential_offer.tx_code_digest',
    'credential_offer.transaction_digest',
    'access_token.token_digest',
    'access_token.offer_id',
    'access_token.code_digest',
    'access_token.tx_code_digest',
    'kept_answer.token_digest',
    'kept_answer.request_digest',
    // Not under a sealing key: only the wallet's own secret opens it, so key rotation neither can nor needs to include
    // it.
    'kept_answer.sealed',
    'spent.digest',
    'status_list.list_id',
    'status_list.certificate',
    'status_list.signed_with',
    'status_entry.offer_id',
    ...IDEMPOTENCY_PLAIN_COLUMNS,
    ...AUDIT_PLAIN_COLUMNS,
    ...CALLBACK_PLAIN_COLUMNS,
  ],
};
