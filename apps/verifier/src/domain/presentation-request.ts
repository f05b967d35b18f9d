import type { JsonObject } from '@vestibule/foundation';
import type { FlowVariant, TransactionDatum } from '@vestibule/oid4vp';

/**
 * A presentation request that waits for its answer. There is no type for a finished one: what a wallet may still act
 * on is gone then.
 */
export interface PendingRequest {
  readonly state: string;
  /** The access certificate's identifier at creation: key binding is judged against it, whatever signs by then. */
  readonly clientId: string;
  /** The DCQL query exactly as the backend gave it. */
  readonly dcqlQuery: JsonObject;
  readonly transactionData: readonly TransactionDatum[];
  readonly redirectUri?: string;
  /** Where its event goes; absent: to the configured receiver. */
  readonly callbackUrl?: string;
  readonly variants: readonly FlowVariant[];
  readonly createdAt: Date;
  readonly expiresAt: Date;
}
