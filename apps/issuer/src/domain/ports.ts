import type { IssuanceEvent } from '@vestibule/contracts';
import type { JsonObject } from '@vestibule/foundation';
import type { VerifiedNonce } from '@vestibule/oauth';
import type { NotificationEvent } from '@vestibule/oid4vci';
import type { SignBytes } from '@vestibule/sd-jwt-vc';
import type { OpenOffer } from './credential-offer';
import type { CredentialStatus, StatusChange } from './credential-status';
import type { HandOver } from './hand-over';
import type { Completion, CompletionOutcome, Grant, PromisedCredential, ReadOffer } from './issuance';
import type { RedeemableOffer, Redemption, RedemptionOutcome, TokenOfCode } from './redemption';
import type { Draw, Drawing, ListContent, ListState, NewList, NewPublication } from './status-list';
import type { ChangeableOffer, StoredOffer } from './stored-offer';

/** What a backend hears of a new offer. */
export interface OfferAnswer {
  readonly offer_id: string;
  readonly credential_offer_uri: string;
  readonly tx_code_value?: string;
}

/** A call that may be repeated: the caller's `Idempotency-Key`, and the body that it stands for. */
export interface Repeatable {
  readonly key: string;
  readonly body: JsonObject;
}

/** An offer that nobody redeemed in time, and the event of its end. */
export interface Expiry {
  readonly offerId: string;
  readonly event: IssuanceEvent;
}

/** Offers from their beginning to the end of their time. */
export interface CredentialOffers {
  /** Stores the offer with its OFFER_CREATED event, or finds the answer that this idempotency key got before. */
  readonly insert: (
    offer: OpenOffer,
    txCodeValue: string | undefined,
    answer: OfferAnswer,
    call: Repeatable | undefined,
  ) => Promise<OfferAnswer>;
  readonly findOpen: (offerId: string, now: Date) => Promise<OpenOffer | undefined>;
  readonly findView: (offerId: string) => Promise<StoredOffer | undefined>;
  readonly findOverdue: (now: Date, limit: number) => Promise<readonly string[]>;
  /** Ends those that are still open, with their events, in one statement; returns how many there were. */
  readonly expire: (expiries: readonly Expiry[], now: Date) => Promise<number>;
  /** Deletes old remains: ended offers, access tokens, spent nonces and proofs; returns how many there were. */
  readonly purge: (now: Date, limit: number) => Promise<number>;
}

/** What happens to an offer besides being redeemed and issued. */
export interface OfferChanges {
  readonly findChangeable: (offerId: string, now: Date) => Promise<ChangeableOffer | undefined>;
  /** Seals the claims into the offer; false when it ended meanwhile. */
  readonly completeClaims: (offerId: string, claims: JsonObject, now: Date) => Promise<boolean>;
  /** One statement: ends the offer as FAILED with its event, if it is still open; false when it ended meanwhile. */
  readonly fail: (offerId: string, event: IssuanceEvent, now: Date) => Promise<boolean>;
  /** One statement: ends the offer as FAILED with its event, if it is still open. */
  readonly cancel: (offerId: string, event: IssuanceEvent, now: Date) => Promise<'cancelled' | 'ended' | 'unknown'>;
}

/** Codes and proofs that are good once. */
export interface Redemptions {
  readonly findRedeemable: (codeDigest: Uint8Array, now: Date) => Promise<RedeemableOffer | undefined>;
  /** One statement: compares the transaction code, counts the attempt or binds the token; one caller redeems a code. */
  readonly redeem: (redemption: Redemption) => Promise<RedemptionOutcome>;
  /** The token of a code that was redeemed, if it has not expired. */
  readonly findGivenToken: (
    codeDigest: Uint8Array,
    requestDigest: Uint8Array,
    now: Date,
  ) => Promise<TokenOfCode | undefined>;
  /** One statement: deletes the token and what is kept for it. */
  readonly revokeToken: (tokenDigest: Uint8Array) => Promise<void>;
  /** True for the first to spend this DPoP proof until it expires. */
  readonly spendProof: (replayDigest: Uint8Array, expiresAt: Date) => Promise<boolean>;
  /** True for the first to spend this proof of possession of an attested key until it expires. */
  readonly spendAttestationProof: (replayDigest: Uint8Array, expiresAt: Date) => Promise<boolean>;
}

