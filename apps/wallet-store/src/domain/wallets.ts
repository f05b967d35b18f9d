import type { DidKeyPair } from '@vestibule/vcdm';
import type { Position } from './content';
import type { OwnedRecord, TenantId } from './records';

/** An entity to be stored, with its private key. */
export interface NewEntity {
  readonly tenant: TenantId;
  readonly key: DidKeyPair;
  readonly record: OwnedRecord;
}

/** A wallet of an entity, to be stored. */
export interface NewWallet extends NewEntity {
  readonly entityDid: string;
}

/** An entity, or a wallet, without its key. */
export interface OwnerRecord extends OwnedRecord {
  readonly did: string;
}

export interface WalletRecord extends OwnerRecord {
  readonly entityDid: string;
}

/** At most `limit` entities or wallets, from a position on. */
export interface OwnerQuery {
  readonly limit: number;
  readonly after: Position | undefined;
}

export interface OwnerPage<Owner extends OwnerRecord> {
  readonly owners: readonly Owner[];
  readonly hasMore: boolean;
}

/** A wallet as a query identifies it; without any name, the tenant's default wallet. */
export interface NamedWallet {
  readonly entityDid?: string | undefined;
  readonly walletDid?: string | undefined;
}

/** An API key as an operator sees it, without the key itself, which is not stored. */
export interface ListedApiKey {
  /** The beginning of the key's digest. */
  readonly id: string;
  readonly tenant: string;
  readonly createdAt: Date;
  readonly revokedAt?: Date | undefined;
}
