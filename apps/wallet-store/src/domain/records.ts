import type { JsonObject } from '@vestibule/foundation';

/** Who a caller is: an API key belongs to one tenant, and a tenant sees only what is its own. */
export type TenantId = string;

/** What entities and wallets have in common. */
export interface OwnedRecord {
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly revision: number;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

/** The states of a credential or presentation. */
export type ContentState = 'draft' | 'issued' | 'abandoned';

/** Whose content it is: a wallet, and the entity that owns it. */
export interface Owner {
  readonly entityDid: string;
  readonly walletDid: string;
}

/** One revision of a credential or presentation in a wallet. */
export interface ContentRecord extends OwnedRecord {
  readonly did: string;
  readonly state: ContentState;
  readonly entityDid: string;
  readonly walletDid: string;
  readonly issuerDid?: string | undefined;
  readonly holderDid?: string | undefined;
  readonly types: readonly string[];
  /** The W3C document; absent where it was not asked for. */
  readonly body?: JsonObject;
}

/** May a text from a caller be in the store at all? Postgres takes no NUL. */
export function isStorable(text: string): boolean {
  return !text.includes('\u0000');
}

/** The members that every answer carries. */
export function recordView({ createdAt, updatedAt, revision, labels, annotations }: OwnedRecord) {
  return {
    Created: createdAt.toISOString(),
    Updated: updatedAt.toISOString(),
    Revision: revision,
    MetaData: { Labels: { ...labels }, Annotations: { ...annotations } },
  };
}

/** A record that was just made. */
export function newRecord(now: Date): OwnedRecord {
  return { createdAt: now, updatedAt: now, revision: 1, labels: {}, annotations: {} };
}
