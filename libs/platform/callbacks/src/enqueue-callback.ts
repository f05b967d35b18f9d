import { canBeRebuilt } from '@vestibule/contracts';
import type { Sealer } from '@vestibule/crypto';
import { encodeBase64url, type RandomBytes } from '@vestibule/foundation';
import { sealedColumn, type SealedColumn } from '@vestibule/persistence';
import { type ClaimedCallback } from './callback-store';
import { callbackTable } from './callback-table';
import { createEventId } from './event-id';
import { encodeRemains } from './sealed-remains';

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
  /** The only URL that may get it, null for the configured receiver; undefined: what its row says. */
  readonly receiver?: string | null | undefined;
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
  /** The parameter with the milliseconds for which the event is leased to this process; 0: not at all. */
  readonly leaseParameter?: number;
}

/**
 * The fragment of {@link releaseCallbacksSql}: `leaseParameter` is the first of three, the milliseconds of a lease, the
 * most events that are leased, and the ids of delivered events that nothing waits for.
 */
export type ReleaseOptions = Pick<InsertOptions, 'schema' | 'from' | 'leaseParameter'>;

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

/** What was sealed, for as long as this process has the sealed payload in memory: to post it, it need not open it. */
const bodies = new WeakMap<Buffer, Buffer>();

/** The body of an event that {@link callbackParameters} of this process has sealed in this buffer. */
export const bodySealedIn = (payload: Buffer): Buffer | undefined => bodies.get(payload);

