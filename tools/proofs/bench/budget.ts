import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { FlowCounts } from './result';
import { BenchFailure } from './failure';
import { FLOW_NAMES, type FlowName } from './flows';

/** The counts that have a bound. */
export const COUNTED = ['statements', 'messages', 'bytes'] as const;
export type Counted = (typeof COUNTED)[number];

/** The maximum cost of one flow, from `tools/proofs/bench/budget.json`. */
export type Budget = Readonly<Record<FlowName, Readonly<Record<Counted, number>>>>;

export const BUDGET_FILE = 'tools/proofs/bench/budget.json';

/** Bytes are bounded in steps, because the digits of times change them slightly. */
const BYTES_STEP = 10;

function boundIn(members: unknown, flow: string, counted: string): number {
  const bound = (members as Readonly<Record<string, Readonly<Record<string, unknown>> | undefined>>)[flow]?.[counted];
  if (typeof bound === 'number' && Number.isFinite(bound) && bound >= 0) return bound;
  throw new BenchFailure('budget_incomplete', `${BUDGET_FILE} has no number for ${flow}.${counted}`);
}

/** Reads the budget of a checkout. @throws BenchFailure if a bound is missing */
export function readBudget(root: string): Budget {
  const members: unknown = JSON.parse(readFileSync(path.join(root, BUDGET_FILE), 'utf8'));
  const flows = FLOW_NAMES.map((flow) => [
    flow,
    Object.fromEntries(COUNTED.map((counted) => [counted, boundIn(members, flow, counted)])),
  ]);
  return Object.fromEntries(flows) as Budget;
}

/** The counts compared with the budget. */
export interface Verdict {
  /** Counts above their bound; empty if the budget is kept. */
  readonly faults: readonly string[];
  /** Bounds that could be lower. */
  readonly hints: readonly string[];
}

/** The lowest bound for a count. */
const boundFor = (counted: Counted, value: number) =>
  counted === 'bytes' ? Math.ceil(value / BYTES_STEP) * BYTES_STEP : value;

function judgeOne(flow: FlowName, counted: Counted, counts: FlowCounts, budget: Budget): [keyof Verdict, string][] {
  const [value, bound] = [counts[counted], budget[flow][counted]];
  const says = `${flow}: ${value} ${counted} per flow, the budget is ${bound}`;
  if (value > bound) return [['faults', `${says}: make it cheaper, or change ${BUDGET_FILE} in the same commit`]];
  const least = boundFor(counted, value);
  const step = counted === 'bytes' ? BYTES_STEP : 0;
  return least + step < bound ? [['hints', `${says}: it can be lowered to ${least}`]] : [];
}

/** Compares counts with the budget: a count that has grown is a fault until its line in the file is changed. */
export function judgeCounts(counts: Readonly<Record<FlowName, FlowCounts>>, budget: Budget): Verdict {
  const found = FLOW_NAMES.flatMap((flow) =>
    COUNTED.flatMap((counted) => judgeOne(flow, counted, counts[flow], budget)),
  );
  const of = (kind: keyof Verdict) => found.filter(([name]) => name === kind).map(([, text]) => text);
  return { faults: of('faults'), hints: of('hints') };
}
