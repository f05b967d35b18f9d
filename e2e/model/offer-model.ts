import type { Outcome, Rules } from './orders';

export type OfferStatus = 'OFFER_CREATED' | 'ISSUED' | 'FAILED' | 'EXPIRED';
export type CredentialStatus = 'valid' | 'suspended' | 'revoked';
export type NotificationEvent = 'credential_accepted' | 'credential_failure' | 'credential_deleted';
/** The keys that a wallet proves: it has two. */
export type Keys = 'a' | 'b' | 'ab';

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
  readonly wrongCodes: number;
  /** The wallet that has redeemed the code. */
  readonly holder: number | null;
  /** Somebody else knew the transaction code, too. */
  readonly isRevoked: boolean;
  readonly isTokenOver: boolean;
  readonly promised: Keys | null;
  readonly issued: { readonly keys: Keys; readonly claims: number; readonly by: 'credential' | 'collect' } | null;
  /** The answer with the credentials can be given again. */
  readonly isKept: boolean;
  readonly notified: NotificationEvent | null;
  readonly credentials: CredentialStatus;
  readonly reason: string | null;
  /** A wallet may have come and not have been served. */
  readonly isUnserved: boolean;
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
  /** The backend replaces the claims, or the wallet its request, at the same moment: it may have to ask again. */
  readonly isContested: boolean;
}
export interface TokenStep {
  readonly kind: 'token';
  readonly wallet: number;
  readonly code: 'right' | 'wrong' | 'other';
  /** So long after the redemption that the token need not be given again. */
  readonly isLate: boolean;
}
interface CollectStep {
  readonly kind: 'collect';
  readonly wallet: number;
  readonly hasToken: boolean;
  /** The keys that it was promised for; null for a transaction that nobody promised. */
  readonly transaction: Keys | null;
  /** The backend replaces the claims at the same moment. */
  readonly isContested: boolean;
}
interface NotifyStep {
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
  | { readonly kind: 'read' }
  | { readonly kind: 'listed'; readonly status: OfferStatus | undefined }
  | TokenStep
  | CredentialStep
  | CollectStep
  | NotifyStep
  | { readonly kind: 'supply'; readonly claims: number }
  | { readonly kind: 'status'; readonly status: CredentialStatus };

type Outcomes = readonly Outcome<OfferState>[];

const MAX_WRONG_CODES = 5;

export const newOffer = (kind: OfferKind, claims: number): OfferState => ({
  ...kind,
  status: 'OFFER_CREATED',
  isOverdue: false,
  claims: kind.isDeferred ? null : claims,
  wrongCodes: 0,
  holder: null,
  isRevoked: false,
  isTokenOver: false,
  promised: null,
  issued: null,
  isKept: false,
  notified: null,
  credentials: 'valid',
  reason: null,
  isUnserved: false,
});

const isOpen = ({ status, isOverdue }: OfferState) => status === 'OFFER_CREATED' && !isOverdue;
const isEnded = ({ status }: OfferState) => status !== 'OFFER_CREATED';
const same = (state: OfferState, ...answers: readonly string[]): Outcomes =>
  answers.map((answer) => ({ answer, next: state }));
const failed = (state: OfferState, reason: string): OfferState => ({ ...state, status: 'FAILED', reason });

const INVALID_TOKEN = '401 invalid_token';
const DENIED = '400 credential_request_denied';
const GRANT = '400 invalid_grant';
const ENDED = '409 credential_offer_ended';

function redeem(state: OfferState, { wallet, code }: TokenStep): Outcomes {
  if (code === 'other') return same(state, '400 invalid_request');
  if (code === 'right') return [{ answer: '200', next: { ...state, holder: wallet } }];
  const counted = { ...state, wrongCodes: state.wrongCodes + 1 };
  const isLast = counted.wrongCodes === MAX_WRONG_CODES;
  return [{ answer: GRANT, next: isLast ? failed(counted, 'tx_code_attempts_exceeded') : counted }];
}

/** Decision 3.6: a redeemed code that comes again. */
function redeemAgain(state: OfferState, step: TokenStep): Outcomes {
  if (step.code === 'other') return same(state, GRANT, '400 invalid_request');
  if (step.code === 'wrong') return same(state, GRANT);
  if (step.wallet !== state.holder) {
    const next = state.hasTxCode ? { ...state, isRevoked: true, isKept: false } : state;
    return same(next, GRANT);
  }
  if (state.isRevoked || state.isTokenOver) return same(state, GRANT);
  // Who has asked for the credential has the token.
  const isUsed = state.promised !== null || isEnded(state);
  return step.isLate || isUsed ? same(state, '200', GRANT) : same(state, '200');
}

function takeToken(state: OfferState, step: TokenStep): Outcomes {
  if (state.holder !== null && (isOpen(state) || state.status === 'ISSUED')) return redeemAgain(state, step);
  return isOpen(state) ? redeem(state, step) : same(state, GRANT, '400 invalid_request');
}

/** What a wallet with this token may not do at all; undefined if it may. */
function refuseToken(state: OfferState, { wallet, hasToken }: { wallet: number; hasToken: boolean }) {
  const isBound = hasToken && state.holder === wallet;
  if (!isBound || state.isTokenOver) return same(state, INVALID_TOKEN);
  if (state.isRevoked) return same(state, INVALID_TOKEN, DENIED);
  if (isOpen(state) || state.status === 'ISSUED') return undefined;
  return same(state, INVALID_TOKEN, DENIED);
}

const given = (claims: number, keys: Keys) => `200 claims ${claims} ${keys}`;

function issue(state: OfferState, keys: Keys, by: 'credential' | 'collect'): Outcomes {
  const claims = state.claims as number;
  const issued = { keys, claims, by };
  return [{ answer: given(claims, keys), next: { ...state, status: 'ISSUED', issued, isKept: true } }];
}

/** A request after ISSUED: the same one gets what it got, any other one is denied (decision 3.7). */
function takeLate(state: OfferState, issued: NonNullable<OfferState['issued']>, step: CredentialStep): Outcomes {
  const refused = same(state, DENIED, ...(step.nonce === 'fresh' ? [] : ['400 invalid_nonce']));
  if (!state.isKept || issued.keys !== step.keys) return refused;
  if (issued.by === 'credential') return same(state, given(issued.claims, issued.keys));
  // What it got was a promise, which can still be collected.
  return [...refused, ...same(state, '202')];
}

function takeCredential(state: OfferState, step: CredentialStep): Outcomes {
  const refused = refuseToken(state, step);
  if (refused) return refused;
  const { issued, promised } = state;
  if (step.isWrong) return same(state, '400 invalid_proof', ...(issued ? [DENIED] : []));
  if (issued) return takeLate(state, issued, step);
  const refusedNonce = same(state, '400 invalid_nonce');
  if (promised === step.keys) return [...same(state, '202'), ...(step.isContested ? refusedNonce : [])];
  if (step.nonce === 'used') return refusedNonce;
  const isRefusable = step.nonce === 'contested' || (step.isContested && state.isDeferred);
  const outcomes = isRefusable ? refusedNonce : [];
  if (state.claims !== null) return [...outcomes, ...issue(state, step.keys, 'credential')];
  return [...outcomes, { answer: '202', next: { ...state, promised: step.keys } }];
}

const NO_TRANSACTION = '400 invalid_transaction_id';

function takeCollect(state: OfferState, step: CollectStep): Outcomes {
  const { issued, promised, claims } = state;
  const isPromised = step.transaction !== null && promised === step.transaction;
  const refused = refuseToken(state, step);
  if (!isPromised) return [...(refused ?? []), ...same(state, NO_TRANSACTION)];
  if (refused && state.status === 'FAILED') return refused;
  // What ends while it is collected is denied.
  if (refused) return [...refused, ...same(state, NO_TRANSACTION, DENIED)];
  if (issued) {
    const isGiven = state.isKept && issued.by === 'collect';
    return same(state, isGiven ? given(issued.claims, issued.keys) : NO_TRANSACTION);
  }
  if (claims === null) return same(state, '202');
  return [...(step.isContested ? same(state, '202') : []), ...issue(state, step.transaction as Keys, 'collect')];
}

function takeNotify(state: OfferState, step: NotifyStep): Outcomes {
  const refused = refuseToken(state, step);
  if (refused) return [...refused, ...same(state, '400 invalid_notification_id')];
  if (!step.hasId) return same(state, '400 invalid_notification_id');
  return [{ answer: '204', next: { ...state, notified: step.event, isKept: false } }];
}

function change(state: OfferState, next: OfferState, answer: string): Outcomes {
  return isOpen(state) ? [{ answer, next }] : same(state, ENDED);
}

function changeDeferred(state: OfferState, next: OfferState): Outcomes {
  const notDeferred = '409 credential_offer_not_deferred';
  if (!state.isDeferred) return same(state, notDeferred, ...(isOpen(state) ? [] : [ENDED]));
  return change(state, next, '200');
}

/** An open offer whose time is over may end by the cancel that comes before it is noticed. */
function takeCancel(state: OfferState): Outcomes {
  const next = failed(state, 'offer_cancelled');
  return isEnded(state) ? same(state, ENDED) : change(state, next, '204');
}

function changeStatus(state: OfferState, status: CredentialStatus): Outcomes {
  if (!state.issued) return same(state, '409 credential_not_issued');
  if (state.credentials === 'revoked' && status !== 'revoked') return same(state, '409 credential_revocation_final');
  const isKept = state.isKept && status !== 'revoked';
  return [{ answer: `200 ${status} ${state.issued.keys.length}`, next: { ...state, credentials: status, isKept } }];
}

/** A credential that is issued at that moment prolongs the token. */
function expire(state: OfferState): Outcomes {
  const over = { ...state, isOverdue: !isEnded(state), isTokenOver: true };
  return [over, ...(isEnded(state) ? [state] : [])].map((next) => ({ answer: 'done', next }));
}

/** What the backend sees of it. */
function viewOf(state: OfferState): string {
  const deferral = !isEnded(state) && state.isDeferred ? (state.claims === null ? 'waiting' : 'ready') : '';
  return `200 ${[state.status, deferral, state.notified].filter(Boolean).join(' ')}`;
}

const listedAs = (state: OfferState, status: OfferStatus | undefined) =>
  status === undefined || status === state.status ? viewOf(state) : 'absent';

type Take<Kind extends OfferStep['kind']> = (state: OfferState, step: Extract<OfferStep, { kind: Kind }>) => Outcomes;

const TAKE: { readonly [Kind in OfferStep['kind']]: Take<Kind> } = {
  open: (state) => same(state, isOpen(state) ? '200' : '404 invalid_request'),
  token: takeToken,
  credential: takeCredential,
  collect: takeCollect,
  notify: takeNotify,
  supply: (state, { claims }) => changeDeferred(state, { ...state, claims }),
  deny: (state) => changeDeferred(state, failed(state, 'issuance_denied')),
  cancel: takeCancel,
  status: (state, { status }) => changeStatus(state, status),
  expire,
  read: (state) => same(state, viewOf(state)),
  listed: (state, { status }) => same(state, listedAs(state, status)),
};

/** Credential offers (contract, "States and transitions"; decisions, section 3). */
export const OFFER_RULES: Rules<OfferState, OfferStep> = {
  take: (state, step) => (TAKE[step.kind] as Take<OfferStep['kind']>)(state, step),
  drift(state) {
    if (isEnded(state) || !state.isOverdue) return [];
    const expired: OfferState = { ...state, status: 'EXPIRED' };
    return state.isUnserved ? [expired, failed(state, 'wallet_not_served')] : [expired];
  },
  unserved: (state) => ({ ...state, isUnserved: true }),
};