function seal(event: CallbackEvent, context: EnqueueContext): { id: Buffer; payload: Buffer; details: Buffer | null } {
  const { schema, sealer } = context;
  const id = createEventId(context.now, context.random, event.receiver);
  const { subject, status, errorDetails } = event;
  const remains = canBeRebuilt(status) ? encodeRemains({ subject, status, errorDetails }) : undefined;
  const body = Buffer.from(event.body, 'utf8');
  const payload = sealer.seal(body, payloadContext(schema, id));
  bodies.set(payload, body);
  return {
    id,
    payload,
    details: remains === undefined ? null : sealer.seal(Buffer.from(remains, 'utf8'), detailsContext(schema, id)),
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
 * The latest time at which an earlier event of the subject is due, NULL if there is none: a follower is not due before that.
 * Otherwise every claim until then would look at it, and at all others of its kind, and pass them by.
 */
const dueAfter = (table: string, isEarlier: string): string =>
  `(SELECT max(earlier.next_attempt_at) FROM ${table} AS earlier WHERE ${isEarlier} AND earlier.payload IS NOT NULL)`;

/**
 * Inserts one event if the CTE `from` has its single row, with six parameters. The change of state and its event are
 * thus one atomic statement:
 * `WITH ended AS (UPDATE … RETURNING id, callback_url), event AS (${insertCallbackSql(…)}) SELECT id FROM ended`.
 * With `leaseParameter`, the event is leased to this process if it is for the configured receiver and follows no other;
 * the fragment returns in `leased` whether it is.
 */
export function insertCallbackSql(options: InsertOptions): string {
  const { schema, from, firstParameter, holdParameter, leaseParameter } = options;
  const at = (offset: number): string => `$${firstParameter + offset}`;
  const hold = holdParameter === undefined ? '0' : `$${holdParameter}::integer`;
  const due = `now() + ${hold} * interval '1 second'`;
  // With a lease, it is the first event of its subject.
  const earliest = dueAfter(callbackTable(schema), `earlier.subject = ${at(1)}::text`);
  const dueAt = leaseParameter === undefined ? `greatest(${due}, ${earliest})` : due;
  const insert = (more: {
    readonly columns: string;
    readonly values: string;
  }): string => `INSERT INTO ${callbackTable(schema)}
      (id, subject, payload, expires_at, status, details, url, next_attempt_at, held_until${more.columns})
    SELECT ${at(0)}::bytea, ${at(1)}::text, ${at(2)}::bytea, now() + (${at(3)}::integer + ${hold}) * interval '1 second',
      ${at(4)}::text, ${at(5)}::bytea, ${from}.callback_url, ${dueAt},
      CASE WHEN ${hold} > 0 THEN now() + ${hold} * interval '1 second' END${more.values}
    FROM ${from}`;
  if (leaseParameter === undefined) return insert({ columns: '', values: '' });
  const milliseconds = `$${leaseParameter}::integer`;
  // Without OFFSET, Postgres would look for earlier events once for each column.
  return `${insert({
    columns: ', attempts, leased_until',
    values: `, lease.taken::integer, CASE WHEN lease.taken THEN now() + ${milliseconds} * interval '1 millisecond' END`,
  })} CROSS JOIN LATERAL (
      SELECT ${milliseconds} > 0 AND ${from}.callback_url IS NULL AND NOT EXISTS (
        SELECT FROM ${callbackTable(schema)} AS earlier WHERE earlier.subject = ${at(1)}::text AND earlier.payload IS NOT NULL
      ) AS taken OFFSET 0) AS lease
    RETURNING leased_until IS NOT NULL AS leased`;
}

/** The columns of an event that {@link releaseCallbacksSql} returns, if it leases any. */
export interface ReleasedCallback extends Omit<ClaimedCallback, 'payload'> {
  /** Null if the event was not leased. */
  readonly payload: Buffer | null;
}

/**
 * Releases the held events of the subjects that the CTE `from` has in a text column `subject`: they become due, and
 * their lifetime starts. Events that are not held, or whose hold has ended, are unchanged, so that none is released
 * twice. With `leaseParameter`, events for the configured receiver that follow no other are leased to this process; the
 * columns are those of a {@link ReleasedCallback}. The text is the body of a CTE.
 */
export function releaseCallbacksSql({ schema, from, leaseParameter }: ReleaseOptions): string {
  const table = callbackTable(schema);
  const after = dueAfter(table, 'earlier.subject = held.subject AND earlier.sequence < held.sequence');
  const due = `greatest(now(), ${after})`;
  const release = (dueAt: string) =>
    `held_until = NULL, next_attempt_at = ${dueAt}, expires_at = held.expires_at - (held.held_until - now())`;
  // By its payload, an event is live as by `dead_at`, which would invite Postgres to read all of `callback_due` for each subject.
  const isHeld = (row: string): string => `${row}.held_until > now() AND ${row}.payload IS NOT NULL`;
  if (leaseParameter === undefined)
    return `UPDATE ${table} AS held SET ${release(due)}
    FROM ${from} WHERE held.subject = ANY (ARRAY(SELECT subject FROM ${from})) AND held.subject = ${from}.subject
      AND ${isHeld('held')}
    RETURNING 1 AS released`;
  const [milliseconds, most, delivered] = [0, 1, 2].map((offset) => `$${leaseParameter + offset}`);
  // Postgres takes a table without statistics to have a hundred events per subject, and would rather read all of them
  // than join by index. LATERAL leaves it the index alone.
  return `WITH chosen AS (
      SELECT found.id, row_number() OVER (ORDER BY found.id) <= ${most}::integer AND found.url IS NULL AND NOT EXISTS (
        SELECT FROM ${table} AS earlier
        WHERE earlier.subject = found.subject AND earlier.sequence < found.sequence AND earlier.payload IS NOT NULL
          AND earlier.id <> ALL (${delivered}::bytea[])) AS taken
      FROM ${from} CROSS JOIN LATERAL (
        SELECT id, subject, sequence, url FROM ${table} AS event
        WHERE event.subject = ${from}.subject AND ${isHeld('event')} OFFSET 0) AS found
    )
    UPDATE ${table} AS held SET ${release(`CASE WHEN chosen.taken THEN now() ELSE ${due} END`)},
      attempts = held.attempts + chosen.taken::integer,
      leased_until = CASE WHEN chosen.taken THEN now() + ${milliseconds}::integer * interval '1 millisecond' END
    FROM chosen WHERE held.id = ANY (ARRAY(SELECT id FROM chosen)) AND held.id = chosen.id AND ${isHeld('held')}
    RETURNING held.id, held.subject, CASE WHEN chosen.taken THEN held.payload END AS payload, held.url, held.status, held.attempts`;
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
  return `INSERT INTO ${callbackTable(schema)} (id, subject, payload, expires_at, status, details, url, next_attempt_at)
    SELECT event.id, event.subject, event.payload, now() + ${at(3)}::integer * interval '1 second',
      event.status, event.details, ${from}.callback_url, greatest(now(), ${dueAfter(callbackTable(schema), 'earlier.subject = event.subject')})
    FROM unnest(${at(0)}::bytea[], ${at(1)}::text[], ${at(2)}::bytea[], ${at(4)}::text[], ${at(5)}::bytea[])
      AS event (id, subject, payload, status, details)
    JOIN ${from} ON ${from}.subject = event.subject`;
}
