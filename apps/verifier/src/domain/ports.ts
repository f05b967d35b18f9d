import type { PresentationRequestView, PresentedCredentialsEvent } from '@vestibule/contracts';
import type { JsonObject } from '@vestibule/foundation';
import type { IssuerTrust, RequestSigner, VerifiedPresentation } from '@vestibule/oid4vp';
import type { IssuerKey } from '@vestibule/sd-jwt-vc';
import type { VerifiedChain } from '@vestibule/x509-trust';
import type { AcceptedResponse, Ending } from './presentation-ending';
import type { PendingRequest } from './presentation-request';

/** What a backend hears of a new request. */
export interface CreatedAnswer {
  readonly state: string;
  readonly same_device_request_uri: string;
  readonly cross_device_request_uri: string;
}

/** A call that may be repeated: the caller's `Idempotency-Key`, and the body that it stands for. */
export interface Repeatable {
  readonly key: string;
  readonly body: JsonObject;
}

/** A request that nobody answered in time, and the event of its end. */
export interface Expiry {
  readonly state: string;
  readonly event: PresentedCredentialsEvent;
}

/** Presentation requests as they are stored: each step of a request's life is one statement. */
export interface PresentationRequests {
  /** Stores the request, or finds the answer that this idempotency key got before. */
  readonly insert: (
    request: PendingRequest,
    answer: CreatedAnswer,
    call: Repeatable | undefined,
  ) => Promise<CreatedAnswer>;
  readonly findPending: (state: string, now: Date) => Promise<PendingRequest | undefined>;
  /** The response that was accepted, if there was one. */
  readonly findAccepted: (state: string) => Promise<AcceptedResponse | undefined>;
  readonly findView: (state: string) => Promise<PresentationRequestView | undefined>;
  /** Is the request open, or may it be that an accepted response to it comes once more? */
  readonly isExpected: (state: string, now: Date) => Promise<boolean>;
  /** Compare-and-set from open to ended, with the event in the same statement: true for exactly one caller. */
  readonly finish: (ending: Ending) => Promise<boolean>;
  readonly findOverdue: (now: Date, limit: number) => Promise<readonly string[]>;
  /** Ends those that are still open, with their events, in one statement; returns how many there were. */
  readonly expire: (expiries: readonly Expiry[], now: Date) => Promise<number>;
  /** Deletes what ended so long ago that nobody asks for it any more; returns how many there were. */
  readonly purge: (now: Date, limit: number) => Promise<number>;
}

/** The certificates that this verifier is known by. */
export interface RequestSigners {
  /** `client_id` of the access certificate that signs now; throws where none is valid. */
  readonly currentClientId: (now: Date) => string;
  /** The key and chain that a request with this `client_id` is signed with; throws where they are not valid any more. */
  readonly signerOf: (clientId: string, now: Date) => RequestSigner;
}

/** Whom the operator trusts, as the trust file is now. */
export type CurrentTrust = () => IssuerTrust;

/** The keys in the metadata of an issuer that trust lists; asked for no other. An unknown `kid` may mean a newer document. */
export type LoadPublishedKeys = (iss: string, kids: readonly string[]) => Promise<readonly IssuerKey[]>;

/** One look at a status list, for one credential of an answer. */
export interface StatusLookup {
  /** The same for all credentials of one answer, which share a deadline and bounds. */
  readonly answer: object;
  /** Says in the decision record what was not as usual. */
  readonly note: (text: string) => void;
}

/** Looks the credential up in its issuer's status list; throws where it is not valid there or the list cannot be had. */
export type CheckStatus = (presentation: VerifiedPresentation, now: Date, lookup: StatusLookup) => Promise<void>;

/** Throws where a certificate of a chain is revoked, or its list cannot be had. */
export type CheckRevocation = (chain: VerifiedChain, now: Date) => Promise<void>;

/** Lets everybody else have their turn: no answer may keep the process for itself. */
export type Pause = () => Promise<void>;

/** Runs a task for at most so many milliseconds; then throws `judgement_timeout` at once, whatever becomes of the task. */
export type Within = <T>(milliseconds: number, task: () => Promise<T>) => Promise<T>;
