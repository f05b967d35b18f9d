import { ServerRefusal, WalletRefusal, type WalletStep } from '@vestibule/demo-wallet';

/**
 * How a run ended. `accepted`: the other side took it. `refused`: the other side said no. `stopped`: the wallet itself
 * did not continue, because the other side or the user broke a rule.
 */
export type Outcome = 'accepted' | 'refused' | 'stopped';

/** What one credential of a run is, without claims. */
export interface CredentialSummary {
  readonly id: string;
  readonly vct: string;
  readonly configurationId?: string;
}

/** A run as the wallet saw it; never with a claim, a token or a code. */
export interface WalletReport {
  readonly case: string;
  readonly outcome: Outcome;
  /** What a correct other side does. */
  readonly expected: Outcome;
  readonly asExpected: boolean;
  /** HTTP status of the last answer, if the other side answered. */
  readonly status?: number;
  /** The step that ended the run early. */
  readonly step?: string;
  /** OAuth error code of the other side, or the code of the wallet's own refusal. */
  readonly error?: string;
  /** The sentence of the wallet's own refusal. */
  readonly detail?: string;
  /** Where the browser of a same-device flow goes. */
  readonly redirectUri?: string;
  readonly credentials: readonly CredentialSummary[];
  readonly steps: readonly WalletStep[];
}

/** The end of a run, before it is compared with what was expected. */
export type End = Pick<WalletReport, 'outcome'> & Partial<WalletReport>;

/** The end that an error stands for; an error that is nobody's refusal is thrown again. */
export function endOfError(error: unknown): End {
  if (error instanceof ServerRefusal) {
    const { step, status } = error;
    return { outcome: 'refused', step, status, ...(error.error === undefined ? {} : { error: error.error }) };
  }
  if (error instanceof WalletRefusal) {
    const detail = error.message.slice(error.code.length + 2);
    return { outcome: 'stopped', error: error.code, detail };
  }
  throw error;
}

export interface Reported {
  readonly case: string;
  readonly expected: Outcome;
  readonly steps: readonly WalletStep[];
}

/** The report of a run: how it ended, and whether that is right. */
export function reportOf({ case: name, expected, steps }: Reported, end: End): WalletReport {
  const asExpected = end.outcome === expected;
  return { credentials: [], ...end, case: name, expected, asExpected, steps };
}
