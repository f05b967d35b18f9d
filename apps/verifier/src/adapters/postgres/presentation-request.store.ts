import {
  callbackBatchParameters,
  callbackParameters,
  commitEvent,
  insertCallbackSql,
  insertCallbacksSql,
  type CommitEvents,
} from '@vestibule/callbacks';
import type { PresentedCredentialsEvent } from '@vestibule/contracts';
import { parseTimedId, type Sealer } from '@vestibule/crypto';
import { encodeBase64url, type RandomBytes } from '@vestibule/foundation';
import { createAudit, type Database, type Idempotency, type Query } from '@vestibule/persistence';
import { subjectHash } from '@vestibule/process';
import type { PresentationRequests, Repeatable } from '../../domain/ports';
import type { Ending } from '../../domain/presentation-ending';
import { encodeDecisionRecord } from './decision-record';
import { openAccepted, sealAnswer, type AcceptedRow } from './kept-answer';
import { SCHEMA } from './migrations';
import { viewOf, type ViewRow } from './presentation-request-view';
import { decodeSession, encodeSession } from './session-record';

interface PresentationRequestStoreOptions {
  readonly database: Database;
  readonly sealer: Sealer;
  readonly idempotency: Idempotency;
  readonly random: RandomBytes;
  /** How long the remains of an ended request, without claims, are kept. */
  readonly retentionSeconds: number;
  /** How long delivery of an event is attempted. */
  readonly callbackLifetimeSeconds: number;
  /** Commits events, and delivers them. */
  readonly commit: CommitEvents;
}

interface PendingRow {
  session: Buffer;
  created_at: Date;
  expires_at: Date;
}

/** The result of a statement that has ended a request. */
interface Ended {
  readonly leased: boolean;
}

/** What the sealed columns of a row are bound to. */
export const sealContext = (column: 'session' | 'answer', state: string) =>
  `verifier.presentation_request.${column}/${state}`;

/**
 * Is the request open? Written so that it does not imply the condition of `presentation_request_open`: Postgres takes that
 * index for tiny, and would read all open requests, and the dead entries of those that have ended, instead of one by its
 * key.
 */
const IS_OPEN = `status || '' = 'PENDING'`;

const INSERT = `
  INSERT INTO verifier.presentation_request (state, session, created_at, expires_at, callback_url)
  VALUES ($1, $2, $3, $4, $5)`;

export const FIND_PENDING = `
  SELECT session, created_at, expires_at FROM verifier.presentation_request
  WHERE state = $1 AND ${IS_OPEN} AND expires_at > $2`;

const FIND_VIEW = `
  SELECT status, created_at, expires_at, finished_at, decision_record, checks
  FROM verifier.presentation_request WHERE state = $1`;

const FIND_ACCEPTED = `
  SELECT response_digest, answer FROM verifier.presentation_request WHERE state = $1 AND response_digest IS NOT NULL`;

const IS_EXPECTED = `
  SELECT 1 AS expected FROM verifier.presentation_request
  WHERE state = $1 AND (status = 'PENDING' AND expires_at > $2 OR response_digest IS NOT NULL)`;

/**
 * Ends a request, deletes its keys and inserts its event in one statement; of several concurrent callers exactly one
 * wins. `$13` is how long the event is leased to this process.
 */
export const FINISH = `
  WITH ended AS (
    UPDATE verifier.presentation_request
    SET status = $2, session = NULL, finished_at = $3, response_digest = $4, answer = $5, decision_record = $6
    WHERE state = $1 AND ${IS_OPEN}
    RETURNING state, callback_url
  ), event AS (
    ${insertCallbackSql({ schema: SCHEMA, from: 'ended', firstParameter: 7, leaseParameter: 13 })}
  )
  SELECT leased FROM event`;

export const FIND_OVERDUE = `
  SELECT state, unserved_at IS NOT NULL AS was_unserved FROM verifier.presentation_request
  WHERE status = 'PENDING' AND expires_at <= $1 ORDER BY expires_at LIMIT $2`;

/**
 * Ends each as EXPIRED, or as PROCESSING_ERROR if its event (`$8`) says so. Skips rows that are locked by a wallet's
 * answer or another replica's sweep, so that nothing waits or deadlocks, and rows that were marked since they were
 * found: the next sweep tells their backends.
 */
