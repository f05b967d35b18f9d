import type { Outcome } from './orders';

export type OfferStatus = 'OFFER_CREATED' | 'ISSUED' | 'FAILED' | 'EXPIRED';
export type CredentialStatus = 'valid' | 'suspended' | 'revoked';
export type NotificationEvent = 'credential_accepted' | 'credential_failure' | 'credential_deleted';
/** The keys that a wallet proves: it has two. */
export type Keys = 'a' | 'b' | 'ab';
/** What is encrypted; `answer` alone is forbidden (OpenID4VCI 1.0 §8.2): the request must be, too. */
export type Secrecy = 'none' | 'request' | 'both' | 'answer';

/** How a wallet authenticates when it redeems a code; a stranger is attested by nobody who is trusted. */
export type Client = 'anonymous' | 'attested' | 'stranger';

export interface OfferKind {
  readonly hasTxCode: boolean;
  readonly isDeferred: boolean;
}

export interface OfferState extends OfferKind {
  readonly status: OfferStatus;
  /** Its time is over; the end may still have to be written. */
  readonly isOverdue: boolean;
  /** The number of the claims; null until the backend has given them. */
  readonly claims: number | null;
  /** ISSUED leaves the claims for further requests, until the offer's time is over or its credentials are not valid. */
  readonly keepsClaims: boolean;
  readonly wrongCodes: number;
  /** The wallet that has redeemed the code. */
  readonly holder: number | null;
  readonly client: Client | null;
  /** Somebody else knew the transaction code, too. */
  readonly isRevoked: boolean;
  readonly isTokenOver: boolean;
  readonly promised: Keys | null;
  /** What was answered to the request for the token, and to the promised one, can be given again. */
  readonly isTokenKept: boolean;
  readonly isPromiseKept: boolean;
  readonly issued: { readonly keys: Keys; readonly claims: number; readonly by: 'credential' | 'collect' } | null;
  /** The answer with the credentials can be given again. */
  readonly isKept: boolean;
  /** The keys of further answers that can be given again. */
  readonly further: readonly Keys[];
  /** How many credentials were issued. */
  readonly count: number;
  readonly notified: NotificationEvent | null;
  /** A wallet has accepted its credentials; it may have deleted them later. */
  readonly isAccepted: boolean;
  readonly credentials: CredentialStatus;
  readonly reason: string | null;
  /** A wallet may have come and not have been served. */
  readonly isUnserved: boolean;
  /** Its retention is over, and it is deleted. */
  readonly isForgotten: boolean;
}

export interface CredentialStep {
  readonly kind: 'credential';
  readonly wallet: number;
  readonly hasToken: boolean;
  readonly keys: Keys;
  /** `contested`: another offer is asked with the same nonce at the same moment. */
  readonly nonce: 'fresh' | 'used' | 'contested';
  /** A proof for another issuer. */
  readonly isWrong: boolean;
  /** The keys are attested instead of proved one by one. */
  readonly isAttested: boolean;
  readonly secrecy: Secrecy;
  /** The backend replaces the claims, or the wallet its request, at the same moment: it may have to ask again. */
  readonly isContested: boolean;
}
export interface TokenStep {
  readonly kind: 'token';
  readonly wallet: number;
  readonly client: Client;
  readonly code: 'right' | 'wrong' | 'other';
  /** So long after the redemption that the token need not be given again. */
  readonly isLate: boolean;
}
export interface CollectStep {
  readonly kind: 'collect';
  readonly wallet: number;
  readonly hasToken: boolean;
  /** The keys that it was promised for; null for a transaction that nobody promised. */
  readonly transaction: Keys | null;
  readonly secrecy: Secrecy;
  /** The backend replaces the claims at the same moment. */
  readonly isContested: boolean;
}
export interface NotifyStep {
  readonly kind: 'notify';
  readonly wallet: number;
  readonly event: NotificationEvent;
  readonly hasToken: boolean;
  readonly hasId: boolean;
}
export type OfferStep =
  | { readonly kind: 'open' }
  | { readonly kind: 'cancel' }
  | { readonly kind: 'deny' }
  | { readonly kind: 'expire' }
  /** The answers that are kept for wallets which lost them are over. */
  | { readonly kind: 'stop_redelivery' }
  | { readonly kind: 'forget' }
  | { readonly kind: 'read' }
  | { readonly kind: 'listed'; readonly status: OfferStatus | undefined }
  | TokenStep
  | CredentialStep
  | CollectStep
  | NotifyStep
  | { readonly kind: 'supply'; readonly claims: number }
  | { readonly kind: 'status'; readonly status: CredentialStatus };

export type Outcomes = readonly Outcome<OfferState>[];
export type Take<Kind extends OfferStep['kind']> = (
  state: OfferState,
  step: Extract<OfferStep, { kind: Kind }>,
) => Outcomes;
export type TakeEach = { readonly [Kind in OfferStep['kind']]: Take<Kind> };

export const newOffer = ({ hasTxCode, isDeferred }: OfferKind, claims: number, keepsClaims: boolean): OfferState => ({
  hasTxCode,
  isDeferred,
  status: 'OFFER_CREATED',
  isOverdue: false,
  claims: isDeferred ? null : claims,
  keepsClaims,
  wrongCodes: 0,
  holder: null,
  client: null,
  isRevoked: false,
  isTokenOver: false,
  promised: null,
  isTokenKept: false,
  isPromiseKept: false,
  issued: null,
  isKept: false,
  further: [],
  count: 0,
  notified: null,
  isAccepted: false,
  credentials: 'valid',
  reason: null,
  isUnserved: false,
  isForgotten: false,
});

/** What was answered is not given again: a notification, a revocation and their time delete it. */
export const NOTHING_KEPT = { isTokenKept: false, isPromiseKept: false, isKept: false, further: [] } as const;

/** Can any of it be given again? */
export const isKept = (state: OfferState) =>
  state.isTokenKept || state.isPromiseKept || state.isKept || state.further.length > 0;

export const isOpen = ({ status, isOverdue }: OfferState) => status === 'OFFER_CREATED' && !isOverdue;
export const isEnded = ({ status }: OfferState) => status !== 'OFFER_CREATED';
export const same = (state: OfferState, ...answers: readonly string[]): Outcomes =>
  answers.map((answer) => ({ answer, next: state }));
export const failed = (state: OfferState, reason: string): OfferState => ({ ...state, status: 'FAILED', reason });

export const INVALID_TOKEN = '401 invalid_token';
export const DENIED = '400 credential_request_denied';
export const GRANT = '400 invalid_grant';
export const ENDED = '409 credential_offer_ended';
export const UNKNOWN_OFFER = '404 credential_offer_not_found';
