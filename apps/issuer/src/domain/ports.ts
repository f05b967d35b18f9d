import type { IssuanceEvent, ListCredentialOffers, QuestionOf } from '@vestibule/contracts';
import type { Signer } from '@vestibule/crypto';
import type { JsonObject, VerificationFailure } from '@vestibule/foundation';
import type { AcceptedAttestation, VerifiedNonce } from '@vestibule/oauth';
import type { NotificationEvent } from '@vestibule/oid4vci';
import type { StatusReference } from '@vestibule/status-list';
import type { OpenOffer } from './credential-offer';
import type { CredentialStatus, StatusChange } from './credential-status';
import type { HandOver } from './hand-over';
import type { Completion, CompletionOutcome, Grant, PromisedCredential, ReadOffer } from './issuance';
import type { RedeemableOffer, Redemption, RedemptionOutcome, TokenOfCode } from './redemption';
import type { ProofKind, SpendableProof } from './spendable-proof';
import type { Draw, Drawing, ListContent, ListState, NewList, NewPublication } from './status-list';
import type { ChangeableOffer, StoredOffer } from './stored-offer';

/** What a backend receives for a new offer. */
export interface OfferAnswer {
  readonly offer_id: string;
  readonly credential_offer_uri: string;
  readonly tx_code_value?: string;
}

/** A call that may be repeated: the caller's `Idempotency-Key`, and the body that it was first sent with. */
export interface Repeatable {
  readonly key: string;
  readonly body: JsonObject;
}

/** An expired offer, and whether a wallet came that could not be served. */
export interface Overdue {
  readonly offerId: string;
  readonly wasUnserved: boolean;
  /** True if that was because the device with the signing key was away. */
  readonly wasUnsigned?: boolean;
}

/**
 * An offer whose wallet could not be served, as the wallet identified it: by its id, or by the SHA-256 of its code or
 * token, base64url.
 */
export interface UnservedWallet {
  readonly by: 'offer_id' | 'code_digest' | 'token_digest';
  readonly name: string;
  readonly millisecondsAgo: number;
}

/** An offer that was not redeemed in time, and the event of its end. */
export interface Expiry {
  readonly offerId: string;
  readonly event: IssuanceEvent;
}

/** Offers from creation to expiry. */
export interface CredentialOffers {
  /** Stores the offer with its OFFER_CREATED event, or returns the earlier answer for this idempotency key. */
  readonly insert: (
    offer: OpenOffer,
    txCodeValue: string | undefined,
    answer: OfferAnswer,
    call: Repeatable | undefined,
  ) => Promise<OfferAnswer>;
  /** The answer that the same call got before; undefined if there was none, or one with another body. */
  readonly recall: (call: Repeatable) => Promise<OfferAnswer | undefined>;
  readonly findOpen: (offerId: string, now: Date) => Promise<OpenOffer | undefined>;
  readonly findView: (offerId: string) => Promise<StoredOffer | undefined>;
  /**
   * Marks the offers that are open and had not expired when the wallet came, in one statement; returns their number.
   */
  readonly markUnserved: (wallets: readonly UnservedWallet[], now: Date) => Promise<number>;
  readonly findOverdue: (now: Date, limit: number) => Promise<readonly Overdue[]>;
  /** Ends the offers that are still open, with their events, in one statement; returns their number. */
  readonly expire: (expiries: readonly Expiry[], now: Date) => Promise<number>;
  /** Is there anything that {@link purge} would delete, if nobody else does? */
  readonly hasRemains: (now: Date) => Promise<boolean>;
  /** Deletes old remains: ended offers, access tokens, spent nonces and proofs; returns their number. */
  readonly purge: (now: Date, limit: number) => Promise<number>;
}

/** A page of offers, newest first; throws `invalid_request` for an invalid cursor. */
export type OfferList = (
  question: QuestionOf<typeof ListCredentialOffers>,
) => Promise<{ readonly offers: readonly StoredOffer[]; readonly nextCursor?: string }>;

