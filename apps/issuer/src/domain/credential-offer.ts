import type { JsonObject } from '@vestibule/foundation';
import type { OfferedType, TxCodeRequest } from '@vestibule/oid4vci';

/** An offer that a wallet may still redeem. There is no type for an ended one: its claims and code are deleted. */
export interface OpenOffer {
  readonly offerId: string;
  readonly configurationId: string;
  readonly claims: JsonObject;
  readonly preAuthorizedCode: string;
  readonly txCode?: TxCodeRequest;
  /** The receiver of its events; by default, the configured one. */
  readonly callbackUrl?: string;
  readonly createdAt: Date;
  readonly expiresAt: Date;
  /** Only for an offer whose claims the backend supplies later. */
  readonly deferral?: Deferral;
}

/** Whether the claims of a deferred offer are still missing or have been supplied. */
export type Deferral = 'waiting' | 'ready';

/** Which wallets an issuer identifier is for: those of the EU, which attest their keys, or any. */
export type Profile = 'open' | 'eudi';

/** A Credential Issuer Identifier of this installation. */
export interface IssuerIdentity {
  /** The last segment of its path; empty for the identifier of the installation itself. */
  readonly name: string;
  readonly url: string;
  readonly profile: Profile;
}

/** A credential type with this issuer's own settings. */
export interface IssuableType extends OfferedType {
  /** The identifier that it is issued under. */
  readonly issuer: IssuerIdentity;
  /**
   * A PID: its attestations need statuses, which are maintained until it ends (TS3 1.5 §2.4.3). Default false.
   */
  readonly isPid?: boolean;
  readonly validitySeconds: number;
  /** Does each credential get an entry in a status list, so that it can be revoked? */
  readonly hasStatus: boolean;
  /** The maximum size of its claims as JSON, so that a full batch fits into an answer: it depends on the current chain. */
  readonly mostClaimBytes: () => number;
  /** How many credentials one request may get by the reuse policy of the type; undefined without one. */
  readonly mostCredentials?: number | undefined;
}

/** How many wrong transaction codes end an offer. */
export const MAX_TX_CODE_ATTEMPTS = 5;
