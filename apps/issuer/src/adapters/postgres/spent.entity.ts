import { EntitySchema } from 'typeorm';

/** A used nonce or proof, as a digest. */
export interface SpentRow {
  kind: string;
  digest: Buffer;
  expiresAt: Date;
}

/** Values that may be used only once, which a single SQL statement enforces. */
export const SpentEntity = new EntitySchema<SpentRow>({
  name: 'Spent',
  tableName: 'spent',
  columns: {
    kind: { type: 'text', primary: true, primaryKeyConstraintName: 'spent_pkey' },
    digest: { type: 'bytea', primary: true, primaryKeyConstraintName: 'spent_pkey' },
    expiresAt: { name: 'expires_at', type: 'timestamptz' },
  },
  indices: [{ name: 'spent_expiry', columns: ['expiresAt'] }],
  checks: [{ name: 'spent_kind_check', expression: "kind IN ('c_nonce', 'dpop_proof', 'attestation_proof')" }],
});
