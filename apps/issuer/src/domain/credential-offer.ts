import type { JsonObject } from '@vestibule/foundation';
import type { OfferedType, TxCodeRequest } from '@vestibule/oid4vci';

/** An offer that a wallet may still redeem. There is no type for an ended one: its claims and code are gone. */
export interface OpenOffer {
  readonly offerId: string;
  readonly configurationId: string;
  readonly claims: JsonObject;
  readonly preAuthorizedCode: string;
  readonly txCode?: TxCodeRequest;
  /** Where its events go; absent: to the configured receiver. */
  readonly callbackUrl?: string;
  readonly createdAt: Date;
  readonly expiresAt: Date;
  /** Only of an offer whose claims the backend gives later. */
  readonly deferral?: Deferral;
}

/** Are the claims of a deferred offer still to come, or is it complete? */
export type Deferral = 'waiting' | 'ready';

/** A credential type, and what this issuer decides about it on its own. */
export interface IssuableType extends OfferedType {
  readonly validitySeconds: number;
  /** Does each credential get an entry in a status list, so that it can be revoked? */
  readonly hasStatus: boolean;
  /** How large its claims may be, as JSON, so that a full batch fits into an answer. */
  readonly mostClaimBytes: number;
}

/** Wrong transaction codes that end an offer. */
export const MAX_TX_CODE_ATTEMPTS = 5;