export const EXPIRE = `
  WITH overdue AS (
    SELECT request.state, given.subject, given.status
    FROM unnest($2::bytea[], $3::text[], $8::text[]) AS given (state, subject, status)
    JOIN verifier.presentation_request AS request ON request.state = given.state
    WHERE request.state = ANY ($2) AND request.${IS_OPEN} AND request.expires_at <= $1
      AND (request.unserved_at IS NOT NULL) = (given.status = 'PROCESSING_ERROR')
    FOR UPDATE OF request SKIP LOCKED
  ), ended AS (
    UPDATE verifier.presentation_request AS request
    SET status = CASE overdue.status WHEN 'PROCESSING_ERROR' THEN 'PROCESSING_ERROR' ELSE 'EXPIRED' END,
      session = NULL, finished_at = $1
    FROM overdue WHERE request.state = ANY ($2) AND request.state = overdue.state
    RETURNING overdue.subject, request.callback_url
  ), event AS (
    ${insertCallbacksSql({ schema: SCHEMA, from: 'ended', firstParameter: 4 })}
  )
  SELECT count(*)::int AS expired FROM ended`;

/**
 * Marks open requests whose wallet came `$2` milliseconds ago, before they expired. A locked row is being marked or
 * ended already.
 */
export const MARK_UNSERVED = `
  UPDATE verifier.presentation_request AS request SET unserved_at = $3
  FROM (
    SELECT state FROM verifier.presentation_request AS open
    JOIN unnest($1::bytea[], $2::integer[]) AS given (state, ago) USING (state)
    WHERE open.state = ANY ($1) AND open.${IS_OPEN} AND open.unserved_at IS NULL
      AND open.expires_at > $3::timestamptz - given.ago * interval '1 millisecond'
    ORDER BY state FOR UPDATE OF open SKIP LOCKED
  ) AS named
  WHERE request.state = ANY ($1) AND request.state = named.state
  RETURNING 1 AS marked`;

/** Ordered like the index: otherwise a table with mostly old rows would be read from its beginning each time. */
export const PURGE = `
  DELETE FROM verifier.presentation_request WHERE ctid = ANY (ARRAY(
    SELECT ctid FROM verifier.presentation_request
    WHERE finished_at IS NOT NULL AND finished_at <= $1 ORDER BY finished_at LIMIT $2 FOR UPDATE SKIP LOCKED))
  RETURNING 1 AS purged`;

function keyOf(state: string): Buffer | undefined {
  const bytes = parseTimedId(state);
  return bytes && Buffer.from(bytes);
}

type Options = PresentationRequestStoreOptions;

function enqueueingAt(now: Date, { sealer, random, callbackLifetimeSeconds }: Options) {
  return { schema: SCHEMA, sealer, random, now, expiresInSeconds: callbackLifetimeSeconds };
}

function findings({ database, sealer }: Options) {
  return {
    async findPending(state, now) {
      const key = keyOf(state);
      const [row] = key ? await database.query<PendingRow>(FIND_PENDING, [key, now]) : [];
      if (!row) return undefined;
      const session = sealer.open(row.session, sealContext('session', state));
      const request = decodeSession(session, { state, createdAt: row.created_at, expiresAt: row.expires_at });
      return request.expiresAt > now ? request : undefined;
    },
    async findView(state) {
      const key = keyOf(state);
      const [row] = key ? await database.query<ViewRow>(FIND_VIEW, [key]) : [];
      return row && viewOf(state, row);
    },
    async isExpected(state, now) {
      const key = keyOf(state);
      return key !== undefined && (await database.query(IS_EXPECTED, [key, now])).length === 1;
    },
    async findAccepted(state) {
      const key = keyOf(state);
      const [row] = key ? await database.query<AcceptedRow>(FIND_ACCEPTED, [key]) : [];
      return row && openAccepted(sealer, sealContext('answer', state), row);
    },
    async findOverdue(now, limit) {
      const rows = await database.query<{ state: Buffer; was_unserved: boolean }>(FIND_OVERDUE, [now, limit]);
      return rows.map(({ state, was_unserved: wasUnserved }) => ({ state: encodeBase64url(state), wasUnserved }));
    },
  } satisfies Partial<PresentationRequests>;
}

