import { DomainError, ProcessingFailure } from '@vestibule/foundation';
import { QueryFailedError, QueryRunnerAlreadyReleasedError } from 'typeorm';
import { TlsRefusedError, UnansweredError } from './limited-client';
import { isTlsCode } from './start-failure';

/** Postgres refused a statement. The SQLSTATE and the constraint's name may be shown; the values stay hidden. */
export class DatabaseFault extends DomainError {
  readonly sqlState: string;
  readonly constraint: string | undefined;

  constructor(sqlState: string, constraint: string | undefined, cause: unknown) {
    const where = constraint === undefined ? '' : `, constraint ${constraint}`;
    super({ kind: 'internal', code: 'database_error', detail: `SQLSTATE ${sqlState}${where}`, cause });
    this.sqlState = sqlState;
    this.constraint = constraint;
  }
}

const SQL_STATE = /^[0-9A-Z]{5}$/;
/**
 * Classes 08 connection, 28 a refused role or password, 53 resources, 57P operator intervention. 25P03, 25P04: the session
 * was ended because its transaction was idle, or lasted, for too long.
 */
const UNAVAILABLE_STATE = /^(08...|53...|57P..|25P0[34]|28...)$/;
/** A standby or a read-only server; a full disk. */
const UNWRITABLE_STATE = /^(25006|53100)$/;
/** A deadlock, a conflict of concurrent changes, a lock that was not granted: nothing took effect, and a repetition works. */
const CONFLICT_STATE = /^(40001|40P01|55P03)$/;
/** The server itself says that it does not know what became of the statement. */
const UNKNOWN_STATE = '40003';
/** The state of a statement with too few parameters, and of whatever pgBouncer says. */
const MALFORMED_STATE = '08P01';
/** Why Postgres ends a session: it does so before a statement or in the midst of it, never between COMMIT and its answer. */
const ENDED_STATE = /^(25P..|28...|3D000|40001|40P01|53...|57P..)$/;
/** The severity of what stops Postgres as a whole, like a log that cannot be written: also while it commits. */
const PANIC = 'PANIC';
const CANCELLED_STATE = '57014';
const UNIQUE_VIOLATION = '23505';
const DATABASE_MISSING = '3D000';
const NETWORK_CODE = /^(ECONN|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN|ENOENT)/;

function member(error: unknown, name: string): string | undefined {
  if (typeof error !== 'object' || error === null) return undefined;
  const value = (error as Record<string, unknown>)[name];
  return typeof value === 'string' ? value : undefined;
}

/** SQLSTATE of an error from the server itself, which has a severity; network errors have none. */
function sqlStateOf(error: unknown): string | undefined {
  const code = member(error, 'code');
  return code !== undefined && SQL_STATE.test(code) && member(error, 'severity') !== undefined ? code : undefined;
}

/** The session is over, whatever the code: pgBouncer says 08P01 when it has lost its server or finds none, pgpool XX000. */
function isFatal(error: unknown): boolean {
  return sqlStateOf(error) !== undefined && ['FATAL', PANIC].includes(member(error, 'severity') ?? '');
}

/** Is it a mistake in a statement? Postgres names the place in its code that found it; a pooler, which has lost it, does not. */
const isMalformed = (error: unknown): boolean =>
  sqlStateOf(error) === MALFORMED_STATE && !isFatal(error) && member(error, 'routine') !== undefined;

/** Cannot this Postgres, or this connection to it, be used now? */
const isUnavailable = (error: unknown): boolean =>
  isFatal(error) || (UNAVAILABLE_STATE.test(sqlStateOf(error) ?? '') && !isMalformed(error));

function notWritable(cause: unknown): ProcessingFailure {
  return new ProcessingFailure('database_not_writable', 'the database rejects writes', cause);
}

/** The answer to a write was lost. Only an idempotent repetition, or reading, shows whether it took effect. */
export function outcomeUnknown(cause: unknown): ProcessingFailure {
  return new ProcessingFailure('database_outcome_unknown', 'it is unknown whether a change took effect', cause);
}

function unavailable(cause: unknown): ProcessingFailure {
  return new ProcessingFailure('database_unavailable', 'the database is unavailable', cause);
}

/** The driver reports lost connections as plain errors without a code; a TypeError is a mistake of this program. */
function isConnectionError(error: unknown): boolean {
  if (error instanceof UnansweredError || error instanceof TlsRefusedError) return true;
  const code = member(error, 'code');
  return code === undefined ? member(error, 'name') === 'Error' : NETWORK_CODE.test(code) || isTlsCode(code);
}

/** Did concurrent statements get in the way of this one, so that it has done nothing and may be sent again? */
export const isConflict = (error: unknown): boolean => CONFLICT_STATE.test(sqlStateOf(error) ?? '');

/**
 * Is it open what became of a statement that was sent? A pooler that loses its server ends the session with a code of its
 * own, or says so with an error of class 08 (Odyssey, older pgBouncers), also when Postgres had carried the statement out.
 */
export function isUnanswered(error: unknown): boolean {
  const state = sqlStateOf(error);
  if (state === undefined) return error instanceof UnansweredError;
  if (isFatal(error)) return !ENDED_STATE.test(state) || member(error, 'severity') === PANIC;
  return state === UNKNOWN_STATE || (state.startsWith('08') && !isMalformed(error));
}

/** Does a statement's error mean that this Postgres, or the connection to it, should not be used any more? */
export function meansReplacement(error: unknown): boolean {
  const state = sqlStateOf(error);
  if (state === undefined) return error instanceof UnansweredError;
  return isUnavailable(error) || UNWRITABLE_STATE.test(state);
}

/** Does this error mean that Postgres refuses all writes? */
export const isUnwritable = (error: unknown): boolean => UNWRITABLE_STATE.test(sqlStateOf(error) ?? '');

/** Maps an error of pg to `database_unavailable`, `database_not_writable`, `database_timeout` or `database_error`. */
export function toDriverError(error: unknown): unknown {
  if (error instanceof DomainError) return error;
  const state = sqlStateOf(error);
  if (state === CANCELLED_STATE) return new ProcessingFailure('database_timeout', 'a statement took too long', error);
  if (state !== undefined && UNWRITABLE_STATE.test(state)) return notWritable(error);
  if (state === undefined) return isConnectionError(error) ? unavailable(error) : error;
  const passes = isUnavailable(error) || isConflict(error) || state === UNKNOWN_STATE;
  return passes ? unavailable(error) : new DatabaseFault(state, member(error, 'constraint'), error);
}

/**
 * The same for what TypeORM throws; errors that are not from the database pass unchanged. TypeORM releases a runner
 * whose connection is lost, so the next statement on it fails because it is released.
 */
export function toDatabaseError(error: unknown): unknown {
  if (error instanceof QueryRunnerAlreadyReleasedError) return unavailable(error);
  return error instanceof QueryFailedError ? toDriverError(error.driverError) : error;
}

/** Did the statement fail because a row with this key already exists? */
export function isUniqueViolation(error: unknown, constraint?: string): boolean {
  if (!(error instanceof DatabaseFault) || error.sqlState !== UNIQUE_VIOLATION) return false;
  return constraint === undefined || error.constraint === constraint;
}

/** Could an interrupted migration succeed on a retry? */
export function isPassing(error: unknown): boolean {
  if (error instanceof DatabaseFault) return error.sqlState === DATABASE_MISSING;
  return error instanceof ProcessingFailure;
}
