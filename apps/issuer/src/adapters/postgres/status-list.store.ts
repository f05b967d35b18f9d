import { parseTimedId, sha256 } from '@vestibule/crypto';
import { decodeBase64, decodeBase64url, encodeBase64url } from '@vestibule/foundation';
import { createAudit, type Database, type Query } from '@vestibule/persistence';
import { purgeEach, subjectHash } from '@vestibule/process';
import { STATUS_VALUES, type StatusChange } from '../../domain/credential-status';
import type { StatusLists } from '../../domain/ports';
import type { Publication } from '../../domain/status-list';
import { SCHEMA } from './migrations';
import * as SQL from './status-statements';

const LIST_ID_BYTES = 16;

/** A chain whose certificate owns lists with unexpired credentials. */
export interface ListOwner {
  readonly x5c: readonly string[];
  readonly endsAt: Date;
  readonly lists: number;
  /** The names of the issuer identifiers that the lists are published below. */
  readonly issuers: readonly string[];
}

interface ListRow {
  /** `bigint`, which the driver returns as a string. */
  version: string;
  published_version: string | null;
  published_at: Date | null;
  etag: string | null;
  token: string | null;
  x5c: string[] | null;
  issuer: string;
  signed_with: Buffer | null;
  database_at: Date;
}

interface ContentRow {
  version: string;
  size: number;
  indexes: number[];
  statuses: number[];
  is_over: boolean;
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

/** The owner of a list, as statements compute it from `x5c`; null, which owns nothing, without a certificate. */
function certificateOf([leaf]: readonly string[]): Buffer | null {
  const bytes = leaf === undefined ? undefined : decodeBase64(leaf);
  return bytes ? sha256(bytes) : null;
}

function publicationOf(row: ListRow): Publication | undefined {
  const { published_at: publishedAt, etag, token } = row;
  if (!publishedAt || etag === null) return undefined;
  const signedWith = row.signed_with?.toString('hex') ?? '';
  return { version: Number(row.published_version), publishedAt, etag, token: token ?? undefined, signedWith };
}

function outcomeOf({ offer, credentials, revoked }: VerdictRow): StatusChange {
  if (offer !== null && offer !== 'ISSUED') return { outcome: 'not_issued' };
  if (credentials === 0) return { outcome: offer === null ? 'offer_unknown' : 'without_status' };
  return revoked ? { outcome: 'already_revoked' } : { outcome: 'changed', credentials };
}

/**
 * Deletes the kept claims of an issued offer before its entries are read: a request that still found the claims reserved
 * its entry before, so that entry is among those to change. The offer is held from here on: it must not be issued, with
 * its claims kept, after this and before its entries are read.
 */
async function endKeptClaims(query: Query, key: Buffer): Promise<void> {
  const [held] = await query<{ keeps_claims: boolean }>(SQL.HOLD_OFFER, [key]);
  if (held?.keeps_claims) await query(SQL.END_KEPT, [key]);
}

function entries(database: Database) {
  const audit = createAudit({ database, schema: SCHEMA });
  return {
    async drawIndexes({ offerId, expiresAt, candidates, count, x5c, issuer }) {
      const [row] = await database.query<{ list_number: number; list_id: Buffer; indexes: number[] }>(
        count === 1 ? SQL.DRAW_INDEX : SQL.DRAW_INDEXES,
        [candidates, count, parseTimedId(offerId), expiresAt, certificateOf(x5c), issuer],
      );
      return row && { listNumber: row.list_number, listId: encodeBase64url(row.list_id), indexes: row.indexes };
    },
    async openList({ listId, size, x5c, issuer }, inPlaceOf) {
      await database.query(SQL.OPEN_LIST, [bytesOf(listId), size, inPlaceOf ?? null, x5c, issuer]);
    },
    async changeStatus(offerId, status, now) {
      const key = parseTimedId(offerId);
      if (!key) return { outcome: 'offer_unknown' };
      const parameters = [Buffer.from(key), STATUS_VALUES[status], now];
      return audit.run<StatusChange>(async (query) => {
        if (status !== 'valid') await endKeptClaims(query, Buffer.from(key));
        const [row] = await query<VerdictRow>(SQL.CHANGE_STATUS, parameters);
        const result: StatusChange = row ? outcomeOf(row) : { outcome: 'offer_unknown' };
        if (result.outcome !== 'changed') return { result, entry: undefined };
        const details = { status, credentials: result.credentials };
        return { result, entry: { action: 'credential.status', target: subjectHash(offerId), details } };
      });
    },
  } satisfies Partial<StatusLists>;
}

function publications(database: Database) {
  return {
    async findList(listId, knownEtag) {
      const key = bytesOf(listId);
      const [row] = key ? await database.query<ListRow>(SQL.FIND_LIST, [key, knownEtag ?? null]) : [];
      if (!row) return undefined;
      const { version, issuer, x5c, database_at: databaseAt } = row;
      return { version: Number(version), publication: publicationOf(row), x5c: x5c ?? undefined, issuer, databaseAt };
    },
    async readContent(listId) {
      const [row] = await database.query<ContentRow>(SQL.READ_CONTENT, [bytesOf(listId)]);
      if (!row) return undefined;
      const changed = row.indexes.map((idx, at) => ({ idx, status: row.statuses[at] as number }));
      return { version: Number(row.version), size: row.size, entries: changed, isOver: row.is_over };
    },
    async publish({ listId, version, publishedAt, etag, token, signedWith }) {
      const chain = Buffer.from(signedWith, 'hex');
      await database.query(SQL.PUBLISH, [bytesOf(listId), version, publishedAt, etag, token, chain]);
    },
  } satisfies Partial<StatusLists>;
}

/** Maintenance of the lists, besides the operations of the use cases. */
export interface StatusListStore extends StatusLists {
  /** Assigns lists of a version without owners to this chain's certificate. */
  readonly adopt: (x5c: readonly string[], now: Date) => Promise<void>;
  /** The owners of lists with unexpired credentials, and when the last of these expires. */
  readonly findOwners: (now: Date) => Promise<readonly ListOwner[]>;
  /**
   * Unlinks the entries of expired credentials from their offers, and deletes lists that no credential refers to any
   * more. Lists of certificates other than the current one (`x5c`) end with their last credential.
   */
  readonly purge: (now: Date, limit: number, x5c: readonly string[]) => Promise<number>;
}

/** Status lists and their entries in Postgres: an issuance adds its own row, a list is built when it is published. */
export function createStatusListStore(database: Database): StatusListStore {
  return {
    ...entries(database),
    ...publications(database),
    async adopt(x5c, now) {
      await database.query(SQL.ADOPT_LISTS, [x5c, now]);
    },
    async findOwners(now) {
      const rows = await database.query<Omit<ListOwner, 'endsAt'> & { ends_at: Date }>(SQL.FIND_OWNERS, [now]);
      return rows.map(({ x5c, ends_at: endsAt, lists, issuers }) => ({ x5c, endsAt, lists, issuers }));
    },
    async purge(now, limit, x5c) {
      const purging =
        (sql: string, ...parameters: unknown[]) =>
        async () =>
          (await database.query(sql, parameters)).length;
      return purgeEach([
        purging(SQL.UNLINK_EXPIRED, now, limit),
        async () => (await database.query(SQL.CLOSE_ABANDONED, [now, x5c]), 0),
        purging(SQL.PURGE_ENTRIES, now, limit),
        purging(SQL.PURGE_LISTS, now),
      ]);
    },
  };
}
