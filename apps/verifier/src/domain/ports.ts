import type {
  ListPresentationRequests,
  PresentationRequestItem,
  PresentationRequestView,
  PresentedCredentialsEvent,
  QuestionOf,
} from '@vestibule/contracts';
import type { JsonObject } from '@vestibule/foundation';
import type { IssuerTrust, RequestSigner, VerifiedPresentation } from '@vestibule/oid4vp';
import type { IssuerKey } from '@vestibule/sd-jwt-vc';
import type { VerifiedChain } from '@vestibule/x509-trust';
import type { AcceptedResponse, Ending } from './presentation-ending';
import type { PendingRequest } from './presentation-request';

/** What a backend receives for a new request. */
export interface CreatedAnswer {
  readonly state: string;
  readonly same_device_request_uri: string;
  readonly cross_device_request_uri: string;
}

/** A call that may be repeated: the caller's `Idempotency-Key`, and the body that it was first sent with. */
export interface Repeatable {
  readonly key: string;
  readonly body: JsonObject;
}

/** An expired request, and whether a wallet came that could not be served. */
export interface Overdue {
  readonly state: string;
  readonly wasUnserved: boolean;
}

/** A request whose wallet could not be served. */
export interface UnservedWallet {
  readonly state: string;
  readonly millisecondsAgo: number;
}

/** A request that was not answered in time, and the event of its end. */
export interface Expiry {
  readonly state: string;
  readonly event: PresentedCredentialsEvent;
}

/** The store of presentation requests: each step of a request's life is one statement. */
export interface PresentationRequests {
  /** Stores the request, or returns the earlier answer for this idempotency key. */
  readonly insert: (
    request: PendingRequest,
    answer: CreatedAnswer,
    call: Repeatable | undefined,
  ) => Promise<CreatedAnswer>;
  /** The answer that the same call got before; undefined if there was none, or one with another body. */
  readonly recall: (call: Repeatable) => Promise<CreatedAnswer | undefined>;
  readonly findPending: (state: string, now: Date) => Promise<PendingRequest | undefined>;
  /** The accepted response, if there was one. */
  readonly findAccepted: (state: string) => Promise<AcceptedResponse | undefined>;
  readonly findView: (state: string) => Promise<PresentationRequestView | undefined>;
  /** Is the request open, or could an accepted response to it be repeated? */
  readonly isExpected: (state: string, now: Date) => Promise<boolean>;
  /** Compare-and-set from open to ended, with the event in the same statement: true for exactly one caller. */
  readonly finish: (ending: Ending) => Promise<boolean>;
  /** {@link PresentationRequests.finish} for a backend, with a record in the audit trail. */
  readonly cancel: (ending: Ending) => Promise<boolean>;
  /**
   * Marks the requests that are open and had not expired when the wallet came, in one statement; returns their number.
   */
  readonly markUnserved: (wallets: readonly UnservedWallet[], now: Date) => Promise<number>;
  readonly findOverdue: (now: Date, limit: number) => Promise<readonly Overdue[]>;
  /** Ends the requests that are still open, with their events, in one statement; returns their number. */
  readonly expire: (expiries: readonly Expiry[], now: Date) => Promise<number>;
  /** Deletes requests whose retention has ended; returns their number. */
  readonly purge: (now: Date, limit: number) => Promise<number>;
}

/** A request as a list shows it. */
export type ListedRequest = PresentationRequestItem;

/** A page of requests, newest first; throws `invalid_request` for an invalid cursor. */
export type RequestList = (
  question: QuestionOf<typeof ListPresentationRequests>,
) => Promise<{ readonly items: ListedRequest[]; readonly nextCursor?: string }>;

/** The certificates that identify this verifier. */
export interface RequestSigners {
  /** `client_id` of the current access certificate; throws if none is valid. */
  readonly currentClientId: (now: Date) => string;
  /** The key and chain that sign a request with this `client_id`; throws if they are no longer valid. */
  readonly signerOf: (clientId: string, now: Date) => RequestSigner;
}

/** The trust configuration, as the trust file is now. */
export type CurrentTrust = () => IssuerTrust;

/**
 * The keys in the metadata of an issuer on the trust list; never called for others. An unknown `kid` may require a
 * newer document.
 */
export type LoadPublishedKeys = (iss: string, kids: readonly string[]) => Promise<readonly IssuerKey[]>;

/** The lookup of one credential of an answer in a status list. */
export interface StatusLookup {
  /** The same object for all credentials of one answer, which share a deadline and bounds. */
  readonly answer: object;
  /** Adds a remark about something unusual to the decision record. */
  readonly note: (text: string) => void;
}

/** Looks up the credential in its issuer's status list; throws if it is not valid there or the list is unavailable. */
export type CheckStatus = (presentation: VerifiedPresentation, now: Date, lookup: StatusLookup) => Promise<void>;

/** Throws if a certificate of a chain is revoked when its list has come, or if that list is unavailable. */
export type CheckRevocation = (chain: VerifiedChain) => Promise<void>;

/** Yields to other work, so that no answer occupies the process alone. */
export type Pause = () => Promise<void>;

/**
 * Runs a task for at most the given number of milliseconds; then throws `judgement_timeout` immediately, even if the
 * task goes on.
 */
export type Within = <T>(milliseconds: number, task: () => Promise<T>) => Promise<T>;
