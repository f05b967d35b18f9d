import { parseTimedId } from '@vestibule/crypto';
import { decodeBase64url, encodeBase64url } from '@vestibule/foundation';
import type { Database } from '@vestibule/persistence';
import { STATUS_VALUES, type CredentialStatus } from '../../domain/credential-status';
import type { StatusChange } from '../../use-cases/change-credential-status';
import type { ListContent, ListState, NewPublication } from '../../use-cases/get-status-list';
import type { Draw, Drawing, NewList } from '../../use-cases/reserve-status-indexes';
import * as SQL from './status-statements';

const LIST_ID_BYTES = 16;

/** A chain whose certificate owns lists with credentials that have not ended. */
export interface ListOwner {
  readonly x5c: readonly string[];
  readonly endsAt: Date;
  readonly lists: number;
}

interface ListRow {
  /** `bigint`, which the driver gives as text. */
  version: string;
  published_version: string | null;
  published_at: Date | null;
  etag: string | null;
  token: string | null;
  x5c: string[] | null;
  signed_with: Buffer | null;
}

interface VerdictRow {
  offer: string | null;
  credentials: number;
  revoked: boolean;
}

function bytesOf(listId: string): Buffer | undefined {
  const bytes = decodeBase64url(listId);
  return bytes?.byteLength === LIST_ID_BYTES ? Buffer.from(bytes) : undefined;
}

function outcomeOf({ offer, credentials, revoked }: VerdictRow): StatusChange {
  if (offer !== null && offer !== 'ISSUED') return { outcome: 'not_issued' };
  if (credentials === 0) return { outcome: offer === null ? 'offer_unknown' : 'without_status' };
  return revoked ? { outcome: 'already_revoked' } : { outcome: 'changed', credentials };
}

/** Status lists and their entries in Postgres: an issuance adds a row of its own, a list is built when it is published. */
export class StatusListStore {
  constructor(private readonly database: Database) {}

  async drawIndexes({ offerId, expiresAt, candidates, count, x5c }: Draw): Promise<Drawing | undefined> {
    const [row] = await this.database.query<{ list_number: number; list_id: Buffer; indexes: number[] }>(
      SQL.DRAW_INDEXES,
      [candidates, count, parseTimedId(offerId), expiresAt, x5c],
    );
    return row && { listNumber: row.list_number, listId: encodeBase64url(row.list_id), indexes: row.indexes };
  }

  async openList({ listId, size, x5c }: NewList, inPlaceOf: number | undefined): Promise<void> {
    await this.database.query(SQL.OPEN_LIST, [bytesOf(listId), size, inPlaceOf ?? null, x5c]);
  }

  /** Lists of a version that did not know whose they are become those of this chain's certificate. */
  async adopt(x5c: readonly string[], now: Date): Promise<void> {
    await this.database.query(SQL.ADOPT_LISTS, [x5c, now]);
  }

  /** Whose lists have credentials that have not ended, and until when. */
  async findOwners(now: Date): Promise<readonly ListOwner[]> {
    const rows = await this.database.query<{ x5c: string[]; ends_at: Date; lists: number }>(SQL.FIND_OWNERS, [now]);
    return rows.map(({ x5c, ends_at: endsAt, lists }) => ({ x5c, endsAt, lists }));
  }

  /**
   * Kept claims are gone before the entries are looked at: whoever reserved an entry and still found the claims did so
   * before, so its entry is among those that change.
   */
  async changeStatus(offerId: string, status: CredentialStatus, now: Date): Promise<StatusChange> {
    const key = parseTimedId(offerId);
    const parameters = [key && Buffer.from(key), STATUS_VALUES[status], now];
    if (key && status !== 'valid') await this.database.query(SQL.END_KEPT, [Buffer.from(key)]);
    const [row] = key ? await this.database.query<VerdictRow>(SQL.CHANGE_STATUS, parameters) : [];
    return row ? outcomeOf(row) : { outcome: 'offer_unknown' };
  }

  async findList(listId: string, knownEtag: string | undefined): Promise<ListState | undefined> {
    const key = bytesOf(listId);
    const [row] = key ? await this.database.query<ListRow>(SQL.FIND_LIST, [key, knownEtag ?? null]) : [];
    if (!row) return undefined;
    const { published_at: publishedAt, etag, token } = row;
    const publication =
      publishedAt && etag !== null
        ? {
            version: Number(row.published_version),
            publishedAt,
            etag,
            token: token ?? undefined,
            signedWith: row.signed_with?.toString('hex') ?? '',
          }
        : undefined;
    return { version: Number(row.version), publication, x5c: row.x5c ?? undefined };
  }

  async readContent(listId: string): Promise<ListContent | undefined> {
    const [row] = await this.database.query<{ version: string; size: number; indexes: number[]; statuses: number[] }>(
      SQL.READ_CONTENT,
      [bytesOf(listId)],
    );
    if (!row) return undefined;
    const entries = row.indexes.map((idx, at) => ({ idx, status: row.statuses[at] as number }));
    return { version: Number(row.version), size: row.size, entries };
  }

  async publish({ listId, version, publishedAt, etag, token, signedWith }: NewPublication): Promise<void> {
    const chain = Buffer.from(signedWith, 'hex');
    await this.database.query(SQL.PUBLISH, [bytesOf(listId), version, publishedAt, etag, token, chain]);
  }

  /**
   * Forgets whose the entries of expired credentials were, and deletes lists that no credential names any more. Lists of
   * other certificates than the current one (`x5c`) end with their last credential.
   */
  async purge(now: Date, limit: number, x5c: readonly string[]): Promise<number> {
    const unlinked = await this.database.query(SQL.UNLINK_EXPIRED, [now, limit]);
    await this.database.query(SQL.CLOSE_ABANDONED, [now, x5c]);
    const entries = await this.database.query(SQL.PURGE_ENTRIES, [now, limit]);
    const lists = await this.database.query(SQL.PURGE_LISTS, [now]);
    return unlinked.length + entries.length + lists.length;
  }
}
