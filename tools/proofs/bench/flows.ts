/** The two flows that are measured. */
export const FLOW_NAMES = ['presentation', 'issuance'] as const;
export type FlowName = (typeof FLOW_NAMES)[number];

/** The addresses of a stack. */
export interface StackAddresses {
  readonly managementUrl: string;
  readonly issuerUrl: string;
}

/** The flows of a driver, as the wallets and the backend saw them. */
export interface FlowReport {
  /** Flows that ended as expected, including their callback. */
  readonly finished: number;
  /** The number of each fault, by step and code; never a payload. */
  readonly errors: Readonly<Record<string, number>>;
  /** From the start of the first flow to the end of the last one. */
  readonly seconds: number;
  /** Milliseconds of each finished step. */
  readonly steps: Readonly<Record<string, readonly number[]>>;
}

/** The instructions to the driver's process; each has one answer. */
export type DriverOrder =
  | {
      readonly order: 'open';
      readonly addresses: StackAddresses;
      readonly wallets: number;
      /** Whether credential requests and their answers are encrypted. */
      readonly encrypted: boolean;
    }
  | {
      readonly order: 'drive';
      readonly flow: FlowName;
      /** Flows start for at most this many seconds, and up to this number. */
      readonly until: { readonly seconds?: number; readonly flows?: number };
      /** The number of concurrent wallets. */
      readonly wallets: number;
      /** Waits for every event before the next step, so that each run does the same. */
      readonly oneByOne: boolean;
    };

export type DriverAnswer =
  | { readonly answer: 'listening'; readonly callbackUrl: string }
  | { readonly answer: 'opened' }
  | { readonly answer: 'driven'; readonly report: FlowReport }
  | { readonly answer: 'failed'; readonly reason: string };

/** A step that did not end as expected; the message names step and code, and no payload. */
export class StepFault extends Error {
  constructor(
    readonly step: string,
    readonly what: string,
  ) {
    super(`${step}: ${what}`);
  }
}
