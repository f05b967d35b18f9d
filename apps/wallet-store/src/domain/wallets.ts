import type { DidKeyPair } from '@vestibule/vcdm';
import type { OwnedRecord, TenantId } from './records';

/** An entity that is about to be stored, with its private key. */
export interface NewEntity {
  readonly tenant: TenantId;
  readonly key: DidKeyPair;
  readonly record: OwnedRecord;
}

/** A wallet of an entity that is about to be stored. */
export interface NewWallet extends NewEntity {
  readonly entityDid: string;
}

/** A wallet as a query names it; neither name means the default wallet of the tenant. */
export interface NamedWallet {
  readonly entityDid?: string | undefined;
  readonly walletDid?: string | undefined;
}

/** An API key as an operator sees it: never the key, which is nowhere. */
export interface ListedApiKey {
  /** The beginning of the key's digest. */
  readonly id: string;
  readonly tenant: string;
  readonly createdAt: Date;
  readonly revokedAt?: Date | undefined;
}
