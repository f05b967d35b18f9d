import type { IssuanceEvent } from '@vestibule/contracts';
import type { EcJwk } from '@vestibule/crypto';
import type { JsonObject } from '@vestibule/foundation';
import type { AttestationStatus, VerifiedNonce } from '@vestibule/oauth';
import type { GrantedCredential } from '@vestibule/oid4vci';
import type { Deferral } from './credential-offer';
import type { KeptAnswer } from './kept-answer';
import type { ReservedEntry } from './status-list';

/** How the tokens of an offer are recognised, whatever their rows say. */
export interface TokenBinding {
  /** `tokenKey` of the offer. */
  readonly key: Uint8Array;
  /** False for an offer that may have tokens of the previous version, without a tag. */
  readonly isRequired: boolean;
}

/** What an attestation says about its status, which may be another one when it is looked up again. */
export interface PromisedStatus extends AttestationStatus {
  /** When it was accepted; undefined if an earlier version did that. */
  readonly acceptedAt?: Date | undefined;
}

/** The keys that a wallet has proved for a credential that it fetches later. */
export interface PromisedKeys {
  readonly keys: readonly EcJwk[];
  /** Of their attestations. */
  readonly statuses: readonly PromisedStatus[];
}

/** What an access token allows. */
export interface Grant {
  readonly offerId: string;
  readonly configurationId: string;
  readonly status: 'OFFER_CREATED' | 'ISSUED' | 'FAILED';
  /** Undefined when the offer has ended: its claims are deleted, unless they are kept after ISSUED. */
  readonly claims: JsonObject | undefined;
  /** Only for a deferred offer: identifies the claims that were read, until the backend replaces them. */
  readonly claimsVersion?: Uint8Array;
  readonly thumbprint: string;
  readonly granted: readonly GrantedCredential[];
  /** What the token itself has to say; undefined once the offer has no claims any more. */
  readonly binding?: TokenBinding | undefined;
  /** The wallet that authenticated at the token endpoint; undefined for an anonymous one. */
  readonly clientId: string | undefined;
  /** What its attestation says about its status; undefined for an anonymous wallet, and for a token of an earlier version. */
  readonly walletStatus?: PromisedStatus | undefined;
  /** Digests of the presented nonces that were used before. */
  readonly usedNonces: readonly Uint8Array[];
  /** Whether the DPoP proof of this request was not used before; undefined if none was spent. */
  readonly isProofFresh?: boolean;
  /** The answered requests of this token whose answers are kept. */
  readonly keptRequests: readonly Uint8Array[];
  /** Only for a deferred offer, with the latest deferral. */
  readonly deferral?: {
    readonly state: Deferral;
    readonly transaction?: PromisedKeys & { readonly digest: Uint8Array };
  };
}

/** What an access token allows, together with the token that the wallet just sent. */
export interface AuthorizedGrant extends Grant {
  /** Never stored; opens the answers that are kept for it. */
  readonly accessToken: string;
}

/** A credential that a wallet fetches later, for the keys that it has proved now. */
export interface PromisedCredential extends PromisedKeys {
  readonly transactionDigest: Uint8Array;
  /** The answer itself, for a wallet that did not receive it. */
  readonly kept?: KeptAnswer | undefined;
}

/** An offer as it was read: exactly these claims are signed. */
export type ReadOffer = Pick<AuthorizedGrant, 'offerId' | 'claimsVersion' | 'accessToken'>;

/** What is committed after credentials were signed. */
export interface Completion {
  readonly offer: ReadOffer;
  readonly nonces: readonly VerifiedNonce[];
  /** The status list entries of the credentials, which count as issued from now on. */
  readonly entries: readonly ReservedEntry[];
  /** When the credentials expire, if that is before the validity of their type ends. */
  readonly shortenedTo?: Date | undefined;
  readonly event: IssuanceEvent;
  readonly now: Date;
  /** The answer, for a wallet that does not receive it; undefined if none is kept. */
  readonly kept?: KeptAnswer | undefined;
  /** How long the event waits for the answer to be handed over; 0: not at all. */
  readonly holdSeconds: number;
  /** It fulfils a promise, which is done once, also where claims are kept for further requests; default: it does not. */
  readonly isDeferred?: boolean | undefined;
  /** The SHA-256 digest of a kept answer as stored, which leads nowhere: this one takes its place. Any other is kept. */
  readonly replaced?: Uint8Array | undefined;
}

/** The result of a completion. `answered`: claims are kept for further requests, but the answer to an equal one is kept, too. */
export type CompletionOutcome = 'issued' | 'nonce_used' | 'claims_changed' | 'answered' | 'ended';
