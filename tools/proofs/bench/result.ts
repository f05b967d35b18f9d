import type { FlowCounts } from './count-run';
import type { FlowName } from './flows';

/** Milliseconds as they were measured, and as the machine of the reference would have them. */
export interface Cost {
  readonly milliseconds: number;
  readonly normalised: number;
}

/** The cost of each process (replicas together), and of all. */
export interface CostTable {
  readonly processes: Readonly<Record<string, Cost>>;
  readonly all: Cost;
}

export interface StepTimes {
  readonly p50: number;
  readonly p99: number;
}

/** One flow of one checkout: medians of the rounds; times of steps over all rounds. */
export interface FlowResult {
  /** CPU for one finished flow; the idle work of that time is part of it. */
  readonly cpu: CostTable;
  readonly flowsPerSecond: number;
  readonly finished: number;
  readonly errors: Readonly<Record<string, number>>;
  readonly steps: Readonly<Record<string, StepTimes>>;
}

export interface CheckoutResult {
  readonly name: string;
  /** CPU in one second of a stack that nobody uses. */
  readonly idle: CostTable;
  readonly flows: Readonly<Record<FlowName, FlowResult>>;
  /** Memory after the last round, in bytes; replicas together. */
  readonly residentBytes: Readonly<Record<string, number>>;
  readonly counts: Readonly<Record<FlowName, FlowCounts>>;
}

/** The whole result of `npm run bench`; `--json` prints it. */
export interface BenchResult {
  /** ISO 8601. */
  readonly at: string;
  readonly node: string;
  readonly cores: number;
  readonly nats: string;
  /** Of the machine in the minute before the start and before the end. */
  readonly load: { readonly before: number; readonly after: number };
  /** CPU of one ES256 verification in microseconds. */
  readonly verification: { readonly before: number; readonly after: number };
  readonly wallets: number;
  readonly replicas: number;
  readonly rounds: number;
  readonly secondsPerRound: number;
  readonly encrypted: boolean;
  readonly oldRequests: number;
  readonly statusEntries: number;
  readonly checkouts: readonly CheckoutResult[];
}
