import type { Sealer } from '@vestibule/crypto';
import type { Database, Idempotency } from '@vestibule/persistence';
import type { DidKeyPair } from '../../domain/did-key';
import type { OwnedRecord, TenantId } from '../../domain/records';
import type { EntityAnswer, NewEntity } from '../../use-cases/create-entity';
import type { NewWallet, WalletAnswer } from '../../use-cases/create-wallet';
import type { Owner } from '../../use-cases/read-content';

const INSERT_ENTITY = `
  INSERT INTO wallet_store.entity (did, tenant_id, private_key, revision, created_at, updated_at)
  VALUES ($1, $2, $3, $4, $5, $6)`;

const INSERT_WALLET = `
  INSERT INTO wallet_store.wallet (did, tenant_id, private_key, revision, created_at, updated_at, entity_did)
  VALUES ($1, $2, $3, $4, $5, $6, $7)`;

const OWNS_ENTITY = `SELECT 1 AS owned FROM wallet_store.entity WHERE did = $1 AND tenant_id = $2`;

const OWNS_WALLET = `
  SELECT 1 AS owned FROM wallet_store.wallet WHERE did = $1 AND entity_did = $2 AND tenant_id = $3`;

/** What the sealed private key of an entity or a wallet is bound to. */
export const keyContext = (table: 'entity' | 'wallet', did: string) => `wallet_store.${table}.private_key/${did}`;

/** Entities and wallets in Postgres; their private keys are sealed. */
export class WalletStore {
  constructor(
    private readonly database: Database,
    private readonly sealer: Sealer,
    private readonly idempotency: Idempotency,
  ) {}

  insertEntity(
    { tenant, key, record }: NewEntity,
    answer: EntityAnswer,
    idempotencyKey: string | undefined,
  ): Promise<EntityAnswer> {
    const call =
      idempotencyKey === undefined ? undefined : { key: idempotencyKey, scope: `entity/${tenant}`, input: null };
    return this.idempotency.once(call, answer, (query) =>
      query(INSERT_ENTITY, this.columns('entity', tenant, key, record)),
    );
  }

  insertWallet(
    { tenant, key, record, entityDid }: NewWallet,
    answer: WalletAnswer,
    idempotencyKey: string | undefined,
  ): Promise<WalletAnswer> {
    const call =
      idempotencyKey === undefined ? undefined : { key: idempotencyKey, scope: `wallet/${tenant}`, input: entityDid };
    return this.idempotency.once(call, answer, (query) =>
      query(INSERT_WALLET, [...this.columns('wallet', tenant, key, record), entityDid]),
    );
  }

  async ownsEntity(tenant: TenantId, entityDid: string): Promise<boolean> {
    return (await this.database.query(OWNS_ENTITY, [entityDid, tenant])).length === 1;
  }

  async ownsWallet(tenant: TenantId, { entityDid, walletDid }: Owner): Promise<boolean> {
    return (await this.database.query(OWNS_WALLET, [walletDid, entityDid, tenant])).length === 1;
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
