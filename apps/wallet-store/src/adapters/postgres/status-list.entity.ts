import type { StatusPurpose } from '@vestibule/vcdm';
import { EntitySchema } from 'typeorm';
import { toEntity } from './key-owner.entity';
import { toTenant } from './tenant.entity';

/** A status list and the credential in which it was published last. */
export interface StatusListRow {
  listId: Buffer;
  tenantId: string;
  entityDid: string;
  purpose: StatusPurpose;
  size: number;
  /** A bigint, as the driver returns it; so is `publishedVersion`. */
  version: string;
  document: string | null;
  etag: string | null;
  publishedVersion: string | null;
  publishedAt: Date | null;
  closedAt: Date | null;
}

/** An index of a list that belongs to a credential. */
export interface StatusEntryRow {
  listId: Buffer;
  idx: number;
  tenantId: string;
  purpose: StatusPurpose;
  credentialDid: string;
  isSet: boolean;
}

const PURPOSE = `purpose IN ('revocation', 'suspension')`;

/** The table of status lists. */
export const StatusListEntity = new EntitySchema<StatusListRow>({
  name: 'StatusList',
  tableName: 'status_list',
  columns: {
    listId: { name: 'list_id', type: 'bytea', primary: true, primaryKeyConstraintName: 'status_list_pkey' },
    tenantId: { name: 'tenant_id', type: 'uuid' },
    entityDid: { name: 'entity_did', type: 'text' },
    purpose: { type: 'text' },
    size: { type: 'integer' },
    version: { type: 'bigint', default: () => '0' },
    document: { type: 'text', nullable: true },
    etag: { type: 'text', nullable: true },
    publishedVersion: { name: 'published_version', type: 'bigint', nullable: true },
    publishedAt: { name: 'published_at', type: 'timestamptz', nullable: true },
    closedAt: { name: 'closed_at', type: 'timestamptz', nullable: true },
  },
  foreignKeys: [toTenant('status_list'), toEntity('status_list', 'entity_did')],
  indices: [{ name: 'status_list_open', columns: ['entityDid', 'purpose'], unique: true, where: 'closed_at IS NULL' }],
  checks: [
    { name: 'status_list_list_id_check', expression: 'octet_length(list_id) = 16' },
    { name: 'status_list_purpose_check', expression: PURPOSE },
    { name: 'status_list_size_check', expression: 'size >= 131072 AND size % 8 = 0' },
    {
      name: 'status_list_published_whole',
      expression: 'num_nonnulls(document, etag, published_version, published_at) IN (0, 4)',
    },
  ],
});

const key = { primary: true, primaryKeyConstraintName: 'status_entry_pkey' };

/** The table of their entries. */
export const StatusEntryEntity = new EntitySchema<StatusEntryRow>({
  name: 'StatusEntry',
  tableName: 'status_entry',
  columns: {
    listId: { name: 'list_id', type: 'bytea', ...key },
    idx: { type: 'integer', ...key },
    tenantId: { name: 'tenant_id', type: 'uuid' },
    purpose: { type: 'text' },
    credentialDid: { name: 'credential_did', type: 'text' },
    isSet: { name: 'is_set', type: 'boolean', default: false },
  },
  foreignKeys: [toTenant('status_entry')],
  uniques: [{ name: 'status_entry_credential', columns: ['tenantId', 'credentialDid', 'purpose'] }],
  indices: [{ name: 'status_entry_set', columns: ['listId', 'idx'], where: 'is_set' }],
  checks: [
    { name: 'status_entry_idx_check', expression: 'idx >= 0' },
    { name: 'status_entry_purpose_check', expression: PURPOSE },
  ],
});
