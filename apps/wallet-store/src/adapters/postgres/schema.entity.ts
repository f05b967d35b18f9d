import type { MetaSchema } from '@vestibule/claims-schema';
import type { JsonObject } from '@vestibule/foundation';
import { EntitySchema } from 'typeorm';
import { toEntity } from './key-owner.entity';
import { toTenant } from './tenant.entity';

/** A claims schema; slug and version are its name once it is published, and the planned name until then. */
export interface ClaimsSchemaRow {
  id: string;
  tenantId: string;
  revision: number;
  definition: MetaSchema;
  slug: string;
  version: number;
  published: boolean;
  labels: Record<string, string>;
  annotations: Record<string, string>;
  createdAt: Date;
  updatedAt: Date;
}

/** A published schema and the document that its owner signed. */
export interface PublishedSchemaRow {
  tenantId: string;
  slug: string;
  version: number;
  id: string;
  definition: MetaSchema;
  document: JsonObject;
  ownerDid: string;
  labels: Record<string, string>;
  annotations: Record<string, string>;
  createdAt: Date;
}

/** The table of claims schemas. */
export const ClaimsSchemaEntity = new EntitySchema<ClaimsSchemaRow>({
  name: 'ClaimsSchema',
  tableName: 'claims_schema',
  columns: {
    id: { type: 'text', primary: true, primaryKeyConstraintName: 'claims_schema_pkey' },
    tenantId: { name: 'tenant_id', type: 'uuid' },
    revision: { type: 'integer' },
    definition: { type: 'json' },
    slug: { type: 'text', default: '' },
    version: { type: 'integer', default: 0 },
    published: { type: 'boolean', default: false },
    labels: { type: 'jsonb' },
    annotations: { type: 'jsonb' },
    createdAt: { name: 'created_at', type: 'timestamptz', precision: 3 },
    updatedAt: { name: 'updated_at', type: 'timestamptz', precision: 3 },
  },
  foreignKeys: [toTenant('claims_schema')],
  uniques: [{ name: 'claims_schema_id_tenant_id_key', columns: ['id', 'tenantId'] }],
  indices: [{ name: 'claims_schema_list', columns: ['tenantId', 'createdAt', 'id'] }],
  checks: [{ name: 'claims_schema_revision_check', expression: 'revision >= 1' }],
});

const key = { primary: true, primaryKeyConstraintName: 'published_schema_pkey' };

/** The table of published schemas. */
export const PublishedSchemaEntity = new EntitySchema<PublishedSchemaRow>({
  name: 'PublishedSchema',
  tableName: 'published_schema',
  columns: {
    tenantId: { name: 'tenant_id', type: 'uuid', ...key },
    slug: { type: 'text', ...key },
    version: { type: 'integer', ...key },
    id: { type: 'text' },
    definition: { type: 'json' },
    document: { type: 'json' },
    ownerDid: { name: 'owner_did', type: 'text' },
    labels: { type: 'jsonb' },
    annotations: { type: 'jsonb' },
    createdAt: { name: 'created_at', type: 'timestamptz', precision: 3 },
  },
  foreignKeys: [
    toTenant('published_schema'),
    toEntity('published_schema', 'owner_did'),
    {
      name: 'published_schema_id_fkey',
      target: 'ClaimsSchema',
      columnNames: ['id', 'tenantId'],
      referencedColumnNames: ['id', 'tenantId'],
    },
  ],
  uniques: [{ name: 'published_schema_id_key', columns: ['id'] }],
  indices: [{ name: 'published_schema_list', columns: ['tenantId', 'createdAt', 'id'] }],
  checks: [{ name: 'published_schema_version_check', expression: 'version >= 1' }],
});
