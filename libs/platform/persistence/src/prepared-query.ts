import { createHash } from 'node:crypto';
import { DomainError } from '@vestibule/foundation';
import { currentAnswerBy, DEADLINE_PASSED } from '@vestibule/process';
import { DatabaseFault, outcomeUnknown, toDriverError } from './database-errors';
import { UnansweredError } from './limited-client';
import { ANSWER_MILLISECONDS } from './time-limits';

/** Runs one SQL statement, prepared once per connection, and gives its rows. `$1` … stand for the parameters. */
export type Query = <Row extends object>(sql: string, parameters?: readonly unknown[]) => Promise<Row[]>;

/** What a pool and a client of pg have in common. */
export interface QueryTarget {
  query(statement: { name?: string; text: string; values: unknown[] }): Promise<{ rows: unknown[] }>;
}

/** Beyond it, statements are built from input, which nobody should do: they run unprepared. */
const MAXIMUM_STATEMENTS = 1_000;
const NAME_LENGTH = 22;
const names = new Map<string, string>();

/** The name of a prepared statement: equal texts have equal names, on all connections. */
export function statementName(sql: string): string | undefined {
  const known = names.get(sql);
  if (known !== undefined || names.size >= MAXIMUM_STATEMENTS) return known;
  const name = createHash('sha256').update(sql).digest('base64url').slice(0, NAME_LENGTH);
  names.set(sql, name);
  return name;
}

/** "cached plan must not change result type": a newer replica has migrated the table under a prepared statement. */
const PLAN_OUTDATED = '0A000';

/** A statement that cannot change anything, so that its outcome is never unknown. */
const READS = /^\s*(?:SELECT\b|SHOW\b|WITH\b(?![\s\S]*\b(?:INSERT|UPDATE|DELETE|MERGE)\b))/i;

const reads = new Map<string, boolean>();

function isRead(sql: string): boolean {
  const known = reads.get(sql);
  if (known !== undefined) return known;
  const found = READS.test(sql);
  if (reads.size < MAXIMUM_STATEMENTS) reads.set(sql, found);
  return found;
}

/** What a write may take, and by how much clocks may differ. */
const WRITE_MILLISECONDS = ANSWER_MILLISECONDS + 2_000;

/** Whoever asked could give up before the write has ended, and would not know of it. */
function refuseLateWrite(sql: string): void {
  const answerBy = currentAnswerBy();
  if (answerBy === undefined || isRead(sql)) return;
  if (Date.now() <= answerBy.getTime() - WRITE_MILLISECONDS) return;
  const detail = 'it is too late to begin a write';
  throw new DomainError({ kind: 'unavailable', code: 'service_timeout', detail, reason: DEADLINE_PASSED });
}

/**
 * A query function over a pool, where each statement is a transaction, or over one client within a transaction. Throws
 * `database_unavailable`, `database_not_writable`, `database_timeout`, `database_error`, and over a pool
 * `database_outcome_unknown` for a write whose answer is lost. Over a pool, a statement whose plan a migration has outdated
 * runs once more, unprepared; within a transaction that error has ended the transaction.
 */
export function createQuery(target: QueryTarget, { isTransaction }: { readonly isTransaction: boolean }): Query {
  const run = async (text: string, values: readonly unknown[], name?: string): Promise<unknown[]> => {
    try {
      const { rows } = await target.query({ ...(name === undefined ? {} : { name }), text, values: [...values] });
      return rows;
    } catch (error) {
      if (!isTransaction && error instanceof UnansweredError && !READS.test(text)) throw outcomeUnknown(error);
      throw toDriverError(error);
    }
  };
  return async <Row extends object>(sql: string, parameters: readonly unknown[] = []): Promise<Row[]> => {
    refuseLateWrite(sql);
    try {
      return (await run(sql, parameters, statementName(sql))) as Row[];
    } catch (error) {
      if (isTransaction || !(error instanceof DatabaseFault) || error.sqlState !== PLAN_OUTDATED) throw error;
      return (await run(sql, parameters)) as Row[];
    }
  };
}
