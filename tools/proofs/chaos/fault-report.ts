import { markdownTable } from '../bench/markdown-table';
import type { FaultResult } from './episodes';

/** A run of all faults as it is kept. */
export interface RecordedRun {
  /** The day, `2026-01-31`. */
  readonly on: string;
  readonly node: string;
  readonly nats: string;
  readonly cores: number;
  readonly results: readonly FaultResult[];
}

/** What docs/operations.md is made from: a run, and one from before the product looked for such faults. */
export interface RecordedRuns {
  readonly before: RecordedRun;
  readonly now: RecordedRun;
}

const NEVER = 'not within 60 s';
const secondsOf = (value: number | undefined) => (value === undefined ? NEVER : value.toFixed(1));

/** Both forms of seconds, or that it never came back. */
function recoveryOf(result: FaultResult | undefined): readonly [string, string] {
  if (!result) return ['-', '-'];
  const isBack = !result.faults.some((fault) => fault.startsWith('it did not come back'));
  return [secondsOf(result.firstGoodSeconds), isBack ? secondsOf(result.steadySeconds) : NEVER];
}

/** A run as a table, for a terminal. */
export function renderResults(results: readonly FaultResult[]): string {
  return markdownTable(
    [
      'fault',
      'from',
      'first good (s)',
      'all good (s)',
      'bound (s)',
      'asked',
      'not served',
      'wrong',
      'lost',
      'not held',
    ],
    results.map((result) => [
      result.name,
      result.from,
      ...recoveryOf(result),
      String(result.boundSeconds),
      ...[result.asked, result.away, result.wrong, result.lost, result.notHeld].map(String),
    ]),
  );
}

/** Two runs as the table of docs/operations.md. */
export function renderRecorded({ before, now }: RecordedRuns): string {
  const rows = now.results.map((result) => {
    const former = before.results.find(({ name }) => name === result.name);
    return [
      result.name,
      result.from,
      ...recoveryOf(result),
      String(result.boundSeconds),
      recoveryOf(former)[1],
      ...[result.asked, result.away, result.wrong, result.lost].map(String),
    ];
  });
  const wrongBefore = before.results.reduce((sum, { wrong, lost }) => sum + wrong + lost, 0);
  const head = ['fault', 'from', 'first good', 'all good', 'bound', 'before', 'asked', 'not served', 'wrong', 'lost'];
  return [
    `Recorded on ${now.on} with Node ${now.node} and ${now.nats}, on ${now.cores} cores shared by all processes; times are in`,
    `seconds. "Before" is "all good" on the same machine before the product looked for such faults; ${wrongBefore} answers were wrong`,
    'or lost then.',
    '',
    markdownTable(head, rows),
  ].join('\n');
}
