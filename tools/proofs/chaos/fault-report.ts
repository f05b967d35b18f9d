import { markdownTable } from '../bench/markdown-table';
import type { FaultResult } from './episodes';

/** The recorded results of all faults. */
export interface RecordedRun {
  /** The day, `2026-01-31`. */
  readonly on: string;
  readonly node: string;
  readonly nats: string;
  readonly cores: number;
  readonly results: readonly FaultResult[];
  /** A note for readers of these figures, in Markdown; written by hand. */
  readonly note?: string;
}

/** The source of docs/operations.md: a run, and one from before the product handled such faults. */
export interface RecordedRuns {
  /** Seconds until everything was good, by the name of the fault; null if it did not recover within a minute. */
  readonly before: Readonly<Record<string, number | null>>;
  readonly now: RecordedRun;
}

const NEVER = 'not within 60 s';
const secondsOf = (value: number | undefined) => (value === undefined ? NEVER : value.toFixed(1));

/** The time until the first good answers, and until all were good; the latter is never shorter. */
function recoveryOf({ firstGoodSeconds, steadySeconds, faults }: FaultResult): readonly [string, string] {
  const isBack = firstGoodSeconds !== undefined && !faults.some((fault) => fault.startsWith('it did not come back'));
  return [secondsOf(firstGoodSeconds), isBack ? secondsOf(Math.max(firstGoodSeconds, steadySeconds)) : NEVER];
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
    const former = before[result.name];
    return [
      result.name,
      result.from,
      ...recoveryOf(result),
      String(result.boundSeconds),
      former === undefined ? '-' : secondsOf(former ?? undefined),
      ...[result.asked, result.away, result.wrong, result.lost].map(String),
    ];
  });
  const head = ['fault', 'from', 'first good', 'all good', 'bound', 'before', 'asked', 'not served', 'wrong', 'lost'];
  return [
    `Recorded on ${now.on} with Node ${now.node} and ${now.nats}, on ${now.cores} cores shared by all processes; times are in`,
    'seconds. "Before" is "all good" on the same machine before the product handled such faults.',
    '',
    markdownTable(head, rows),
    ...(now.note === undefined ? [] : ['', now.note]),
  ].join('\n');
}
