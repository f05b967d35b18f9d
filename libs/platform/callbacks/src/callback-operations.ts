import { NOT_REBUILT, rebuildEvent, type EventRemains, type ReportingService } from '@vestibule/contracts';
import type { Sealer } from '@vestibule/crypto';
import { ApiError } from '@vestibule/foundation';
import { createAudit, type Database } from '@vestibule/persistence';
import { callbackTable } from './callback-table';
import { detailsContext, payloadContext } from './enqueue-callback';
import { parseEventId } from './event-id';
import { decodeRemains } from './sealed-remains';

export interface OperationsOptions {
  readonly database: Database;
  /** The service whose contract its events are rebuilt by. */
  readonly service: ReportingService;
  /** Default: the name of the service. */
  readonly schema?: string;
  readonly sealer: Sealer;
  /** How long delivery of a replayed event is attempted. */
  readonly lifetimeSeconds: number;
  /** Called when an event has become due. */
  readonly wake: () => void;
}

/** What operators can do about an event, besides a retry. */
export interface CallbackOperations {
  /** Turns a waiting event into a dead letter. Throws `callback_not_found`. */
  drop(question: { readonly id: string }): Promise<Record<string, never>>;
  /**
   * Rebuilds dead letters and makes them due, each under its own id: a single one, or all that report an end, oldest
   * first. Throws `callback_not_found` and `callback_not_replayable`.
   */
  replay(question: { readonly id?: string | undefined }): Promise<{ replayed: number; more: boolean }>;
}

interface DeadLetter {
  readonly id: Buffer;
  readonly subject: string;
  readonly status: string | null;
  readonly details: Buffer | null;
}

const REPLAY_BATCH = 500;
const BEFORE_ALL = Buffer.alloc(0);

/** Events that followed it waited for it and are due now, unless they are held. One that is being posted is left alone. */
const dropSql = (table: string): string => `
  WITH dropped AS (
    UPDATE ${table} SET dead_at = now(), payload = NULL, last_result = 'dropped'
    WHERE id = $1::bytea AND dead_at IS NULL RETURNING subject, sequence
  ), followers AS (
    UPDATE ${table} AS later SET next_attempt_at = GREATEST(now(), later.held_until) FROM dropped
    WHERE later.subject = dropped.subject AND later.sequence > dropped.sequence
      AND later.dead_at IS NULL AND (later.leased_until IS NULL OR later.leased_until <= now())
  )
  SELECT 1 AS dropped FROM dropped`;

const findSql = (table: string): string => `
  SELECT id, subject, status, details FROM ${table} WHERE id = $1::bytea AND dead_at IS NOT NULL`;

/** Without details, nothing but the row says what a letter was. */
const findAllSql = (table: string): string => `
  SELECT id, subject, status, details FROM ${table}
  WHERE dead_at IS NOT NULL AND details IS NOT NULL AND status <> ALL ($3::text[]) AND id > $1::bytea
  ORDER BY id LIMIT $2`;

/**
 * If two operators replay the same dead letter, one succeeds. An attempt that was in progress when the event was
 * dropped keeps its lease and its number, so that its result is not mistaken for that of a later attempt.
 */
const replaySql = (table: string): string => `
  UPDATE ${table} AS letter
  SET payload = given.payload, dead_at = NULL, next_attempt_at = now(), held_until = NULL,
    attempts = CASE WHEN leased_until > now() THEN attempts ELSE 0 END,
    expires_at = now() + $3::integer * interval '1 second'
  FROM unnest($1::bytea[], $2::bytea[]) AS given (id, payload)
  WHERE letter.id = given.id AND letter.dead_at IS NOT NULL RETURNING 1 AS replayed`;

function notFound(detail: string): ApiError {
  return new ApiError({ kind: 'not_found', code: 'callback_not_found', detail });
}

function notReplayable(): ApiError {
  const detail = 'this dead letter cannot be rebuilt: its claims were deleted, or it is from an older release';
  return new ApiError({ kind: 'conflict', code: 'callback_not_replayable', detail });
}

