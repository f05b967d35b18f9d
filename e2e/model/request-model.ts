import { UNSERVED, type Outcome, type Rules } from './orders';

export type RequestStatus =
  'PENDING' | 'FULFILLED' | 'REJECTED' | 'EXPIRED' | 'PROCESSING_ERROR' | 'VERIFICATION_FAILED';

/** What a wallet sends to the response endpoint. */
export type Showing =
  | 'good'
  /** Bound to the nonce of the other flow variant of the same request. */
  | 'other_nonce'
  | 'unbound'
  /** Made for another request. */
  | 'foreign'
  | 'other_state'
  | 'garbled'
  | 'no_jwe'
  | 'plain_token'
  | 'declined'
  | 'declined_plainly'
  | 'declined_for_another';

export interface RequestState {
  readonly status: RequestStatus;
  /** Its time is over; the end may still have to be written. */
  readonly isOverdue: boolean;
  /** The response that ended it. */
  readonly winner: number | null;
  /** A wallet may have come and not have been served. */
  readonly isUnserved: boolean;
  readonly reason: string | null;
}

export type RequestStep =
  | { readonly kind: 'withdraw' | 'expire' | 'read' }
  | { readonly kind: 'fetch'; readonly isPost: boolean }
  | { readonly kind: 'listed'; readonly status: RequestStatus | undefined }
  | {
      readonly kind: 'respond';
      readonly showing: Showing;
      /** The same bytes have the same number. */
      readonly response: number;
      /** The answer sends the browser back. */
      readonly redirects: boolean;
    };

export const NEW_REQUEST: RequestState = {
  status: 'PENDING',
  isOverdue: false,
  winner: null,
  isUnserved: false,
  reason: null,
};

/** How the wallet is answered, and how an open request ends by it. */
const ENDS: Readonly<Record<Showing, readonly [answer: '200' | '400', status?: RequestStatus]>> = {
  good: ['200', 'FULFILLED'],
  other_nonce: ['400', 'VERIFICATION_FAILED'],
  unbound: ['400', 'VERIFICATION_FAILED'],
  foreign: ['400', 'PROCESSING_ERROR'],
  other_state: ['400', 'PROCESSING_ERROR'],
  garbled: ['400', 'PROCESSING_ERROR'],
  no_jwe: ['400'],
  plain_token: ['400'],
  declined: ['200', 'REJECTED'],
  declined_plainly: ['200', 'REJECTED'],
  declined_for_another: ['400'],
};

const isOpen = ({ status, isOverdue }: RequestState) => status === 'PENDING' && !isOverdue;
const isEnded = ({ status }: RequestState) => status !== 'PENDING';

function respond(state: RequestState, step: RequestStep & { readonly kind: 'respond' }): Outcome<RequestState>[] {
  const [answer, status] = ENDS[step.showing];
  const told = step.showing === 'good' && step.redirects ? '200 redirect' : answer;
  // Decision 2.6: the same bytes get the stored answer, anything else that comes later gets 400.
  if (!isOpen(state)) return [{ answer: state.winner === step.response ? told : '400', next: state }];
  if (status === undefined) return [{ answer, next: state }];
  const unavailable: RequestState = { ...state, status: 'PROCESSING_ERROR' };
  return [
    { answer: told, next: { ...state, status, winner: step.response } },
    // Where what the judgement needs is away, the wallet gets 5xx.
    { answer: UNSERVED, next: unavailable },
  ];
}

function withdraw(state: RequestState): Outcome<RequestState>[] {
  const refused = { answer: '409 presentation_request_ended', next: state };
  const expired = { answer: '204', next: { ...state, status: 'EXPIRED' as const } };
  if (isEnded(state)) return [refused];
  return state.isOverdue ? [refused, expired] : [expired];
}

const listedAs = (state: RequestState, status: RequestStatus | undefined) =>
  status === undefined || state.status === status ? `200 ${state.status}` : 'absent';

/** Presentation requests (contract, "States and transitions"; decisions, section 2). */
export const REQUEST_RULES: Rules<RequestState, RequestStep> = {
  take(state, step) {
    switch (step.kind) {
      case 'fetch':
        return [{ answer: isOpen(state) ? '200' : '404 invalid_request', next: state }];
      case 'respond':
        return respond(state, step);
      case 'withdraw':
        return withdraw(state);
      case 'expire':
        return [{ answer: 'done', next: isEnded(state) ? state : { ...state, isOverdue: true } }];
      case 'read':
        return [{ answer: `200 ${state.status}`, next: state }];
      case 'listed':
        return [{ answer: listedAs(state, step.status), next: state }];
    }
  },
  drift(state) {
    if (isEnded(state) || !state.isOverdue) return [];
    const expired: RequestState = { ...state, status: 'EXPIRED' };
    if (!state.isUnserved) return [expired];
    return [expired, { ...state, status: 'PROCESSING_ERROR', reason: 'wallet_not_served' }];
  },
  unserved: (state) => ({ ...state, isUnserved: true }),
};
