import { DomainError, encodeBase64url, type RandomBytes } from '@vestibule/foundation';
import { statusListUrl } from '@vestibule/oid4vci';
import type { StatusReference } from '@vestibule/status-list';

/** Indexes of one list that belong to an offer from now on. */
export interface Drawing {
  readonly listNumber: number;
  readonly listId: string;
  readonly indexes: readonly number[];
}

/** One entry of a list that belongs to an offer, as a credential names it, and where it is stored. */
export interface ReservedEntry extends StatusReference {
  readonly listNumber: number;
}

export interface Draw {
  readonly offerId: string;
  /** When the credentials expire. */
  readonly expiresAt: Date;
  readonly candidates: readonly number[];
  /** Takes the first free candidates, at most so many. */
  readonly count: number;
  /** The chain that signs the credentials: its certificate owns their list. */
  readonly x5c: readonly string[];
}

/** A list, and the chain whose certificate it belongs to. */
export interface NewList {
  readonly listId: string;
  readonly size: number;
  readonly x5c: readonly string[];
}

export interface ReserveStatusIndexesDeps {
  readonly random: RandomBytes;
  readonly issuerUrl: string;
  /** Entries of each list, a power of two. */
  readonly statusListSize: number;
  /** One statement: takes free candidates in the open list of the certificate, each for one caller and for ever; undefined without a list. */
  readonly drawIndexes: (draw: Draw) => Promise<Drawing | undefined>;
  /** One statement: opens a list in place of the one that has no room, if nobody else did; the first one for undefined. */
  readonly openList: (list: NewList, inPlaceOf: number | undefined) => Promise<void>;
}

export interface ReservationOrder {
  readonly offerId: string;
  readonly count: number;
  readonly expiresAt: Date;
  readonly x5c: readonly string[];
}

const LIST_ID_BYTES = 16;
const CANDIDATES = 32;
/** Draws with missing indexes before a list counts as full: with 32 candidates each it is then about 86 % full. */
const DRAWS_UNTIL_FULL = 2;
const MAX_DRAWS = 64;

function drawCandidates(random: RandomBytes, count: number, size: number): number[] {
  const bytes = Buffer.from(random(count * 4));
  const numbers = Array.from({ length: count }, (_, at) => bytes.readUInt32BE(at * 4) % size);
  return [...new Set(numbers)];
}

function entriesOf(issuerUrl: string, { listNumber, listId, indexes }: Drawing): ReservedEntry[] {
  const uri = statusListUrl(issuerUrl, listId);
  return indexes.map((idx) => ({ uri, idx, listNumber }));
}

/**
 * Reserves a random entry of a status list of the signing certificate for each credential, before it is signed (TSL §13.3): what is not used then is
 * lost and never given again. Neither a counter nor the order of issuance is behind an index, so replicas do not wait for
 * each other and an index tells nothing. Throws `status_indexes_exhausted`.
 */
export const reserveStatusIndexes =
  (deps: ReserveStatusIndexesDeps) =>
  async ({ offerId, count, expiresAt, x5c }: ReservationOrder): Promise<ReservedEntry[]> => {
    const entries: ReservedEntry[] = [];
    let failed = 0;
    for (let draws = 0; draws < MAX_DRAWS; draws += 1) {
      const missing = count - entries.length;
      const candidates = drawCandidates(deps.random, CANDIDATES + 2 * missing, deps.statusListSize);
      const drawn = await deps.drawIndexes({ offerId, expiresAt, candidates, count: missing, x5c });
      if (drawn) entries.push(...entriesOf(deps.issuerUrl, drawn));
      if (entries.length === count) return entries;
      failed += 1;
      if (drawn && failed % DRAWS_UNTIL_FULL !== 0) continue;
      const listId = encodeBase64url(deps.random(LIST_ID_BYTES));
      await deps.openList({ listId, size: deps.statusListSize, x5c }, drawn?.listNumber);
    }
    throw new DomainError({
      kind: 'internal',
      code: 'status_indexes_exhausted',
      detail: 'no free entry of a status list could be reserved',
    });
  };
