/** The two flows that are measured. */
export const FLOW_NAMES = ['presentation', 'issuance'] as const;
export type FlowName = (typeof FLOW_NAMES)[number];

/** Where a stack is reached. */
export interface StackAddresses {
  readonly managementUrl: string;
  readonly issuerUrl: string;
}

/** What a driver has done, and what the wallets and the backend saw of it. */
export interface FlowReport {
  /** Flows that ended as they should, their callback included. */
  readonly finished: number;
  /** How often each fault happened, by step and code; never a payload. */
  readonly errors: Readonly<Record<string, number>>;
  /** From the first flow's start to the last one's end. */
  readonly seconds: number;
  /** Milliseconds of each finished step. */
  readonly steps: Readonly<Record<string, readonly number[]>>;
}

/** What the driver's process is told; each order has one answer. */
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
      /** No flow starts after so many seconds, and no more than so many. */
      readonly until: { readonly seconds?: number; readonly flows?: number };
      /** How many wallets at the same time. */
      readonly wallets: number;
      /** Waits for every event before the next step, so that the same happens each time. */
      readonly oneByOne: boolean;
    };

export type DriverAnswer =
  | { readonly answer: 'listening'; readonly callbackUrl: string }
  | { readonly answer: 'opened' }
  | { readonly answer: 'driven'; readonly report: FlowReport }
  | { readonly answer: 'failed'; readonly reason: string };

/** A step that did not end as it should; the text names step and code, and no payload. */
export class StepFault extends Error {
  constructor(
    readonly step: string,
    readonly what: string,
  ) {
    super(`${step}: ${what}`);
  }
}
