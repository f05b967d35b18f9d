import type { Database } from '@vestibule/persistence';
import type { SelectQueryBuilder } from 'typeorm';
import type { Wallets } from '../../domain/ports';
import type { OwnerPage, OwnerQuery } from '../../domain/wallets';
import { EntityEntity, WalletEntity, type EntityRow } from './key-owner.entity';
import { searchAsTenant } from './tenant-scope';

/** What a list reads of each row: everything but the key. */
const LISTED = ['did', 'revision', 'labels', 'annotations', 'createdAt', 'updatedAt'] as const;

/** A page of rows after a position, in the order of creation. */
async function pageOf<Row extends EntityRow>(
  rows: SelectQueryBuilder<Row>,
  { after, limit }: OwnerQuery,
): Promise<OwnerPage<Row>> {
  const place = rows.alias;
  if (after) rows.andWhere(`(${place}.createdAt, ${place}.did) > (:createdAt::timestamptz, :did)`, { ...after });
  const ordered = rows.orderBy(`${place}.createdAt`).addOrderBy(`${place}.did`);
  const found = await ordered.limit(limit + 1).getMany();
  return { owners: found.slice(0, limit), hasMore: found.length > limit };
}

/** Pages of a tenant's entities and wallets; their keys are not read. */
export function createOwnerLists(database: Database): Pick<Wallets, 'findEntities' | 'findWallets'> {
  return {
    findEntities: (tenantId, query) =>
      searchAsTenant(database, tenantId, ({ manager }) => {
        const rows = manager.createQueryBuilder(EntityEntity, 'entity').select(LISTED.map((name) => `entity.${name}`));
        return pageOf(rows.where({ tenantId }), query);
      }),
    findWallets: (tenantId, { entityDid, ...query }) =>
      searchAsTenant(database, tenantId, ({ manager }) => {
        const columns = [...LISTED, 'entityDid'].map((name) => `wallet.${name}`);
        const rows = manager.createQueryBuilder(WalletEntity, 'wallet').select(columns);
        return pageOf(rows.where({ tenantId, ...(entityDid === undefined ? {} : { entityDid }) }), query);
      }),
  };
}
