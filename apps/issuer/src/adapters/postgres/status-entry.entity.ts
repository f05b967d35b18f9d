import { EntitySchema } from 'typeorm';

/** An index of a status list that has been assigned; `offerId` is removed when the credential has expired. */
export interface StatusEntryRow {
  listNumber: number;
  idx: number;
  status: number;
  offerId: Buffer | null;
  expiresAt: Date;
  isIssued: boolean;
}

/**
 * The entries of the status lists. Reserving them is hot and one statement; the other statements are in SQL beside it.
 */
export const StatusEntryEntity = new EntitySchema<StatusEntryRow>({
  name: 'StatusEntry',
  tableName: 'status_entry',
  columns: {
    listNumber: {
      name: 'list_number',
      type: 'integer',
      primary: true,
      primaryKeyConstraintName: 'status_entry_pkey',
    },
    idx: { type: 'integer', primary: true, primaryKeyConstraintName: 'status_entry_pkey' },
    status: { type: 'smallint', default: () => '0' },
    offerId: { name: 'offer_id', type: 'bytea', nullable: true },
    expiresAt: { name: 'expires_at', type: 'timestamptz' },
    isIssued: { name: 'is_issued', type: 'boolean', default: true },
  },
  indices: [
    { name: 'status_entry_offer', columns: ['offerId'], where: 'offer_id IS NOT NULL' },
    { name: 'status_entry_expiry', columns: ['listNumber', 'expiresAt'], where: 'offer_id IS NOT NULL' },
    { name: 'status_entry_changed', columns: ['listNumber', 'idx', 'status'], where: 'status <> 0' },
  ],
  checks: [
    { name: 'status_entry_idx_check', expression: 'idx >= 0' },
    { name: 'status_entry_status_check', expression: 'status IN (0, 1, 2)' },
    { name: 'status_entry_offer_id_check', expression: 'octet_length(offer_id) = 24' },
  ],
});
