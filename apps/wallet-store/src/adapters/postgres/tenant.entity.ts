import { EntitySchema } from 'typeorm';

/** A tenant: it has API keys and owns everything else. */
export interface TenantRow {
  id: string;
  name: string;
  createdAt: Date;
}

/** The table of tenants. */
export const TenantEntity = new EntitySchema<TenantRow>({
  name: 'Tenant',
  tableName: 'tenant',
  columns: {
    id: { type: 'uuid', primary: true, primaryKeyConstraintName: 'tenant_pkey', default: () => 'gen_random_uuid()' },
    name: { type: 'text' },
    createdAt: { name: 'created_at', type: 'timestamptz', default: () => 'now()' },
  },
  uniques: [{ name: 'tenant_name_key', columns: ['name'] }],
});

/** The foreign key from a table's column `tenant_id` to its tenant. */
export const toTenant = (table: string) => ({
  name: `${table}_tenant_id_fkey`,
  target: 'Tenant',
  columnNames: ['tenantId'],
  referencedColumnNames: ['id'],
});
