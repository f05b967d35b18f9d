import {
  rebuildEvent,
  type CALLBACK_STATES,
  type ReportingService,
  type UndeliveredCallback,
} from '@vestibule/contracts';
import { ApiError, encodeBase64url } from '@vestibule/foundation';
import { createAudit, type Database } from '@vestibule/persistence';
import { callbackTable } from './callback-table';
import { parseEventId } from './event-id';

export interface OverviewOptions {
  readonly database: Database;
  readonly service: ReportingService;
  /** Default: the name of the service. */
  readonly schema?: string;
  /** Called when an event has become due. */
  readonly wake: () => void;
}

interface ListQuestion {
  readonly state: (typeof CALLBACK_STATES)[number];
  readonly limit: number;
  readonly cursor?: string | undefined;
}

/** What operators see of an outbox, and how they speed it up. */
export interface CallbackOverview {
  /** Oldest first. Throws `invalid_request` for an invalid cursor. */
  list(question: ListQuestion): Promise<{ items: UndeliveredCallback[]; nextCursor?: string }>;
  /** Makes waiting events due now: all, or those of one event's subject. Throws `callback_not_found`. */
  retry(question: { readonly id?: string | undefined }): Promise<{ retried: number }>;
}

interface Row {
  readonly id: Buffer;
  readonly subject: string;
  readonly status: string | null;
  readonly target: string;
  readonly attempts: number;
  readonly last_result: string | null;
  readonly created_at: Date;
  readonly age_seconds: number;
  readonly next_attempt_at: Date;
  readonly expires_at: Date;
  readonly dead_at: Date | null;
  readonly held_until: Date | null;
  readonly has_details: boolean;
}

/** Ids begin with their time, so their order is that of the events. */
const listSql = (table: string): string => `
  SELECT id, subject, status, target, attempts, last_result, created_at, next_attempt_at, expires_at, dead_at,
    CASE WHEN held_until > now() THEN held_until END AS held_until, details IS NOT NULL AS has_details,
    floor(extract(epoch FROM now() - created_at))::int AS age_seconds
  FROM ${table}
  WHERE (dead_at IS NOT NULL) = $1::boolean AND ($2::bytea IS NULL OR id > $2::bytea)
  ORDER BY id LIMIT $3`;

/**
 * Earlier events of a subject come first, so a retry of one is a retry of all of them. Leased events are in progress,
 * and so are those that a deliverer has locked: skipping them, this statement never waits or deadlocks. Held events are
 * released only if an operator names them.
 */
const retrySql = (table: string): string => `
  WITH wanted AS (
    SELECT id FROM ${table}
    WHERE dead_at IS NULL AND ($1::bytea IS NULL OR subject = (SELECT subject FROM ${table} WHERE id = $1::bytea))
  ), free AS (
    SELECT callback.id FROM ${table} AS callback JOIN wanted ON callback.id = wanted.id
    WHERE callback.dead_at IS NULL AND (callback.leased_until IS NULL OR callback.leased_until <= now())
      AND (callback.held_until IS NULL OR callback.held_until <= now() OR callback.id = $1::bytea)
    FOR UPDATE OF callback SKIP LOCKED
  ), retried AS (
    UPDATE ${table} AS callback SET next_attempt_at = now(), held_until = NULL FROM free WHERE callback.id = free.id
    RETURNING 1
  )
  SELECT (SELECT count(*) FROM retried)::int AS retried,
    EXISTS (SELECT FROM wanted WHERE id = $1::bytea) AS found`;

/** The details need not be opened to know that. */
function isReplayable(service: ReportingService, { subject, status, has_details: hasDetails }: Row): boolean {
  const variants = hasDetails ? [undefined, ''] : [undefined];
  return variants.some((errorDetails) => rebuildEvent(service, { subject, status, errorDetails }) !== undefined);
}

function viewOf(service: ReportingService, row: Row): UndeliveredCallback {
  const { status, target, last_result: lastResult, dead_at: deadAt, held_until: heldUntil } = row;
  return {
    id: encodeBase64url(row.id),
    service,
    subject: row.subject,
    ...(status === null ? {} : { status }),
    state: deadAt ? 'dead' : 'waiting',
    ...(target === '' ? {} : { target }),
    attempts: row.attempts,
    ...(lastResult === null ? {} : { last_result: lastResult }),
    created_at: row.created_at.toISOString(),
    age_seconds: Math.max(0, row.age_seconds),
    ...(deadAt ? { dead_at: deadAt.toISOString() } : { next_attempt_at: row.next_attempt_at.toISOString() }),
    ...(deadAt || !heldUntil ? {} : { held_until: heldUntil.toISOString() }),
    expires_at: row.expires_at.toISOString(),
    ...(deadAt ? { replayable: isReplayable(service, row) } : {}),
  };
}

function keyOf(id: string | undefined): Buffer | null | undefined {
  if (id === undefined) return null;
  return parseEventId(id);
}

function refuseCursor(): never {
  const faults = [{ path: 'cursor', message: 'is not a cursor of this list' }];
  throw new ApiError({ kind: 'invalid', code: 'invalid_request', detail: 'the query string is not valid', faults });
}

function noSuchCallback(): ApiError {
  const detail = 'no event with this id is pending; a dead letter can be replayed, not retried';
  return new ApiError({ kind: 'not_found', code: 'callback_not_found', detail });
}

/** The overview of one service's outbox. */
export function createCallbackOverview(options: OverviewOptions): CallbackOverview {
  const { database, service, schema = service, wake } = options;
  const table = callbackTable(schema);
  const audit = createAudit({ database, schema });
  return {
    async list({ state, limit, cursor }) {
      const after = keyOf(cursor);
      if (after === undefined) return refuseCursor();
      const rows = await database.query<Row>(listSql(table), [state === 'dead', after, limit + 1]);
      const items = rows.slice(0, limit).map((row) => viewOf(service, row));
      const last = items.at(-1);
      return { items, ...(rows.length > limit && last ? { nextCursor: last.id } : {}) };
    },
    async retry({ id }) {
      const key = keyOf(id);
      if (key === undefined) throw noSuchCallback();
      const retried = await audit.run(async (query) => {
        const [row] = await query<{ retried: number; found: boolean }>(retrySql(table), [key]);
        if (id !== undefined && !row?.found) throw noSuchCallback();
        const result = row?.retried ?? 0;
        const entry = {
          action: 'callback.retry',
          ...(id === undefined ? {} : { target: id }),
          details: { retried: result },
        };
        return { result, entry: result > 0 ? entry : undefined };
      });
      wake();
      return { retried };
    },
  };
}
