import type { IssuanceEvent } from '@vestibule/contracts';
import type { PublicJwk } from '@vestibule/crypto';
import type { JsonObject } from '@vestibule/foundation';
import type { VerifiedNonce } from '@vestibule/oauth';
import type { GrantedCredential } from '@vestibule/oid4vci';
import type { Deferral } from './credential-offer';
import type { KeptAnswer } from './kept-answer';
import type { ReservedEntry } from './status-list';

/** What an access token allows. */
export interface Grant {
  readonly offerId: string;
  readonly configurationId: string;
  readonly status: 'OFFER_CREATED' | 'ISSUED' | 'FAILED';
  /** Undefined when the offer has ended: its claims are gone, unless they are kept after ISSUED. */
  readonly claims: JsonObject | undefined;
  /** Only of a deferred offer: names the claims as they were read, until the backend replaces them. */
  readonly claimsVersion?: Uint8Array;
  readonly thumbprint: string;
  readonly granted: readonly GrantedCredential[];
  /** The wallet that authenticated at the token endpoint; undefined for an anonymous one. */
  readonly clientId: string | undefined;
  /** Digests of those of the presented nonces that were used before. */
  readonly usedNonces: readonly Uint8Array[];
  /** Which requests of this token were answered, as far as their answers are kept. */
  readonly keptRequests: readonly Uint8Array[];
  /** Only of a deferred offer, with what a wallet was promised last. */
  readonly deferral?: {
    readonly state: Deferral;
    readonly transaction?: { readonly digest: Uint8Array; readonly keys: readonly PublicJwk[] };
  };
}

/** What an access token allows, to the wallet that just sent it. */
export interface AuthorizedGrant extends Grant {
  /** Never stored; opens the answers that are kept for it. */
  readonly accessToken: string;
}

/** A credential that a wallet gets later, for the keys that it proved now. */
export interface PromisedCredential {
  readonly transactionDigest: Uint8Array;
  readonly keys: readonly PublicJwk[];
  /** The promise itself, for a wallet that did not get it. */
  readonly kept?: KeptAnswer | undefined;
}

/** An offer as it was read: what is signed are these claims and no others. */
export type ReadOffer = Pick<AuthorizedGrant, 'offerId' | 'claimsVersion' | 'accessToken'>;

/** What is committed when credentials were signed. */
export interface Completion {
  readonly offer: ReadOffer;
  readonly nonces: readonly VerifiedNonce[];
  /** The entries of status lists that the credentials name: from now on these exist. */
  readonly entries: readonly ReservedEntry[];
  /** When the credentials end, where that is before the validity of their type. */
  readonly shortenedTo?: Date | undefined;
  readonly event: IssuanceEvent;
  readonly now: Date;
  /** The answer, for a wallet that does not get it; undefined where none is kept. */
  readonly kept?: KeptAnswer | undefined;
  /** For how long the event waits for the answer to be handed over; 0: not at all. */
  readonly holdSeconds: number;
}

/** What became of a completion. */
export type CompletionOutcome = 'issued' | 'nonce_used' | 'claims_changed' | 'ended';
