import { EntitySchema } from 'typeorm';

/** A status list and its last published token. */
export interface StatusListRow {
  listNumber: number;
  listId: Buffer;
  size: number;
  /** A bigint, as the driver returns it; so is `publishedVersion`. */
  version: string;
  token: string | null;
  etag: string | null;
  publishedVersion: string | null;
  publishedAt: Date | null;
  closedAt: Date | null;
  certificate: Buffer | null;
  x5c: string[] | null;
  signedWith: Buffer | null;
  /** The name of the issuer identifier that it is published below; empty for that of the installation. */
  issuer: string;
}

/** Status lists. Reserving an entry is hot and one statement; the other statements are in SQL beside it. */
export const StatusListEntity = new EntitySchema<StatusListRow>({
  name: 'StatusList',
  tableName: 'status_list',
  columns: {
    listNumber: {
      name: 'list_number',
      type: 'integer',
      primary: true,
      primaryKeyConstraintName: 'status_list_pkey',
      insert: false,
      update: false,
    },
    listId: { name: 'list_id', type: 'bytea' },
    size: { type: 'integer' },
    version: { type: 'bigint', default: () => '0' },
    token: { type: 'text', nullable: true },
    etag: { type: 'text', nullable: true },
    publishedVersion: { name: 'published_version', type: 'bigint', nullable: true },
    publishedAt: { name: 'published_at', type: 'timestamptz', nullable: true },
    closedAt: { name: 'closed_at', type: 'timestamptz', nullable: true },
    certificate: { type: 'bytea', nullable: true },
    x5c: { type: 'text', array: true, nullable: true },
    signedWith: { name: 'signed_with', type: 'bytea', nullable: true },
    issuer: { type: 'text', default: '' },
  },
  uniques: [{ name: 'status_list_list_id_key', columns: ['listId'] }],
  checks: [
    { name: 'status_list_list_id_check', expression: 'octet_length(list_id) = 16' },
    { name: 'status_list_size_check', expression: 'size > 0 AND size % 8 = 0' },
    { name: 'published_whole', expression: 'num_nonnulls(token, etag, published_version, published_at) IN (0, 4)' },
    { name: 'status_list_certificate_check', expression: 'octet_length(certificate) = 32' },
    { name: 'status_list_signed_with_check', expression: 'octet_length(signed_with) = 32' },
    { name: 'owner_whole', expression: '(certificate IS NULL) = (x5c IS NULL)' },
  ],
});
