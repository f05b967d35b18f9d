import { sha256 } from '@vestibule/crypto';
import type { StatusEntry, StatusReference } from '@vestibule/status-list';

/** Indexes of one list that are now assigned to an offer. */
export interface Drawing {
  readonly listNumber: number;
  readonly listId: string;
  readonly indexes: readonly number[];
}

/** An offer's entry of a list, as a credential refers to it, and where it is stored. */
export interface ReservedEntry extends StatusReference {
  readonly listNumber: number;
}

export interface Draw {
  readonly offerId: string;
  /** When the credentials expire. */
  readonly expiresAt: Date;
  readonly candidates: readonly number[];
  /** Takes the first free candidates, up to this number. */
  readonly count: number;
  /** The chain that signs the credentials: its certificate owns their list. */
  readonly x5c: readonly string[];
  /** The name of the issuer identifier, which has lists of its own. */
  readonly issuer: string;
}

/** A list, the chain whose certificate it belongs to, and the issuer identifier that it is published below. */
export interface NewList {
  readonly listId: string;
  readonly size: number;
  readonly x5c: readonly string[];
  readonly issuer: string;
}

/** How long a list may be used by what its token says; a replica with another `ttl` may have signed it. */
export interface ListTerms {
  readonly expiresAt: Date;
  readonly ttlSeconds: number;
}

/** The last publication of a status list. */
export interface Publication {
  readonly version: number;
  readonly publishedAt: Date;
  readonly etag: string;
  /** Undefined if the asking side already has this one. */
  readonly token: string | undefined;
  /** {@link chainHash} of the chain in its header; empty if unknown. */
  readonly signedWith: string;
  /** Undefined unless its token was read. */
  readonly terms?: ListTerms | undefined;
}

/** The current list, and its publication if there is one. */
export interface ListState {
  /** Counts the changes of statuses. */
  readonly version: number;
  readonly publication: Publication | undefined;
  /** The chain that its credentials were signed with; undefined for a list made by a previous version. */
  readonly x5c: readonly string[] | undefined;
  /** The name of the issuer identifier that it is published below. */
  readonly issuer: string;
  /** The time of the database: no replica's clock changes it. */
  readonly databaseAt: Date;
}

/** Clocks may differ by this much; verifiers forgive it, too. */
const CLOCKS_DIFFER_MILLISECONDS = 60_000;

/**
 * True if a list was published with a clock that was ahead: verifiers refuse it until that time has come, so it has to be
 * replaced. A replica whose own clock is behind does not take others for being ahead.
 */
export function isAhead({ publication, databaseAt }: ListState, now: Date): boolean {
  const latest = Math.max(now.getTime(), databaseAt.getTime()) + CLOCKS_DIFFER_MILLISECONDS;
  return publication !== undefined && publication.publishedAt.getTime() > latest;
}

/**
 * When the next publication says that it was issued: not before the last one, whichever replica's clock that had, because
 * verifiers refuse a list that is older than one that they have seen.
 */
export function nextIssueAt(state: ListState, now: Date): Date {
  const last = state.publication?.publishedAt ?? now;
  return last > now && !isAhead(state, now) ? last : now;
}

/** What a token is built from: the size, and the entries that are not valid. */
export interface ListContent {
  readonly version: number;
  readonly size: number;
  readonly entries: readonly StatusEntry[];
  /** None of its credentials is valid any more, and its entries are being deleted. */
  readonly isOver: boolean;
}

export interface NewPublication {
  readonly listId: string;
  readonly version: number;
  readonly publishedAt: Date;
  readonly etag: string;
  readonly token: string;
  readonly signedWith: string;
}

const MIN_LIFETIME_SECONDS = 3_600;

/** `exp` limits how long a copy from before a revocation can be presented: an hour, or two `ttl`. */
export function lifetimeSeconds(ttlSeconds: number): number {
  return Math.max(2 * ttlSeconds, MIN_LIFETIME_SECONDS);
}

/** SHA-256 over a chain in x5c: identifies what a list was signed with. */
export const chainHash = (x5c: readonly string[]) => sha256(x5c.join()).toString('hex');