/** Rebuilds the sealed payload of a dead letter's event; undefined if the remains are not sufficient. */
function rebuilding({ service, schema = service, sealer }: OperationsOptions) {
  /** Undefined also if the sealing key is no longer configured. */
  function openDetails({ id, details }: DeadLetter): string | undefined {
    try {
      return details ? sealer.open(details, detailsContext(schema, id)).toString('utf8') : undefined;
    } catch {
      return undefined;
    }
  }

  /**
   * An event that an earlier version has queued is rebuilt from its row alone, which anybody who writes rows could have
   * inserted: only if an operator names it.
   */
  function remainsOf(letter: DeadLetter, isNamed: boolean): EventRemains | undefined {
    const details = openDetails(letter);
    const remains = details === undefined ? undefined : decodeRemains(details);
    return remains ?? (isNamed ? { ...letter, errorDetails: details } : undefined);
  }

  return function rebuild(letter: DeadLetter, { isNamed }: { readonly isNamed: boolean }): Buffer | undefined {
    const remains = remainsOf(letter, isNamed);
    const body = remains && rebuildEvent(service, remains);
    return body === undefined ? undefined : sealer.seal(Buffer.from(body, 'utf8'), payloadContext(schema, letter.id));
  };
}

interface Rebuilt {
  readonly id: Buffer;
  readonly payload: Buffer;
}

/** Replays one dead letter, or one batch of them. */
function replaying(options: OperationsOptions) {
  const { database, service, schema = service, lifetimeSeconds } = options;
  const table = callbackTable(schema);
  const audit = createAudit({ database, schema });
  const rebuild = rebuilding(options);

  async function revive(letters: readonly Rebuilt[], target?: { readonly target: string }): Promise<number> {
    if (letters.length === 0) return 0;
    const [ids, payloads] = [letters.map(({ id }) => id), letters.map(({ payload }) => payload)];
    return audit.run(async (query) => {
      const result = (await query(replaySql(table), [ids, payloads, lifetimeSeconds])).length;
      const entry = { action: 'callback.replay', ...target, details: { replayed: result } };
      return { result, entry: result > 0 ? entry : undefined };
    });
  }

  return {
    async replayOne(id: string): Promise<number> {
      const key = parseEventId(id);
      const [letter] = key ? await database.query<DeadLetter>(findSql(table), [key]) : [];
      if (!letter) throw notFound('no dead letter has this id');
      const payload = rebuild(letter, { isNamed: true });
      if (!payload) throw notReplayable();
      return revive([{ id: letter.id, payload }], { target: id });
    },
    /**
     * Keeps dead letters that cannot be rebuilt, those of which only the row says what they were, and informational
     * events, which are useless after their time.
     */
    async replayAll(): Promise<{ replayed: number; more: boolean }> {
      let last: Buffer = BEFORE_ALL;
      for (;;) {
        const page = [last, REPLAY_BATCH, NOT_REBUILT];
        const letters: DeadLetter[] = await database.queryAnew<DeadLetter>(findAllSql(table), page);
        const rebuilt = letters.flatMap((letter) => {
          const payload = rebuild(letter, { isNamed: false });
          return payload ? [{ id: letter.id, payload }] : [];
        });
        const replayed = await revive(rebuilt);
        const more = letters.length === REPLAY_BATCH;
        if (replayed > 0 || !more) return { replayed, more };
        last = letters.at(-1)?.id ?? last;
      }
    },
  };
}

/** The operations on one service's outbox. */
export function createCallbackOperations(options: OperationsOptions): CallbackOperations {
  const { database, service, schema = service, wake } = options;
  const { replayOne, replayAll } = replaying(options);
  const audit = createAudit({ database, schema });
  return {
    async drop({ id }) {
      const key = parseEventId(id);
      if (!key) throw notFound('no event with this id is pending');
      await audit.run(async (query) => {
        const rows = await query(dropSql(callbackTable(schema)), [key]);
        if (rows.length === 0) throw notFound('no event with this id is pending');
        return { result: undefined, entry: { action: 'callback.drop', target: id } };
      });
      wake();
      return {};
    },
    async replay({ id }) {
      const outcome = id === undefined ? await replayAll() : { replayed: await replayOne(id), more: false };
      wake();
      return outcome;
    },
  };
}