/** Changes of an offer apart from redemption and issuance. */
export interface OfferChanges {
  readonly findChangeable: (offerId: string, now: Date) => Promise<ChangeableOffer | undefined>;
  /** Seals the claims into the offer; false if it ended meanwhile. */
  readonly completeClaims: (offerId: string, claims: JsonObject, now: Date) => Promise<boolean>;
  /** One statement: ends the offer as FAILED with its event, if it is still open; false if it ended meanwhile. */
  readonly fail: (offerId: string, event: IssuanceEvent, now: Date) => Promise<boolean>;
  /** Marks an offer that could not be signed because the device was away: it matters only if its time ends. */
  readonly markUnsigned: (offerId: string, now: Date) => Promise<void>;
  /** {@link OfferChanges.fail} for a backend, with a record in the audit trail. */
  readonly deny: (offerId: string, event: IssuanceEvent, now: Date) => Promise<boolean>;
  /** Ends the offer as FAILED with its event, if it is still open, with a record in the audit trail. */
  readonly cancel: (offerId: string, event: IssuanceEvent, now: Date) => Promise<'cancelled' | 'ended' | 'unknown'>;
}

/** Codes and proofs that can be used once. */
export interface Redemptions {
  readonly findRedeemable: (codeDigest: Uint8Array, now: Date) => Promise<RedeemableOffer | undefined>;
  /**
   * One statement: spends the proofs, compares the transaction code, counts the attempt or binds the token; exactly one
   * caller redeems a code.
   */
  readonly redeem: (redemption: Redemption) => Promise<RedemptionOutcome>;
  /** The token that was issued for a redeemed code, unless it has expired. */
  readonly findGivenToken: (
    codeDigest: Uint8Array,
    requestDigest: Uint8Array,
    now: Date,
  ) => Promise<TokenOfCode | undefined>;
  /** One statement: deletes the token and the answers kept for it. */
  readonly revokeToken: (tokenDigest: Uint8Array) => Promise<void>;
  /** One statement: spends the proofs until they expire; returns the kind of the first one that was used before. */
  readonly consumeProofs: (proofs: readonly SpendableProof[]) => Promise<ProofKind | undefined>;
}

/** A DPoP proof, which is spent only with a token of its own key. */
export interface PresentedProof {
  readonly proof: SpendableProof;
  /** RFC 7638 thumbprint of its key. */
  readonly thumbprint: string;
}

/** What a wallet does with its access token. */
export interface Issuances {
  /**
   * One statement: what the token allows, and which of these nonces were used before. Spends the proof if the token is
   * bound to its key.
   */
  readonly findGrant: (
    tokenDigest: Uint8Array,
    now: Date,
    nonceDigests: readonly Uint8Array[],
    presented?: PresentedProof,
  ) => Promise<Grant | undefined>;
  /** One statement: spends the nonces and stores the deferral, which replaces an earlier one. */
  readonly defer: (
    offer: ReadOffer,
    nonces: readonly VerifiedNonce[],
    promise: PromisedCredential,
    now: Date,
  ) => Promise<'deferred' | 'nonce_used' | 'ended'>;
  /**
   * One statement: spends the nonces and ends the offer as ISSUED with its event. Exactly one caller completes an
   * offer, and none with claims that the backend has since replaced, or with a token that has since been revoked.
   */
  readonly complete: (completion: Completion) => Promise<CompletionOutcome>;
  /** The sealed answer to a request of this token, if it is still kept. */
  readonly findKept: (tokenDigest: Uint8Array, requestDigest: Uint8Array, now: Date) => Promise<Uint8Array | undefined>;
  /**
   * Stores the latest event, unless it is a repetition, wipes the answers kept for this offer, and releases its event:
   * a wallet that notifies has the answer. True if the event was still held.
   */
  readonly recordNotification: (offerId: string, event: NotificationEvent, now: Date) => Promise<boolean>;
  /**
   * One statement: records which answers of issued offers were handed over, each for the first time, and releases the
   * events of these offers. Unknown offers are ignored. True if an event was still held.
   */
  readonly recordHandOvers: (handOvers: readonly HandOver[], now: Date) => Promise<boolean>;
}

