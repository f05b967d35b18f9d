import { EntitySchema } from 'typeorm';

/** A credential offer; `session`, `transactionKeys` and `walletStatus` are sealed. */
export interface CredentialOfferRow {
  offerId: Buffer;
  configurationId: string;
  status: string;
  session: Buffer | null;
  codeDigest: Buffer | null;
  txCodeDigest: Buffer | null;
  txCodeAttempts: number;
  redeemedAt: Date | null;
  createdAt: Date;
  expiresAt: Date;
  finishedAt: Date | null;
  callbackUrl: string | null;
  deferral: string | null;
  transactionDigest: Buffer | null;
  transactionKeys: Buffer | null;
  notificationEvent: string | null;
  notifiedAt: Date | null;
  shortenedTo: Date | null;
  handedOverAt: Date | null;
  repeatedAt: Date | null;
  acceptedAt: Date | null;
  /** When a gateway reported that a wallet came and could not be served. */
  unservedAt: Date | null;
  unsignedAt: Date | null;
  walletStatus: Buffer | null;
}

/** In the database, these are checks of the domain `credential_offer_row`, which costs less (see its migration). */
const CHECKS = {
  credential_offer_offer_id_check: 'octet_length(offer_id) = 24',
  credential_offer_status_check: "status IN ('OFFER_CREATED', 'ISSUED', 'FAILED', 'EXPIRED')",
  credential_offer_deferral_check: "deferral IN ('waiting', 'ready')",
  credential_offer_transaction_digest_check: 'octet_length(transaction_digest) = 32',
  credential_offer_notification_event_check:
    "notification_event IN ('credential_accepted', 'credential_failure', 'credential_deleted')",
  open_has_session: `CASE status
    WHEN 'OFFER_CREATED' THEN session IS NOT NULL WHEN 'ISSUED' THEN true ELSE session IS NULL END`,
  open_has_code: "(status = 'OFFER_CREATED') = (code_digest IS NOT NULL)",
  ended_has_no_tx_code: "status = 'OFFER_CREATED' OR tx_code_digest IS NULL",
  ended_has_time: "(status = 'OFFER_CREATED') = (finished_at IS NULL)",
  ended_has_no_keys: "status = 'OFFER_CREATED' OR transaction_keys IS NULL",
  only_deferred_has_transaction: 'deferral IS NOT NULL OR transaction_digest IS NULL',
  notified_has_time: '(notification_event IS NULL) = (notified_at IS NULL)',
};

/** The table of the issuer's flow. It is hot: the stores beside it read and write it in SQL. */
export const CredentialOfferEntity = new EntitySchema<CredentialOfferRow>({
  name: 'CredentialOffer',
  tableName: 'credential_offer',
  columns: {
    offerId: { name: 'offer_id', type: 'bytea', primary: true, primaryKeyConstraintName: 'credential_offer_pkey' },
    configurationId: { name: 'configuration_id', type: 'text' },
    status: { type: 'text', default: 'OFFER_CREATED' },
    session: { type: 'bytea', nullable: true },
    codeDigest: { name: 'code_digest', type: 'bytea', nullable: true },
    txCodeDigest: { name: 'tx_code_digest', type: 'bytea', nullable: true },
    txCodeAttempts: { name: 'tx_code_attempts', type: 'smallint', default: () => '0' },
    redeemedAt: { name: 'redeemed_at', type: 'timestamptz', nullable: true },
    createdAt: { name: 'created_at', type: 'timestamptz' },
    expiresAt: { name: 'expires_at', type: 'timestamptz' },
    finishedAt: { name: 'finished_at', type: 'timestamptz', nullable: true },
    callbackUrl: { name: 'callback_url', type: 'text', nullable: true },
    deferral: { type: 'text', nullable: true },
    transactionDigest: { name: 'transaction_digest', type: 'bytea', nullable: true },
    transactionKeys: { name: 'transaction_keys', type: 'bytea', nullable: true },
    notificationEvent: { name: 'notification_event', type: 'text', nullable: true },
    notifiedAt: { name: 'notified_at', type: 'timestamptz', nullable: true },
    shortenedTo: { name: 'shortened_to', type: 'timestamptz', nullable: true },
    handedOverAt: { name: 'handed_over_at', type: 'timestamptz', nullable: true },
    repeatedAt: { name: 'repeated_at', type: 'timestamptz', nullable: true },
    acceptedAt: { name: 'accepted_at', type: 'timestamptz', nullable: true },
    unsignedAt: { name: 'unsigned_at', type: 'timestamptz', nullable: true },
    unservedAt: { name: 'unserved_at', type: 'timestamptz', nullable: true },
    walletStatus: { name: 'wallet_status', type: 'bytea', nullable: true },
  },
  indices: [
    { name: 'credential_offer_code', columns: ['codeDigest'], unique: true, where: 'code_digest IS NOT NULL' },
    { name: 'credential_offer_open', columns: ['expiresAt'], where: "status = 'OFFER_CREATED'" },
    { name: 'credential_offer_ended', columns: ['finishedAt'], where: 'finished_at IS NOT NULL' },
    { name: 'credential_offer_kept', columns: ['expiresAt'], where: "status = 'ISSUED' AND session IS NOT NULL" },
  ],
  checks: Object.entries(CHECKS).map(([name, expression]) => ({ name, expression })),
});
