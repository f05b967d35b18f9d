import type { Sealer } from '@vestibule/crypto';
import { createAudit, type Transaction } from '@vestibule/persistence';
import { subjectHash } from '@vestibule/process';
import type { Wallets } from '../../domain/ports';
import type { Owner, TenantId } from '../../domain/records';
import type { NewEntity, NewWallet } from '../../domain/wallets';
import { EntityEntity, WalletEntity, type EntityRow } from './key-owner.entity';
import { SCHEMA } from './migrations';
import { createOwnerLists } from './owner-lists';
import { asTenant, createOnce, insertRow, type Connection } from './tenant-scope';

const LOCK_DEFAULT = `SELECT pg_advisory_xact_lock(hashtextextended('default wallet of ' || $1::text, 0))`;

/** What the sealed private key of an entity or a wallet is bound to. */
export const keyContext = (table: 'entity' | 'wallet', did: string) => `wallet_store.${table}.private_key/${did}`;

async function findDefault({ manager }: Transaction, tenantId: TenantId): Promise<Owner | undefined> {
  const wallet = await manager.findOne(WalletEntity, {
    select: { did: true, entityDid: true },
    where: { tenantId, isDefault: true },
  });
  return wallet ? { entityDid: wallet.entityDid, walletDid: wallet.did } : undefined;
}

/** The columns that both tables share; labels and annotations are empty by default. */
type Columns = Omit<EntityRow, 'labels' | 'annotations'>;

/** How new entities and wallets are stored, and recorded as keys that were made. */
function insertions(connection: Connection, sealer: Sealer) {
  const audit = createAudit({ database: connection.database, schema: SCHEMA });
  const noteKey = (action: 'entity.create' | 'wallet.create', { query }: Transaction, { key }: NewEntity) =>
    audit.append(query, { action, target: subjectHash(key.did) });
  const columns = (table: 'entity' | 'wallet', { tenant, key, record }: NewEntity): Columns => ({
    did: key.did,
    tenantId: tenant,
    privateKey: sealer.seal(key.privateKey, keyContext(table, key.did)),
    revision: record.revision,
    createdAt: record.createdAt,
    updatedAt: record.updatedAt,
  });
  const putEntity = (transaction: Transaction, entity: NewEntity) =>
    insertRow(transaction, EntityEntity, columns('entity', entity));
  const putWallet = (transaction: Transaction, wallet: NewWallet, isDefault: boolean) =>
    insertRow(transaction, WalletEntity, { ...columns('wallet', wallet), entityDid: wallet.entityDid, isDefault });
  return { noteKey, putEntity, putWallet };
}

/** Entities and wallets in Postgres; their private keys are sealed. */
export function createWalletStore(connection: Connection, sealer: Sealer): Wallets {
  const { database } = connection;
  const { noteKey, putEntity, putWallet } = insertions(connection, sealer);
  return {
    insertEntity(entity, answer, idempotencyKey) {
      const repeatable = idempotencyKey === undefined ? undefined : { idempotencyKey, input: null };
      const call = { tenant: entity.tenant, operation: 'entity', repeatable };
      return createOnce(connection, call, answer, async (transaction) => {
        await putEntity(transaction, entity);
        await noteKey('entity.create', transaction, entity);
      });
    },
    insertWallet(wallet, answer, idempotencyKey) {
      const { tenant, entityDid } = wallet;
      const repeatable = idempotencyKey === undefined ? undefined : { idempotencyKey, input: entityDid };
      const call = { tenant, operation: 'wallet', repeatable };
      return createOnce(connection, call, answer, async (transaction) => {
        await putWallet(transaction, wallet, false);
        await noteKey('wallet.create', transaction, wallet);
      });
    },
    /** Under a lock, so that of several concurrent first uses one creates the wallet and the others find it. */
    insertDefaultWallet(entity, wallet) {
      const { tenant } = entity;
      return asTenant(database, tenant, async (transaction) => {
        await transaction.query(LOCK_DEFAULT, [tenant]);
        const known = await findDefault(transaction, tenant);
        if (known) return known;
        await putEntity(transaction, entity);
        await putWallet(transaction, wallet, true);
        await noteKey('entity.create', transaction, entity);
        await noteKey('wallet.create', transaction, wallet);
        return { entityDid: wallet.entityDid, walletDid: wallet.key.did };
      });
    },
    findDefaultWallet: (tenant) => asTenant(database, tenant, (transaction) => findDefault(transaction, tenant)),
    ownsEntity: (tenantId, did) =>
      asTenant(database, tenantId, ({ manager }) => manager.existsBy(EntityEntity, { did, tenantId })),
    ownsWallet: (tenantId, { entityDid, walletDid }) =>
      asTenant(database, tenantId, ({ manager }) =>
        manager.existsBy(WalletEntity, { did: walletDid, entityDid, tenantId }),
      ),
    ...createOwnerLists(database),
    async findEntityKey(tenantId, did) {
      const entity = await asTenant(database, tenantId, ({ manager }) =>
        manager.findOne(EntityEntity, { select: { did: true, privateKey: true }, where: { did, tenantId } }),
      );
      return entity ? { did, privateKey: sealer.open(entity.privateKey, keyContext('entity', did)) } : undefined;
    },
  };
}
