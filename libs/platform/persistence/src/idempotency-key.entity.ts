import { EntitySchema } from 'typeorm';

/** A remembered call: digests, and the sealed answer. */
export interface IdempotencyKeyRow {
  keyDigest: Buffer;
  inputDigest: Buffer;
  answer: Buffer;
  expiresAt: Date;
}

/** The table of remembered calls, in the schema of each service that uses it. */
export const IdempotencyKeyEntity = new EntitySchema<IdempotencyKeyRow>({
  name: 'IdempotencyKey',
  tableName: 'idempotency_key',
  columns: {
    keyDigest: { name: 'key_digest', type: 'bytea', primary: true, primaryKeyConstraintName: 'idempotency_key_pkey' },
    inputDigest: { name: 'input_digest', type: 'bytea' },
    answer: { type: 'bytea' },
    expiresAt: { name: 'expires_at', type: 'timestamptz' },
  },
  indices: [{ name: 'idempotency_key_expiry', columns: ['expiresAt'] }],
});
