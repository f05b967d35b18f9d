import type { StatusPurpose } from '@vestibule/vcdm';
import type { TenantId } from './records';
import { isTenantId } from './schema-addresses';

/** The smallest list in which a holder hides among others (Bitstring Status List 1.0 §6.1). */
export const STATUS_LIST_SIZE = 131_072;
export const STATUS_LIST_ID_BYTES = 16;

/** The name that identifies a status list; the same for all tenants, and permanent. */
export interface StatusListName {
  readonly tenant: TenantId;
  /** 16 bytes in base64url. */
  readonly listId: string;
}

/** What an entry is drawn for: a credential has at most one for each purpose. */
export interface StatusOrder {
  readonly entityDid: string;
  readonly purpose: StatusPurpose;
  readonly credentialDid: string;
}

/** The open list of an entity, and the index of a credential there; without one, all candidates were taken. */
export interface DrawnStatus {
  readonly listId: string;
  readonly index: number | undefined;
}

/** A list as it is now. */
export interface StatusListState {
  readonly entityDid: string;
  readonly purpose: StatusPurpose;
  /** Grows with each change of a status. */
  readonly version: number;
  readonly size: number;
  /** The indexes that are set. */
  readonly set: readonly number[];
}

/** A list as it was signed last. */
export interface StatusListPublication {
  /** Of the list that was signed. */
  readonly version: number;
  readonly signedAt: Date;
  readonly etag: string;
  /** The exact text to serve. */
  readonly document: string;
}

/** What is known of a list before it is served; `document` is left out for those who have it already. */
export interface PublishedStatusList {
  readonly version: number;
  readonly published:
    (Omit<StatusListPublication, 'document'> & { readonly document?: string | undefined }) | undefined;
  /** The time of the database: no replica's clock changes it. */
  readonly databaseAt: Date;
}

const LIST_ID = /^[A-Za-z0-9_-]{21}[AQgw]$/;
const NAME = /^\/([0-9a-f-]{36})\/([A-Za-z0-9_-]{22})$/;

/** Can this be the name of a list? */
export function isStatusListName({ tenant, listId }: StatusListName): boolean {
  return isTenantId(tenant) && LIST_ID.test(listId);
}

/** The address of a status list. */
export function statusListUrl(baseUrl: string, { tenant, listId }: StatusListName): string {
  return `${baseUrl}/credential-status/${tenant}/${listId}`;
}

/** Parses one of this service's own addresses; undefined for any other string. */
export function parseStatusListUrl(baseUrl: string, url: string): StatusListName | undefined {
  const prefix = `${baseUrl}/credential-status`;
  if (!url.startsWith(prefix)) return undefined;
  const [, tenant = '', listId = ''] = NAME.exec(url.slice(prefix.length)) ?? [];
  return isStatusListName({ tenant, listId }) ? { tenant, listId } : undefined;
}