/** Status lists, their entries and publications. */
export interface StatusLists {
  /**
   * One statement: takes free candidates in the certificate's open list, each permanently and for one caller; undefined
   * without a list.
   */
  readonly drawIndexes: (draw: Draw) => Promise<Drawing | undefined>;
  /**
   * One statement: opens a list in place of the full one, unless another caller has done so; undefined stands for no
   * list yet.
   */
  readonly openList: (list: NewList, inPlaceOf: number | undefined) => Promise<void>;
  /**
   * One statement: changes every entry of the offer and marks their lists as changed, or changes nothing; with a record
   * in the audit trail. For every status except `valid`, claims kept for further credentials are deleted first.
   */
  readonly changeStatus: (offerId: string, status: CredentialStatus, now: Date) => Promise<StatusChange>;
  readonly findList: (listId: string, knownEtag: string | undefined) => Promise<ListState | undefined>;
  /** Version and entries, read at the same moment. */
  readonly readContent: (listId: string) => Promise<ListContent | undefined>;
  /** Stores a publication unless there is a newer one. */
  readonly publish: (publication: NewPublication) => Promise<void>;
}

/** The key that signs credentials, possibly in an HSM. */
export interface CredentialSigner extends Pick<Signer, 'sign' | 'requireReady'> {
  readonly x5c: readonly string[];
  readonly certificateNotBefore: Date;
  /** The earliest end of validity in the chain: no credential outlives it. */
  readonly chainEndsAt: Date;
}

/** The keys of this issuer. */
export interface SigningKeys {
  /** Throws if key and certificate may not sign at `now`. */
  readonly signerAt: (now: Date) => CredentialSigner;
  /** The key that signs a list of credentials of this chain; throws if none that may sign at `now` is configured. */
  readonly listSignerAt: (x5c: readonly string[] | undefined, now: Date) => CredentialSigner;
  /** The key that signs metadata. Throws if it may not sign at `now`. */
  readonly metadataSignerAt: (now: Date) => CredentialSigner;
  /** The earliest end of validity in the chain that signs credentials now. */
  readonly chainEndsAt: () => Date;
}

/**
 * What the status list of an attestation says: that it is valid; that it is not any more; that it is not for now, which is
 * also what a status of unknown meaning says; `unreadable` if there is none where the reference
 * says, or it must not be fetched; a failure of the list itself, or of its signer for that attestation. Throws
 * `attestation_status_unavailable` if the list could not be fetched now.
 */
export type FindAttestationStatus = (
  kind: 'wallet' | 'key',
  reference: StatusReference & { readonly attestation: AcceptedAttestation },
  now: Date,
) => Promise<'valid' | 'invalid' | 'suspended' | 'unreadable' | VerificationFailure>;

/** Reports to operators. */
export interface Reports {
  /** A credential or a status list could not be signed. */
  readonly reportFailure: (error: unknown) => void;
  /** Credentials of a type expire with the issuer's chain, before the end of their validity. */
  readonly reportShortened: (configurationId: string, endsAt: Date) => void;
  /** Entries of a status list that were revoked are no longer: that many, which stay revoked in the list. */
  readonly reportLostRevocations: (listId: string, count: number) => void;
  /** A wallet was told to ask again for a deferred credential that is ready: this failure may pass. */
  readonly reportPostponed: (error: unknown) => void;
  /** A wallet sent an attestation, and nobody is configured who may attest. */
  readonly reportUnreadAttestation: () => void;
}

/** Yields to the event loop, so that no two credentials of a batch block it without a break. */
export type LetOthersRun = () => Promise<void>;
