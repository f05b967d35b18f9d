import { createHash } from 'node:crypto';
import { DomainError } from '@vestibule/foundation';
import { currentAnswerBy, DEADLINE_PASSED } from '@vestibule/process';
import { DatabaseFault, isConflict, isUnanswered, outcomeUnknown, toDriverError } from './database-errors';
import { type Answer, type Statement } from './limited-client';
import { ANSWER_MILLISECONDS, CONNECTION_MILLISECONDS } from './time-limits';
import { watchedQuery, type ObserveStatement, type Query } from './watched-query';

export type { Query } from './watched-query';

/** A pool, or one client within a transaction. */
export interface QueryTarget {
  /** `beforeSending` is called once there is a connection; when it throws, the statement is not sent. */
  query(statement: Statement, beforeSending?: () => void): Promise<Answer>;
}

/** Beyond this number, statements are probably built from input, which is wrong: they run unprepared. */
const MAXIMUM_STATEMENTS = 1_000;
const NAME_LENGTH = 22;

/** Matches statements that cannot change anything, so that their outcome is never unknown. */
const READS = /^\s*(?:SELECT\b|SHOW\b|WITH\b(?![\s\S]*\b(?:INSERT|UPDATE|DELETE|MERGE)\b))/i;

/** What is computed once per SQL text. */
interface KnownText {
  readonly isRead: boolean;
  /** The prototype of its statements: pg copies each of their own properties one by one. */
  readonly prepared: Omit<Statement, 'values'>;
}

const knownTexts = new Map<string, KnownText>();

function know(sql: string): KnownText {
  const known = knownTexts.get(sql);
  if (known !== undefined) return known;
  const isRead = READS.test(sql);
  if (knownTexts.size >= MAXIMUM_STATEMENTS) return { isRead, prepared: { text: sql } };
  const name = createHash('sha256').update(sql).digest('base64url').slice(0, NAME_LENGTH);
  const found = { isRead, prepared: { name, text: sql } };
  knownTexts.set(sql, found);
  return found;
}

/** The name of a prepared statement: equal SQL has equal names, on all connections. */
export const statementName = (sql: string): string | undefined => know(sql).prepared.name;

function statementOf(text: Omit<Statement, 'values'>, values: readonly unknown[]): Statement {
  const statement = Object.create(text) as { values: unknown[] };
  statement.values = [...values];
  return statement as Statement;
}

/** "cached plan must not change result type": a newer replica has migrated the table of a prepared statement. */
const PLAN_OUTDATED = '0A000';

/** Has a statement done nothing, and may work when it is sent again? */
function mayRunAgain(error: unknown, failure: unknown): boolean {
  return isConflict(error) || (failure instanceof DatabaseFault && failure.sqlState === PLAN_OUTDATED);
}

/** How long a write may take, plus the tolerated clock skew. */
const WRITE_MILLISECONDS = ANSWER_MILLISECONDS + 2_000;

/** Can this statement change anything? */
export const isWrite = (sql: string): boolean => !READS.test(sql);

/** Rejects a write that the caller could give up on before it ends, and would not learn of. */
export function refuseLateWrite(answerBy: Date | undefined): void {
  if (answerBy === undefined || Date.now() <= answerBy.getTime() - WRITE_MILLISECONDS) return;
  const detail = 'it is too late to begin a write';
  throw new DomainError({ kind: 'unavailable', code: 'service_timeout', detail, reason: DEADLINE_PASSED });
}

/**
 * The check of a write, before it waits for a connection and after it: it waits in turn with others, whose context is
 * another one.
 */
function checkOfWrite(): () => void {
  const answerBy = currentAnswerBy();
  const check = (): void => refuseLateWrite(answerBy);
  check();
  return check;
}

interface QueryKind {
  readonly isTransaction: boolean;
  /** Called for each statement that may change something, before it is sent. */
  readonly onWrite?: () => void;
  readonly observe?: ObserveStatement | undefined;
  /** False: statements are sent without a name, so that each is planned again. */
  readonly isPrepared?: boolean;
}

/**
 * Watches one statement over a pool: whether it was sent, and whether there is time for it once more. With both attempts, it
 * has taken effect, or will not, after `CONNECTION_MILLISECONDS + ANSWER_MILLISECONDS`, as with one.
 */
function watchSending(check: (() => void) | undefined) {
  const began = performance.now();
  const lasts = (): number => performance.now() - began;
  let isSent = false;
  const beforeSending = (): void => {
    check?.();
    isSent = true;
  };
  return {
    isSent: () => isSent,
    beforeSending,
    /** Throws `failure` if there is no time to wait for a connection; `beforeSending` does, if none came in time. */
    onceMore(failure: unknown): () => void {
      if (lasts() > ANSWER_MILLISECONDS) throw failure;
      isSent = false;
      return () => {
        if (lasts() > CONNECTION_MILLISECONDS) throw failure;
        beforeSending();
      };
    },
  };
}

/**
 * A query function over a pool, where each statement is a transaction, or over one client within a transaction. Throws
 * `database_unavailable`, `database_not_writable`, `database_timeout`, `database_error`, and over a pool
 * `database_outcome_unknown` for a write whose answer is lost. Over a pool, a statement that was the victim of a
 * deadlock or of another conflict, or whose plan was outdated by a migration, runs once more, unprepared, if that still has
 * its time; within a transaction such an error has ended the transaction.
 */
export function createQuery(target: QueryTarget, kind: QueryKind): Query {
  const { isTransaction, onWrite, observe, isPrepared = true } = kind;
  const query = async <Row extends object>(sql: string, parameters: readonly unknown[] = []): Promise<Row[]> => {
    const { isRead, prepared } = know(sql);
    const text = isPrepared ? prepared : { text: sql };
    const sending = watchSending(isRead ? undefined : checkOfWrite());
    const failureOf = (error: unknown): unknown => {
      const mayHaveWritten = !isTransaction && !isRead && sending.isSent();
      return mayHaveWritten && isUnanswered(error) ? outcomeUnknown(error) : toDriverError(error);
    };
    if (!isRead) onWrite?.();
    let again: () => void;
    try {
      return (await target.query(statementOf(text, parameters), sending.beforeSending)).rows as Row[];
    } catch (error) {
      const failure = failureOf(error);
      if (isTransaction || !mayRunAgain(error, failure)) throw failure;
      again = sending.onceMore(failure);
    }
    try {
      return (await target.query({ text: sql, values: [...parameters] }, again)).rows as Row[];
    } catch (error) {
      throw failureOf(error);
    }
  };
  return watchedQuery(query, observe);
}
