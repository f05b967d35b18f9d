import type { JsonObject } from '@vestibule/foundation';
import type { FlowVariant, TransactionDatum } from '@vestibule/oid4vp';

/**
 * A presentation request that waits for its answer. There is no type for an ended one: everything that a wallet could
 * still use has been deleted by then.
 */
export interface PendingRequest {
  readonly state: string;
  /**
   * The access certificate's identifier at creation: key binding is checked against it and no other, even if another
   * certificate signs by then.
   */
  readonly clientId: string;
  /** The DCQL query exactly as the backend gave it. */
  readonly dcqlQuery: JsonObject;
  readonly transactionData: readonly TransactionDatum[];
  readonly redirectUri?: string;
  /** The receiver of its event; by default, the configured one. */
  readonly callbackUrl?: string;
  /** The same as it was sealed, null for the configured one; undefined if an earlier version has sealed the request. */
  readonly receiver?: string | null;
  /** In whose name it is made; the default relying party if absent. */
  readonly relyingParty?: string;
  /** The name of the registration that wallets are told about. */
  readonly registrationId?: string;
  readonly variants: readonly FlowVariant[];
  readonly createdAt: Date;
  readonly expiresAt: Date;
}
