import { createTimedId, parseTimedId, type Sealer } from '@vestibule/crypto';
import { encodeBase64url, type RandomBytes } from '@vestibule/foundation';
import { sealedColumn, type SealedColumn } from '@vestibule/persistence';
import { callbackTable } from './callback-table';

/** An event to be delivered to a backend. */
export interface CallbackEvent {
  /** Ordering key: the state of a presentation request or the id of an offer. */
  readonly subject: string;
  /** The JSON text that is posted, byte for byte. */
  readonly body: string;
  /** The event's status for operators, such as `FULFILLED`, and nothing else of it. */
  readonly status: string;
  /** The `errorDetails` of an event without claims, from which a dead letter can be rebuilt. */
  readonly errorDetails?: string | undefined;
}

export interface EnqueueContext {
  readonly schema: string;
  readonly sealer: Sealer;
  readonly random: RandomBytes;
  readonly now: Date;
  /** How long delivery is attempted; 24 h by default. */
  readonly expiresInSeconds?: number;
}

/**
 * The context of an SQL fragment: its parameters start at `$firstParameter`, and it selects from the CTE `from`, whose
 * column `callback_url` is the event's own receiver, or NULL for the configured one.
 */
export interface InsertOptions {
  readonly schema: string;
  readonly from: string;
  readonly firstParameter: number;
  /** The parameter with the seconds for which the event is held, unless it is released; 0: not at all. */
  readonly holdParameter?: number;
}

const DEFAULT_EXPIRES_IN_SECONDS = 24 * 3600;

/** What a sealed payload is bound to: it opens only in its own row. */
export function payloadContext(schema: string, id: Uint8Array): string {
  return `${schema}.callback.payload/${encodeBase64url(id)}`;
}

/** What sealed details are bound to. */
export function detailsContext(schema: string, id: Uint8Array): string {
  return `${schema}.callback.details/${encodeBase64url(id)}`;
}

/** The sealed columns of the outbox, and its byte columns that are identifiers. */
export const callbackSealedColumns = (schema: string): readonly SealedColumn[] => {
  const column = (name: string, contextOf: (schema: string, id: Uint8Array) => string) =>
    sealedColumn<{ id: Buffer }>({
      table: 'callback',
      column: name,
      key: ['id'],
      contextOf: ({ id }) => contextOf(schema, id),
    });
  return [column('payload', payloadContext), column('details', detailsContext)];
};
export const CALLBACK_PLAIN_COLUMNS = ['callback.id'];

function seal(event: CallbackEvent, context: EnqueueContext): { id: Buffer; payload: Buffer; details: Buffer | null } {
  const { schema, sealer } = context;
  const id = Buffer.from(parseTimedId(createTimedId(context.now, context.random)) as Uint8Array);
  const { errorDetails } = event;
  return {
    id,
    payload: sealer.seal(Buffer.from(event.body, 'utf8'), payloadContext(schema, id)),
    details:
      errorDetails === undefined ? null : sealer.seal(Buffer.from(errorDetails, 'utf8'), detailsContext(schema, id)),
  };
}

/** `[id, subject, sealed payload, seconds to live, status, sealed details]`: the parameters of {@link insertCallbackSql}, in order. */
export function callbackParameters(
  event: CallbackEvent,
  context: EnqueueContext,
): [Buffer, string, Buffer, number, string, Buffer | null] {
  const { id, payload, details } = seal(event, context);
  return [id, event.subject, payload, context.expiresInSeconds ?? DEFAULT_EXPIRES_IN_SECONDS, event.status, details];
}

/**
 * Inserts one event if the CTE `from` has its single row, with six parameters. The change of state and its event are
 * thus one atomic statement:
 * `WITH ended AS (UPDATE … RETURNING id, callback_url), event AS (${insertCallbackSql(…)}) SELECT id FROM ended`.
 */
export function insertCallbackSql({ schema, from, firstParameter, holdParameter }: InsertOptions): string {
  const at = (offset: number): string => `$${firstParameter + offset}`;
  const hold = holdParameter === undefined ? '0' : `$${holdParameter}::integer`;
  return `INSERT INTO ${callbackTable(schema)}
      (id, subject, payload, expires_at, status, details, url, next_attempt_at, held_until)
    SELECT ${at(0)}::bytea, ${at(1)}::text, ${at(2)}::bytea, now() + (${at(3)}::integer + ${hold}) * interval '1 second',
      ${at(4)}::text, ${at(5)}::bytea, ${from}.callback_url, now() + ${hold} * interval '1 second',
      CASE WHEN ${hold} > 0 THEN now() + ${hold} * interval '1 second' END
    FROM ${from}`;
}

/**
 * Releases the held events of the subjects that the CTE `from` has in a text column `subject`: they become due, and
 * their lifetime starts. Events that are not held, or whose hold has ended, are unchanged, so that none is released
 * twice.
 */
export function releaseCallbacksSql({ schema, from }: Pick<InsertOptions, 'schema' | 'from'>): string {
  // By its payload, an event is live as by `dead_at`, which would invite Postgres to read all of `callback_due` for each subject.
  return `UPDATE ${callbackTable(schema)} AS held
    SET held_until = NULL, next_attempt_at = now(), expires_at = held.expires_at - (held.held_until - now())
    FROM ${from} WHERE held.subject = ${from}.subject AND held.held_until > now() AND held.payload IS NOT NULL
    RETURNING 1 AS released`;
}

/** `[ids, subjects, sealed payloads, seconds to live, statuses, sealed details]`: the six parameters of {@link insertCallbacksSql}, in order. */
export function callbackBatchParameters(
  events: readonly CallbackEvent[],
  context: EnqueueContext,
): [Buffer[], string[], Buffer[], number, string[], (Buffer | null)[]] {
  const sealed = events.map((event) => seal(event, context));
  return [
    sealed.map(({ id }) => id),
    events.map(({ subject }) => subject),
    sealed.map(({ payload }) => payload),
    context.expiresInSeconds ?? DEFAULT_EXPIRES_IN_SECONDS,
    events.map(({ status }) => status),
    sealed.map(({ details }) => details),
  ];
}

/**
 * The same for a batch (a sweep of expired requests): inserts those of the given events whose subject the CTE `from`
 * returns in a text column `subject`. Events of rows that another process has ended meanwhile are omitted.
 */
export function insertCallbacksSql({ schema, from, firstParameter }: InsertOptions): string {
  const at = (offset: number): string => `$${firstParameter + offset}`;
  return `INSERT INTO ${callbackTable(schema)} (id, subject, payload, expires_at, status, details, url)
    SELECT event.id, event.subject, event.payload, now() + ${at(3)}::integer * interval '1 second',
      event.status, event.details, ${from}.callback_url
    FROM unnest(${at(0)}::bytea[], ${at(1)}::text[], ${at(2)}::bytea[], ${at(4)}::text[], ${at(5)}::bytea[])
      AS event (id, subject, payload, status, details)
    JOIN ${from} ON ${from}.subject = event.subject`;
}
