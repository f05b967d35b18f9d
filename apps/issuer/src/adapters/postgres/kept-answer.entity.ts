import { EntitySchema } from 'typeorm';

/** An answer that can be repeated; `sealed` opens only with the wallet's secret. */
export interface KeptAnswerRow {
  tokenDigest: Buffer;
  requestDigest: Buffer;
  sealed: Buffer;
  expiresAt: Date;
}

/** Answers for wallets that may not have received them; deleted with their token. */
export const KeptAnswerEntity = new EntitySchema<KeptAnswerRow>({
  name: 'KeptAnswer',
  tableName: 'kept_answer',
  columns: {
    tokenDigest: { name: 'token_digest', type: 'bytea', primary: true, primaryKeyConstraintName: 'kept_answer_pkey' },
    requestDigest: {
      name: 'request_digest',
      type: 'bytea',
      primary: true,
      primaryKeyConstraintName: 'kept_answer_pkey',
    },
    sealed: { type: 'bytea' },
    expiresAt: { name: 'expires_at', type: 'timestamptz' },
  },
  foreignKeys: [
    {
      name: 'kept_answer_token_digest_fkey',
      target: 'AccessToken',
      columnNames: ['tokenDigest'],
      referencedColumnNames: ['tokenDigest'],
      onDelete: 'CASCADE',
    },
  ],
  indices: [{ name: 'kept_answer_expiry', columns: ['expiresAt'] }],
  checks: [{ name: 'kept_answer_request_digest_check', expression: 'octet_length(request_digest) = 32' }],
});
