import type { FlowName } from './flows';

/** Milliseconds as measured, and as converted to the reference machine. */
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

/** The cost of one flow apart from time. */
export interface FlowCounts {
  /** As for messages, without batches for several flows together; those are among the parts. */
  readonly statements: number;
  readonly messages: number;
  /** Bytes of tables and indexes that a finished request occupies until the end of its retention. */
  readonly bytes: number;
}

/** One flow of one checkout: medians of the rounds; times of steps over all rounds. */
export interface FlowResult {
  /** CPU per finished flow, including the idle work during that time. */
  readonly cpu: CostTable;
  /** All processes in the round that cost least. Absent in results of earlier versions. */
  readonly cheapest?: Cost;
  /**
   * The wallets and the backend, which are not among the processes. Their work is the same for every version, so what
   * they take tells machines and moments apart. Absent in results of earlier versions.
   */
  readonly wallets?: Cost;
  readonly flowsPerSecond: number;
  readonly finished: number;
  readonly errors: Readonly<Record<string, number>>;
  readonly steps: Readonly<Record<string, StepTimes>>;
}

/** Whole flows of a single wallet, in milliseconds as measured and as converted to the reference machine. */
export interface TimesAlone {
  readonly finished: number;
  readonly measured: StepTimes;
  readonly normalised: StepTimes;
}

export interface CheckoutResult {
  readonly name: string;
  /** CPU per second of an idle stack that is at rest. */
  readonly idle: CostTable;
  /** CPU per second in the first minute after its start. Absent in results of earlier versions. */
  readonly firstMinute?: CostTable;
  readonly flows: Readonly<Record<FlowName, FlowResult>>;
  /** Memory after the last round, in bytes; replicas together. */
  readonly residentBytes: Readonly<Record<string, number>>;
  readonly counts: Readonly<Record<FlowName, FlowCounts>>;
  /** Absent in results of earlier versions. */
  readonly alone?: Readonly<Partial<Record<FlowName, TimesAlone>>>;
}

/** The whole result of `npm run bench`; `--json` prints it. */
export interface BenchResult {
  /** ISO 8601. */
  readonly at: string;
  readonly node: string;
  readonly cores: number;
  readonly nats: string;
  /** The machine's load average over one minute, before the start and before the end. */
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