const detailsOf = (event: PresentedCredentialsEvent) => ('errorDetails' in event ? event.errorDetails : undefined);

type End = (query: Query) => Promise<Ended | undefined>;

/** Commits the ending of a request with its event; `run` runs the statement, and what belongs to it. */
function finishing(options: Options) {
  const { sealer, commit } = options;
  return async (ending: Ending, run: (end: End) => ReturnType<End>): Promise<boolean> => {
    const { state, status, accepted, finishedAt, receiver } = ending;
    const answer = accepted ? sealAnswer(sealer, sealContext('answer', state), accepted) : null;
    const event = {
      subject: state,
      body: JSON.stringify(ending.event),
      status,
      errorDetails: detailsOf(ending.event),
      receiver,
    };
    const queued = callbackParameters(event, enqueueingAt(finishedAt, options));
    const parameters = [
      keyOf(state),
      status,
      finishedAt,
      accepted ? Buffer.from(accepted.responseDigest) : null,
      answer,
      ending.checks.length === 0 ? null : encodeDecisionRecord(ending.checks),
      ...queued,
    ];
    return commitEvent(commit, queued, async (leaseMilliseconds) => {
      const end = async (query: Query) => (await query<Ended>(FINISH, [...parameters, leaseMilliseconds]))[0];
      const row = await run(end);
      return { result: row !== undefined, leased: row?.leased };
    });
  };
}

function endings(options: Options) {
  const { database, retentionSeconds } = options;
  const audit = createAudit({ database, schema: SCHEMA });
  const finish = finishing(options);
  return {
    finish: (ending) => finish(ending, (end) => end(database.query)),
    // The turn comes first: cancellations that wait for theirs keep no place of the lane.
    cancel: (ending) =>
      audit.inTurn((run) =>
        finish(ending, (end) =>
          run(async (query) => {
            const result = await end(query);
            const entry = { action: 'presentation.cancel', target: subjectHash(ending.state) };
            return { result, entry: result && entry };
          }),
        ),
      ),
    async expire(expiries, now) {
      const events = expiries.map(({ state, event }) => ({
        subject: state,
        body: JSON.stringify(event),
        status: event.status,
        errorDetails: detailsOf(event),
      }));
      const [row] = await database.query<{ expired: number }>(EXPIRE, [
        now,
        expiries.map(({ state }) => keyOf(state)),
        expiries.map(({ state }) => state),
        ...callbackBatchParameters(events, enqueueingAt(now, options)),
      ]);
      return row?.expired ?? 0;
    },
    async markUnserved(flows, now) {
      const known = flows.flatMap(({ state, millisecondsAgo }) => {
        const key = keyOf(state);
        return key ? [{ key, millisecondsAgo }] : [];
      });
      const ago = known.map(({ millisecondsAgo }) => millisecondsAgo);
      return (await database.query(MARK_UNSERVED, [known.map(({ key }) => key), ago, now])).length;
    },
    async purge(now, limit) {
      const before = new Date(now.getTime() - retentionSeconds * 1000);
      return (await database.query(PURGE, [before, limit])).length;
    },
  } satisfies Partial<PresentationRequests>;
}

const callOf = ({ key, body }: Repeatable) => ({ key, scope: 'presentation-request', input: body });

/** Presentation requests in Postgres: each step of a request's life is one statement. */
export function createPresentationRequestStore(options: Options): PresentationRequests {
  const { sealer, idempotency } = options;
  return {
    async insert(request, answer, call) {
      const { state, createdAt, expiresAt } = request;
      const session = sealer.seal(encodeSession(request), sealContext('session', state));
      const idempotent = call && callOf(call);
      return idempotency.once(idempotent, answer, (query) =>
        query(INSERT, [keyOf(state), session, createdAt, expiresAt, request.callbackUrl ?? null]),
      );
    },
    recall: (call) => idempotency.recall(callOf(call)),
    ...findings(options),
    ...endings(options),
  };
}
