import type { PresentedCredentialsEvent } from '@vestibule/contracts';
import type { CheckEntry } from '@vestibule/oid4vp';
import type { PresentationOutcome } from './presentation-outcome';

/** Everything that the end of a request writes, in one statement. */
export interface Ending {
  readonly state: string;
  readonly status: PresentationOutcome['status'] | 'EXPIRED';
  readonly event: PresentedCredentialsEvent;
  readonly checks: readonly CheckEntry[];
  /** When the response arrived. */
  readonly finishedAt: Date;
  /** The only receiver of the event, null for the configured one; undefined: what the row of the request says. */
  readonly receiver?: string | null | undefined;
  readonly accepted?: AcceptedResponse;
}

/** SHA-256 of what the wallet sent, and the answer that it received: a byte-identical repeat receives the same. */
export interface AcceptedResponse {
  readonly responseDigest: Uint8Array;
  readonly answer: WalletAnswer;
}

export interface WalletAnswer {
  readonly redirectUri?: string;
}
