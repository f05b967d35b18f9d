import { DomainError, encodeBase64url, type RandomBytes } from '@vestibule/foundation';
import { statusListUrl } from '@vestibule/oid4vci';
import type { IssuerIdentity } from '../domain/credential-offer';
import type { StatusLists } from '../domain/ports';
import type { Drawing, ReservedEntry } from '../domain/status-list';

export interface ReserveStatusIndexesDeps {
  readonly random: RandomBytes;
  /** Entries per list, a power of two. */
  readonly statusListSize: number;
  readonly drawIndexes: StatusLists['drawIndexes'];
  readonly openList: StatusLists['openList'];
}

export interface ReservationOrder {
  readonly offerId: string;
  readonly count: number;
  readonly expiresAt: Date;
  readonly x5c: readonly string[];
  readonly issuer: Pick<IssuerIdentity, 'name' | 'url'>;
}

const LIST_ID_BYTES = 16;
const CANDIDATES = 32;
/** How many incomplete draws mark a list as full: with 32 candidates each it is then about 86 % full. */
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
 * Reserves a random entry of the signing certificate's status list for each credential, before it is signed (TSL
 * §13.3); an entry that is not used then is lost and never assigned again. Indexes depend neither on a counter nor on
 * the order of issuance, so replicas do not wait for each other and an index reveals nothing. Throws
 * `status_indexes_exhausted`.
 */
export function reserveStatusIndexes(deps: ReserveStatusIndexesDeps) {
  return async function reserveStatusIndexes(order: ReservationOrder): Promise<ReservedEntry[]> {
    const { offerId, count, expiresAt, x5c, issuer } = order;
    const entries: ReservedEntry[] = [];
    let failed = 0;
    for (let draws = 0; draws < MAX_DRAWS; draws += 1) {
      const missing = count - entries.length;
      const candidates = drawCandidates(deps.random, CANDIDATES + 2 * missing, deps.statusListSize);
      const drawn = await deps.drawIndexes({
        offerId,
        expiresAt,
        candidates,
        count: missing,
        x5c,
        issuer: issuer.name,
      });
      if (drawn) entries.push(...entriesOf(issuer.url, drawn));
      if (entries.length === count) return entries;
      failed += 1;
      if (drawn && failed % DRAWS_UNTIL_FULL !== 0) continue;
      const listId = encodeBase64url(deps.random(LIST_ID_BYTES));
      await deps.openList({ listId, size: deps.statusListSize, x5c, issuer: issuer.name }, drawn?.listNumber);
    }
    throw new DomainError({
      kind: 'internal',
      code: 'status_indexes_exhausted',
      detail: 'no free entry of a status list could be reserved',
    });
  };
}
