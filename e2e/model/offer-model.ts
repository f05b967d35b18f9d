import {
  ENDED,
  failed,
  GRANT,
  INVALID_TOKEN,
  isEnded,
  isOpen,
  NOTHING_KEPT,
  same,
  UNKNOWN_OFFER,
  type CredentialStatus,
  type OfferState,
  type OfferStatus,
  type OfferStep,
  type Outcomes,
  type Take,
  type TakeEach,
} from './offer-state';
import type { Rules } from './orders';
import { takeCollect, takeCredential, takeNotify, takeToken } from './wallet-rules';

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

/** It is that of all credentials of the offer, and no further one is issued that would not have it. */
function changeStatus(state: OfferState, status: CredentialStatus): Outcomes {
  if (!state.issued) return same(state, '409 credential_not_issued');
  if (state.credentials === 'revoked' && status !== 'revoked') return same(state, '409 credential_revocation_final');
  const kept = status === 'revoked' ? NOTHING_KEPT : {};
  const next = { ...state, credentials: status, keepsClaims: state.keepsClaims && status === 'valid', ...kept };
  return [{ answer: `200 ${status} ${state.count}`, next }];
}

/** A credential that is issued at that moment prolongs the token. */
function expire(state: OfferState): Outcomes {
  if (!isEnded(state)) return [{ answer: 'done', next: { ...state, isOverdue: true, isTokenOver: true } }];
  const next = { ...state, keepsClaims: false };
  return [{ ...next, isTokenOver: true }, next].map((after) => ({ answer: 'done', next: after }));
}

/** Of an offer that goes on, nothing is deleted. */
const forget = (state: OfferState): Outcomes =>
  isEnded(state) ? [{ answer: 'done', next: { ...state, isForgotten: true } }] : same(state, 'open');

/** What the backend sees of it. */
function viewOf(state: OfferState): string {
  const deferral = !isEnded(state) && state.isDeferred ? (state.claims === null ? 'waiting' : 'ready') : '';
  return `200 ${[state.status, deferral, state.notified, state.isAccepted && 'accepted'].filter(Boolean).join(' ')}`;
}

const listedAs = (state: OfferState, status: OfferStatus | undefined) =>
  status === undefined || status === state.status ? viewOf(state) : 'absent';

const TAKE: TakeEach = {
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
  stop_redelivery: (state) => same({ ...state, ...NOTHING_KEPT }, 'done'),
  forget,
  read: (state) => same(state, viewOf(state)),
  listed: (state, { status }) => same(state, listedAs(state, status)),
};

const unknown =
  (...answers: readonly string[]) =>
  (state: OfferState) =>
    same(state, ...answers);

/** After its retention nobody is told that there was an offer; only its credentials have a status until they expire. */
const TAKE_FORGOTTEN: TakeEach = {
  open: unknown('404 invalid_request'),
  token: (state, step) => (step.client === 'stranger' ? takeToken : unknown(GRANT, '400 invalid_request'))(state, step),
  credential: unknown(INVALID_TOKEN),
  collect: unknown(INVALID_TOKEN),
  notify: unknown(INVALID_TOKEN),
  supply: unknown(UNKNOWN_OFFER),
  deny: unknown(UNKNOWN_OFFER),
  cancel: unknown(UNKNOWN_OFFER),
  status: (state, { status }) => (state.issued ? changeStatus(state, status) : same(state, UNKNOWN_OFFER)),
  expire: unknown('done'),
  stop_redelivery: unknown('done'),
  forget: unknown('done'),
  read: unknown(UNKNOWN_OFFER),
  listed: unknown('absent'),
};

/** Credential offers (contract, "States and transitions"; decisions, section 3). */
export const OFFER_RULES: Rules<OfferState, OfferStep> = {
  take: (state, step) =>
    ((state.isForgotten ? TAKE_FORGOTTEN : TAKE)[step.kind] as Take<OfferStep['kind']>)(state, step),
  drift(state) {
    if (isEnded(state) || !state.isOverdue) return [];
    const expired: OfferState = { ...state, status: 'EXPIRED' };
    return state.isUnserved ? [expired, failed(state, 'wallet_not_served')] : [expired];
  },
  unserved: (state) => ({ ...state, isUnserved: true }),
};
