import { DID } from '@vestibule/contracts';
import type { JsonObject } from '@vestibule/foundation';

/** The caller's identity: an API key belongs to one tenant, and a tenant sees only its own data. */
export type TenantId = string;

/** The caller that something published is read for: a tenant, or everybody without a key. Its share of the connections is used. */
export type Asker = TenantId | typeof EVERYBODY;

/** All those who need no key, together; no tenant has this id. */
export const EVERYBODY = 'everybody';

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

/** Where content belongs: a wallet, and the entity that owns it. */
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
  /** The W3C document; absent unless requested. */
  readonly body?: JsonObject;
}

/** Can this string from a caller be stored? Postgres rejects NUL. */
export function isStorable(text: string): boolean {
  return !text.includes('\u0000');
}

/**
 * Can there be anything with this DID? If not, it is not looked up: what is not a DID may be personal data that a caller
 * confuses with one, and a database may log what it is asked.
 */
export function canBeDid(text: string): boolean {
  return text.startsWith('did:') && isStorable(text);
}

/**
 * Is it a DID, which the members of the APIs that are named after DIDs hold, and which is stored unsealed? Other addresses,
 * such as `mailto:` or a DID with a query, may be personal data.
 */
export function isDid(text: string): boolean {
  return DID.test(text);
}

/** The members of every answer. */
export function recordView({ createdAt, updatedAt, revision, labels, annotations }: OwnedRecord) {
  return {
    Created: createdAt.toISOString(),
    Updated: updatedAt.toISOString(),
    Revision: revision,
    MetaData: { Labels: { ...labels }, Annotations: { ...annotations } },
  };
}

/** A newly created record. */
export function newRecord(now: Date): OwnedRecord {
  return { createdAt: now, updatedAt: now, revision: 1, labels: {}, annotations: {} };
}
