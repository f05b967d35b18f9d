import { EntitySchema } from 'typeorm';
import { toTenant } from './tenant.entity';

/** An API key, stored as a digest only. */
export interface ApiKeyRow {
  keyDigest: Buffer;
  tenantId: string;
  createdAt: Date;
  revokedAt: Date | null;
}

/** The table that assigns API keys, and so requests, to tenants. */
export const ApiKeyEntity = new EntitySchema<ApiKeyRow>({
  name: 'ApiKey',
  tableName: 'api_key',
  columns: {
    keyDigest: { name: 'key_digest', type: 'bytea', primary: true, primaryKeyConstraintName: 'api_key_pkey' },
    tenantId: { name: 'tenant_id', type: 'uuid' },
    createdAt: { name: 'created_at', type: 'timestamptz', default: () => 'now()' },
    revokedAt: { name: 'revoked_at', type: 'timestamptz', nullable: true },
  },
  foreignKeys: [toTenant('api_key')],
  checks: [{ name: 'api_key_key_digest_check', expression: 'octet_length(key_digest) = 32' }],
});
