import type { Sealer } from '@vestibule/crypto';
import type { Database, Idempotency, Query } from '@vestibule/persistence';
import type { DidKeyPair } from '@vestibule/vcdm';
import type { OwnedRecord, Owner, TenantId } from '../../domain/records';
import type { EntityAnswer, NewEntity } from '../../use-cases/create-entity';
import type { NewWallet, WalletAnswer } from '../../use-cases/create-wallet';
import { asTenant, createOnce } from './tenant-scope';

const INSERT_ENTITY = `
  INSERT INTO wallet_store.entity (did, tenant_id, private_key, revision, created_at, updated_at)
  VALUES ($1, $2, $3, $4, $5, $6)`;

const INSERT_WALLET = `
  INSERT INTO wallet_store.wallet (did, tenant_id, private_key, revision, created_at, updated_at, entity_did, is_default)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`;

const OWNS_ENTITY = `SELECT 1 AS owned FROM wallet_store.entity WHERE did = $1 AND tenant_id = $2`;

const OWNS_WALLET = `
  SELECT 1 AS owned FROM wallet_store.wallet WHERE did = $1 AND entity_did = $2 AND tenant_id = $3`;

const ENTITY_KEY = `SELECT private_key FROM wallet_store.entity WHERE did = $1 AND tenant_id = $2`;

const FIND_DEFAULT = `SELECT did, entity_did FROM wallet_store.wallet WHERE tenant_id = $1 AND is_default`;

const LOCK_DEFAULT = `SELECT pg_advisory_xact_lock(hashtextextended('default wallet of ' || $1::text, 0))`;

/** What the sealed private key of an entity or a wallet is bound to. */
export const keyContext = (table: 'entity' | 'wallet', did: string) => `wallet_store.${table}.private_key/${did}`;

/** Entities and wallets in Postgres; their private keys are sealed. */
export class WalletStore {
  constructor(
    readonly database: Database,
    private readonly sealer: Sealer,
    readonly idempotency: Idempotency,
  ) {}

  insertEntity(entity: NewEntity, answer: EntityAnswer, idempotencyKey: string | undefined): Promise<EntityAnswer> {
    const repeatable = idempotencyKey === undefined ? undefined : { idempotencyKey, input: null };
    const call = { tenant: entity.tenant, operation: 'entity', repeatable };
    return createOnce(this, call, answer, (query) => this.putEntity(query, entity));
  }

  insertWallet(wallet: NewWallet, answer: WalletAnswer, idempotencyKey: string | undefined): Promise<WalletAnswer> {
    const { tenant, entityDid } = wallet;
    const repeatable = idempotencyKey === undefined ? undefined : { idempotencyKey, input: entityDid };
    const call = { tenant, operation: 'wallet', repeatable };
    return createOnce(this, call, answer, (query) => this.putWallet(query, wallet, false));
  }

  /** Under a lock, so that of parallel first uses one makes the wallet and the others find it. */
  insertDefaultWallet(entity: NewEntity, wallet: NewWallet): Promise<Owner> {
    const { tenant } = entity;
    return asTenant(this.database, tenant, async (query) => {
      await query(LOCK_DEFAULT, [tenant]);
      const known = await this.readDefault(query, tenant);
      if (known) return known;
      await this.putEntity(query, entity);
      await this.putWallet(query, wallet, true);
      return { entityDid: wallet.entityDid, walletDid: wallet.key.did };
    });
  }

  findDefaultWallet(tenant: TenantId): Promise<Owner | undefined> {
    return asTenant(this.database, tenant, (query) => this.readDefault(query, tenant));
  }

  async ownsEntity(tenant: TenantId, entityDid: string): Promise<boolean> {
    const rows = await asTenant(this.database, tenant, (query) => query(OWNS_ENTITY, [entityDid, tenant]));
    return rows.length === 1;
  }

  async ownsWallet(tenant: TenantId, { entityDid, walletDid }: Owner): Promise<boolean> {
    const rows = await asTenant(this.database, tenant, (query) => query(OWNS_WALLET, [walletDid, entityDid, tenant]));
    return rows.length === 1;
  }

  /** The unsealed key of an entity, to sign with. */
  async findEntityKey(tenant: TenantId, entityDid: string): Promise<DidKeyPair | undefined> {
    const [row] = await asTenant(this.database, tenant, (query) =>
      query<{ private_key: Buffer }>(ENTITY_KEY, [entityDid, tenant]),
    );
    return row && { did: entityDid, privateKey: this.sealer.open(row.private_key, keyContext('entity', entityDid)) };
  }

  private async readDefault(query: Query, tenant: TenantId): Promise<Owner | undefined> {
    const [row] = await query<{ did: string; entity_did: string }>(FIND_DEFAULT, [tenant]);
    return row && { entityDid: row.entity_did, walletDid: row.did };
  }

  private putEntity(query: Query, { tenant, key, record }: NewEntity): Promise<unknown> {
    return query(INSERT_ENTITY, this.columns('entity', tenant, key, record));
  }

  private putWallet(query: Query, { tenant, key, record, entityDid }: NewWallet, isDefault: boolean): Promise<unknown> {
    return query(INSERT_WALLET, [...this.columns('wallet', tenant, key, record), entityDid, isDefault]);
  }

  private columns(
    table: 'entity' | 'wallet',
    tenant: TenantId,
    { did, privateKey }: DidKeyPair,
    record: OwnedRecord,
  ): unknown[] {
    const sealed = this.sealer.seal(privateKey, keyContext(table, did));
    return [did, tenant, sealed, record.revision, record.createdAt, record.updatedAt];
  }
}