/** What a wallet does with its access token. */
export interface Issuances {
  /** One statement: what the token allows, and which of these nonces were used before. */
  readonly findGrant: (
    tokenDigest: Uint8Array,
    now: Date,
    nonceDigests: readonly Uint8Array[],
  ) => Promise<Grant | undefined>;
  /** One statement: spends the nonces and keeps the promise; a later promise takes its place. */
  readonly defer: (
    offer: ReadOffer,
    nonces: readonly VerifiedNonce[],
    promise: PromisedCredential,
    now: Date,
  ) => Promise<'deferred' | 'nonce_used' | 'ended'>;
  /**
   * One statement: spends the nonces and ends the offer as ISSUED with its event; one caller completes an offer, and none
   * with claims that the backend has replaced since they were read, nor with a token that was revoked since.
   */
  readonly complete: (completion: Completion) => Promise<CompletionOutcome>;
  /** The sealed answer to a request of this token, if it is still kept. */
  readonly findKept: (tokenDigest: Uint8Array, requestDigest: Uint8Array, now: Date) => Promise<Uint8Array | undefined>;
  /**
   * Keeps the last event, of which the same one again changes nothing, wipes the answers kept for this offer, and lets its
   * event go: whoever notifies has the answer. True when the event was still held.
   */
  readonly recordNotification: (offerId: string, event: NotificationEvent, now: Date) => Promise<boolean>;
  /**
   * One statement: writes down which answers of issued offers were handed over, each for the first time, and lets the
   * events of these offers go. Unknown offers change nothing. True when an event was still held.
   */
  readonly recordHandOvers: (handOvers: readonly HandOver[], now: Date) => Promise<boolean>;
}

/** Status lists, their entries and what was published of them. */
export interface StatusLists {
  /** One statement: takes free candidates in the open list of the certificate, each for one caller and for ever; undefined without a list. */
  readonly drawIndexes: (draw: Draw) => Promise<Drawing | undefined>;
  /** One statement: opens a list in place of the one that has no room, if nobody else did; the first one for undefined. */
  readonly openList: (list: NewList, inPlaceOf: number | undefined) => Promise<void>;
  /**
   * One statement: changes every entry of the offer and marks their lists as changed, or changes nothing. Claims that
   * were kept for further credentials are gone before anything but `valid`.
   */
  readonly changeStatus: (offerId: string, status: CredentialStatus, now: Date) => Promise<StatusChange>;
  readonly findList: (listId: string, knownEtag: string | undefined) => Promise<ListState | undefined>;
  /** Version and entries of one instant. */
  readonly readContent: (listId: string) => Promise<ListContent | undefined>;
  /** Stores a publication unless a newer one is there. */
  readonly publish: (publication: NewPublication) => Promise<void>;
}

/** The key that signs credentials; behind it may be an HSM. */
export interface CredentialSigner {
  readonly sign: SignBytes;
  readonly x5c: readonly string[];
  readonly certificateNotBefore: Date;
  /** The first end of a certificate in the chain: no credential outlives it. */
  readonly chainEndsAt: Date;
}

/** The keys of this issuer. */
export interface SigningKeys {
  /** Throws when key and certificate may not sign at `now`. */
  readonly signerAt: (now: Date) => CredentialSigner;
  /** The key that speaks for a list of credentials of this chain; throws where none is configured that may sign at `now`. */
  readonly listSignerAt: (x5c: readonly string[] | undefined, now: Date) => CredentialSigner;
  /** The first end in the chain that signs credentials now. */
  readonly chainEndsAt: () => Date;
}

/** What operators hear. */
export interface Reports {
  /** Of a credential or a status list that could not be signed. */
  readonly reportFailure: (error: unknown) => void;
  /** Credentials of a type end with the issuer's chain, before their validity is over. */
  readonly reportShortened: (configurationId: string, endsAt: Date) => void;
}

/** Lets the event loop serve others: two credentials of a batch never hold it in one stretch. */
export type LetOthersRun = () => Promise<void>;
