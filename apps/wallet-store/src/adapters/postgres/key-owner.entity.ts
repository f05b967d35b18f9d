import { EntitySchema, type EntitySchemaColumnOptions } from 'typeorm';
import { toTenant } from './tenant.entity';

/** An entity: a tenant's `did:key` and its sealed private key. */
export interface EntityRow {
  did: string;
  tenantId: string;
  privateKey: Buffer;
  revision: number;
  labels: Record<string, string>;
  annotations: Record<string, string>;
  createdAt: Date;
  updatedAt: Date;
}

/** A wallet of an entity; each tenant has at most one default wallet. */
export interface WalletRow extends EntityRow {
  entityDid: string;
  isDefault: boolean;
}

const columns = (table: string): Readonly<Record<keyof EntityRow, EntitySchemaColumnOptions>> => ({
  did: { type: 'text', primary: true, primaryKeyConstraintName: `${table}_pkey` },
  tenantId: { name: 'tenant_id', type: 'uuid' },
  privateKey: { name: 'private_key', type: 'bytea' },
  revision: { type: 'integer' },
  labels: { type: 'jsonb', default: {} },
  annotations: { type: 'jsonb', default: {} },
  createdAt: { name: 'created_at', type: 'timestamptz', precision: 3 },
  updatedAt: { name: 'updated_at', type: 'timestamptz' },
});

/** The foreign key from a table with an entity's DID to that entity, within the same tenant. */
export const toEntity = (table: string, column: 'entity_did' | 'owner_did') => ({
  name: `${table}_${column}_fkey`,
  target: 'Entity',
  columnNames: [column === 'entity_did' ? 'entityDid' : 'ownerDid', 'tenantId'],
  referencedColumnNames: ['did', 'tenantId'],
});

/** The table of entities. */
export const EntityEntity = new EntitySchema<EntityRow>({
  name: 'Entity',
  tableName: 'entity',
  columns: columns('entity'),
  foreignKeys: [toTenant('entity')],
  uniques: [{ name: 'entity_did_tenant_id_key', columns: ['did', 'tenantId'] }],
  indices: [{ name: 'entity_list', columns: ['tenantId', 'createdAt', 'did'] }],
});

/** The table of wallets. */
export const WalletEntity = new EntitySchema<WalletRow>({
  name: 'Wallet',
  tableName: 'wallet',
  columns: {
    ...columns('wallet'),
    entityDid: { name: 'entity_did', type: 'text' },
    isDefault: { name: 'is_default', type: 'boolean', default: false },
  },
  foreignKeys: [toTenant('wallet'), toEntity('wallet', 'entity_did')],
  uniques: [{ name: 'wallet_did_tenant_id_key', columns: ['did', 'tenantId'] }],
  indices: [
    { name: 'wallet_entity', columns: ['entityDid', 'createdAt', 'did'] },
    { name: 'wallet_list', columns: ['tenantId', 'createdAt', 'did'] },
    { name: 'wallet_default', columns: ['tenantId'], unique: true, where: 'is_default' },
  ],
});
