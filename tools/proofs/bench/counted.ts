import type { Statement } from './postgres-tap';

/** What a stack does without any flow: its statements, and the maximum number of rows of each. */
export type Background = ReadonlyMap<string, number>;

/** The number of occurrences of each statement or message, by its text. */
export type Counts = ReadonlyMap<string, number>;

const BEGIN = /^(?:BEGIN|START TRANSACTION)\b/i;
const END = /^(?:COMMIT|ROLLBACK|END)\b/i;

/** The statements of an idle stack. */
export function backgroundOf(statements: readonly Statement[]): Background {
  const most = new Map<string, number>();
  for (const { text, rows = 0 } of statements) most.set(text, Math.max(rows, most.get(text) ?? 0));
  return most;
}

const DELETION = /^\s*DELETE\b/;

/**
 * A statement belongs to the flows unless a stack runs it without any. Polling statements (for due callbacks or expired
 * requests) belong to the flows only if they find something: how often they find nothing depends on the time. Some purges
 * rest for a minute, so that on a slow machine the first one after the start may run while flows do.
 */
function isOfFlows({ text, rows = 0 }: Statement, background: Background): boolean {
  if (rows === 0 && DELETION.test(text)) return false;
  const atRest = background.get(text);
  return atRest === undefined || (atRest === 0 && rows > 0);
}

/** The statements of each connection as transactions: one each, or those from BEGIN to its end. */
function* transactionsIn(statements: readonly Statement[]): Generator<readonly Statement[]> {
  const open = new Map<number, Statement[]>();
  for (const statement of statements) {
    const transaction = open.get(statement.connection);
    if (BEGIN.test(statement.text)) open.set(statement.connection, [statement]);
    else if (!transaction) yield [statement];
    else {
      transaction.push(statement);
      if (!END.test(statement.text)) continue;
      open.delete(statement.connection);
      yield transaction;
    }
  }
  yield* open.values();
}

/** Counts the statements that flows caused; BEGIN and COMMIT count with what is between them. */
export function countStatements(statements: readonly Statement[], background: Background): Counts {
  const counts = new Map<string, number>();
  for (const transaction of transactionsIn(statements)) {
    const frames = transaction.filter(({ text }) => BEGIN.test(text) || END.test(text));
    const work = transaction.filter((statement) => !frames.includes(statement));
    const counted = work.filter((statement) => isOfFlows(statement, background));
    for (const { text } of counted.length > 0 ? [...frames, ...counted] : []) {
      counts.set(text, (counts.get(text) ?? 0) + 1);
    }
  }
  return counts;
}

/** Counts messages by name, without those of an idle stack. */
export function countMessages(names: readonly string[], background: readonly string[]): Counts {
  const atRest = new Set(background);
  const counts = new Map<string, number>();
  for (const name of names) if (!atRest.has(name)) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}

/** Messages that a gateway sends for all responses of 50 ms. A flow that runs alone has one of its own. */
const BATCHES: ReadonlySet<string> = new Set(['issuer.hand-over.report', 'issuer.hand-over.report (answer)']);

/** Deletes all callbacks that were delivered within 100 ms. A flow that runs alone has such statements of its own. */
const BATCHED_DELETION = /^\s*DELETE FROM "\w+"\.callback AS done\b/;

/**
 * Without messages and statements whose number depends on the time, not on the flows: each gateway reports at most 20
 * times a second, and each service deletes delivered callbacks at most 10 times a second.
 */
export function withoutBatches(counts: Counts): Counts {
  return new Map([...counts].filter(([name]) => !BATCHES.has(name) && !BATCHED_DELETION.test(name)));
}

/** The sum of the counts per flow. */
export function perFlow(counts: Counts, flows: number): number {
  return [...counts.values()].reduce((sum, count) => sum + count, 0) / flows;
}
