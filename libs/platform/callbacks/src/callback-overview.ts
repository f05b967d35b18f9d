import {
  rebuildEvent,
  type CALLBACK_STATES,
  type ReportingService,
  type UndeliveredCallback,
} from '@vestibule/contracts';
import { ApiError, encodeBase64url } from '@vestibule/foundation';
import { createAudit, type Database } from '@vestibule/persistence';
import { callbackTable, WAITS_SINCE } from './callback-table';
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

const LISTED = `id, subject, status, target, attempts, last_result, created_at, next_attempt_at, expires_at, dead_at,
    CASE WHEN held_until > now() THEN held_until END AS held_until, details IS NOT NULL AS has_details,
    floor(extract(epoch FROM now() - created_at))::int AS age_seconds`;

/**
 * Ids begin with their time, so their order is that of the events. Said by their payload, Postgres reads many in this order,
 * and not all that wait to sort them. Of few among many dead letters it reads only those, by `callback_age`.
 */
const waitingSql = (table: string): string => `
  SELECT ${LISTED} FROM ${table}
  WHERE payload IS NOT NULL AND ${WAITS_SINCE} IS NOT NULL AND id > $1::bytea ORDER BY id LIMIT $2`;

const deadSql = (table: string): string => `
  SELECT ${LISTED} FROM ${table} WHERE dead_at IS NOT NULL AND id > $1::bytea ORDER BY id LIMIT $2`;

/**
 * Earlier events of a subject come first, so a retry of one is a retry of all of them. Leased events are in progress,
 * and so are those that a deliverer has locked: skipping them, these statements never wait or deadlock. Held events are
 * released only if an operator names them: others go out by the end of their hold, also if what came before them was to
 * wait for longer.
 */
const retryOneSql = (table: string): string => `
  WITH wanted AS (
    SELECT id FROM ${table} WHERE dead_at IS NULL AND subject = (SELECT subject FROM ${table} WHERE id = $1::bytea)
  ), free AS (
    SELECT callback.id FROM ${table} AS callback JOIN wanted ON callback.id = wanted.id
    WHERE callback.dead_at IS NULL AND (callback.leased_until IS NULL OR callback.leased_until <= now())
      AND (callback.held_until IS NULL OR callback.held_until < GREATEST(now(), callback.next_attempt_at) OR callback.id = $1::bytea)
    FOR UPDATE OF callback SKIP LOCKED
  ), retried AS (
    UPDATE ${table} AS callback SET
      next_attempt_at = CASE WHEN callback.id = $1::bytea THEN now() ELSE GREATEST(now(), callback.held_until) END,
      held_until = CASE WHEN callback.id <> $1::bytea AND callback.held_until > now() THEN callback.held_until END
    FROM free WHERE callback.id = free.id RETURNING callback.held_until
  )
  SELECT (SELECT count(*) FROM retried WHERE held_until IS NULL)::int AS retried,
    (SELECT count(*) FROM retried WHERE held_until IS NOT NULL)::int AS held,
    EXISTS (SELECT FROM wanted WHERE id = $1::bytea) AS found`;

/** As many as Postgres makes due well within the time of a statement. */
const RETRY_BATCH = 5_000;
/** Counting more takes too long. */
const MOST_COUNTED = 100_000;

/** Free, and not held beyond its next attempt. */
const IS_FREE = `dead_at IS NULL AND (leased_until IS NULL OR leased_until <= now())
      AND (held_until IS NULL OR held_until < GREATEST(now(), next_attempt_at))`;

/** What is due already waits for nothing but its turn: it is only counted, up to `$1`. */
const retrySomeSql = (table: string): string => `
  WITH due AS (
    SELECT FROM ${table} WHERE next_attempt_at <= now() AND ${IS_FREE} LIMIT $1
  ), made AS (
    UPDATE ${table} SET
      next_attempt_at = GREATEST(now(), held_until), held_until = CASE WHEN held_until > now() THEN held_until END
    WHERE id = ANY (ARRAY(
      SELECT id FROM ${table} WHERE next_attempt_at > now() AND ${IS_FREE} LIMIT ${RETRY_BATCH} FOR UPDATE SKIP LOCKED))
    RETURNING held_until
  )
  SELECT (SELECT count(*) FROM due)::int AS due, (count(*) FILTER (WHERE held_until IS NULL))::int AS made,
    (count(*) FILTER (WHERE held_until IS NOT NULL))::int AS held FROM made`;

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

const BEFORE_ALL = Buffer.alloc(0);

function refuseCursor(): never {
  const faults = [{ path: 'cursor', message: 'is not a cursor of this list' }];
  throw new ApiError({ kind: 'invalid', code: 'invalid_request', detail: 'the query string is not valid', faults });
}

function noSuchCallback(): ApiError {
  const detail = 'no event with this id is pending; a dead letter can be replayed, not retried';
  return new ApiError({ kind: 'not_found', code: 'callback_not_found', detail });
}

/** Makes events due, and records it. */
function retrying({ database, service, schema = service, wake }: OverviewOptions) {
  const table = callbackTable(schema);
  const audit = createAudit({ database, schema });
  const [one, some] = [retryOneSql(table), retrySomeSql(table)];
  /** `held`: events that are not due now, but earlier than before. */
  const entryOf = (retried: number, held: number, target?: { readonly target: string }) => {
    const details = { retried, ...(held > 0 && { held }) };
    return retried + held > 0 ? { action: 'callback.retry', ...target, details } : undefined;
  };
  const retryPart = (counted: number) =>
    audit.run(async (query) => {
      const [row] = await query<{ due: number; made: number; held: number }>(some, [counted]);
      const { due, made, held } = row ?? { due: 0, made: 0, held: 0 };
      const isMore = made + held === RETRY_BATCH;
      return { result: { retried: due + made, isMore }, entry: entryOf(due + made, held) };
    });
  return {
    async retryOne(id: string): Promise<number> {
      const key = parseEventId(id);
      if (key === undefined) throw noSuchCallback();
      const retried = await audit.run(async (query) => {
        const [row] = await query<{ retried: number; held: number; found: boolean }>(one, [key]);
        if (!row?.found) throw noSuchCallback();
        return { result: row.retried, entry: entryOf(row.retried, row.held, { target: id }) };
      });
      wake();
      return retried;
    },
    /** In parts: what is done stays done if the caller gives up before all is, and a repetition does the rest. */
    async retryAll(): Promise<number> {
      let part = await retryPart(MOST_COUNTED);
      let { retried } = part;
      wake();
      while (part.isMore) {
        part = await retryPart(0);
        retried += part.retried;
        wake();
      }
      return retried;
    },
  };
}

/** The overview of one service's outbox. */
export function createCallbackOverview(options: OverviewOptions): CallbackOverview {
  const { database, service, schema = service } = options;
  const table = callbackTable(schema);
  const { retryOne, retryAll } = retrying(options);
  const statements = { waiting: waitingSql(table), dead: deadSql(table) };
  return {
    async list({ state, limit, cursor }) {
      const after = cursor === undefined ? BEFORE_ALL : parseEventId(cursor);
      if (after === undefined) return refuseCursor();
      // Planned for the outbox of this moment: the plan from when it was nearly empty may read all of it.
      const rows = await database.queryAnew<Row>(statements[state], [after, limit + 1]);
      const items = rows.slice(0, limit).map((row) => viewOf(service, row));
      const last = items.at(-1);
      return { items, ...(rows.length > limit && last ? { nextCursor: last.id } : {}) };
    },
    retry: async ({ id }) => ({ retried: id === undefined ? await retryAll() : await retryOne(id) }),
  };
}
