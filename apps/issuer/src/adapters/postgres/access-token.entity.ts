import { EntitySchema } from 'typeorm';

/** An access token, stored as a digest only. */
export interface AccessTokenRow {
  tokenDigest: Buffer;
  offerId: Buffer;
  /** RFC 7638 thumbprint of the DPoP key that it is bound to. */
  thumbprint: string;
  granted: unknown;
  expiresAt: Date;
  clientId: string | null;
  /** Digest of the code that it was issued for. */
  codeDigest: Buffer | null;
  /** Digest of the transaction code that was sent with that code. */
  txCodeDigest: Buffer | null;
}

/** Access tokens. They are hot: the stores beside this file read and write them in SQL. */
export const AccessTokenEntity = new EntitySchema<AccessTokenRow>({
  name: 'AccessToken',
  tableName: 'access_token',
  columns: {
    tokenDigest: { name: 'token_digest', type: 'bytea', primary: true, primaryKeyConstraintName: 'access_token_pkey' },
    offerId: { name: 'offer_id', type: 'bytea' },
    thumbprint: { type: 'text' },
    granted: { type: 'jsonb' },
    expiresAt: { name: 'expires_at', type: 'timestamptz' },
    clientId: { name: 'client_id', type: 'text', nullable: true },
    codeDigest: { name: 'code_digest', type: 'bytea', nullable: true },
    txCodeDigest: { name: 'tx_code_digest', type: 'bytea', nullable: true },
  },
  foreignKeys: [
    {
      name: 'access_token_offer_id_fkey',
      target: 'CredentialOffer',
      columnNames: ['offerId'],
      referencedColumnNames: ['offerId'],
      onDelete: 'CASCADE',
    },
  ],
  indices: [
    { name: 'access_token_offer', columns: ['offerId'] },
    { name: 'access_token_expiry', columns: ['expiresAt'] },
    { name: 'access_token_code', columns: ['codeDigest'], unique: true, where: 'code_digest IS NOT NULL' },
  ],
  checks: [
    { name: 'access_token_token_digest_check', expression: 'octet_length(token_digest) = 32' },
    { name: 'access_token_code_digest_check', expression: 'octet_length(code_digest) = 32' },
    { name: 'access_token_tx_code_digest_check', expression: 'octet_length(tx_code_digest) = 32' },
  ],
});
