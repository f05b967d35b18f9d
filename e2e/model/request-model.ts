import { UNSERVED, type Outcome, type Rules } from './orders';

export type RequestStatus =
  'PENDING' | 'FULFILLED' | 'REJECTED' | 'EXPIRED' | 'PROCESSING_ERROR' | 'VERIFICATION_FAILED';

/** What a wallet sends to the response endpoint. */
export type Showing =
  | 'good'
  /** Bound to the nonce of the other flow variant of the same request. */
  | 'other_nonce'
  /** Bound to the nonce of another request. */
  | 'replayed'
  /** The key binding is by the key of another credential. */
  | 'other_holder'
  | 'unbound'
  /** The claim that is asked for is not disclosed. */
  | 'undisclosed'
  /** Two credentials where one is asked for. */
  | 'twice'
  /** For another query. */
  | 'other_query'
  /** The key binding says nothing of the transaction data, or something else. */
  | 'unconfirmed'
  | 'other_transaction'
  /** Made for another request. */
  | 'foreign'
  | 'other_state'
  | 'garbled'
  | 'no_jwe'
  | 'plain_token'
  | 'declined'
  | 'declined_plainly'
  | 'declined_for_another';

export interface RequestKind {
  readonly hasRedirect: boolean;
  readonly hasTransaction: boolean;
}

export interface RequestState {
  readonly status: RequestStatus;
  /** Its time is over; the end may still have to be written. */
  readonly isOverdue: boolean;
  /** The response that ended it. */
  readonly winner: number | null;
  /** A wallet may have come and not have been served. */
  readonly isUnserved: boolean;
  readonly reason: string | null;
  /** Its retention is over, and it is deleted. */
  readonly isForgotten: boolean;
}

export type RequestStep =
  | { readonly kind: 'withdraw' | 'expire' | 'read' | 'forget' }
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
  isForgotten: false,
};

type End = readonly [answer: '200' | '400', status?: RequestStatus];
const FAILED: End = ['400', 'VERIFICATION_FAILED'];
const UNREADABLE: End = ['400', 'PROCESSING_ERROR'];
const REFUSED: End = ['400'];

/** How the wallet is answered, and how an open request ends by it. */
const ENDS: Readonly<Record<Showing, End>> = {
  good: ['200', 'FULFILLED'],
  other_nonce: FAILED,
  replayed: FAILED,
  other_holder: FAILED,
  unbound: FAILED,
  undisclosed: FAILED,
  twice: FAILED,
  other_query: FAILED,
  unconfirmed: FAILED,
  other_transaction: FAILED,
  foreign: UNREADABLE,
  other_state: UNREADABLE,
  garbled: UNREADABLE,
  no_jwe: REFUSED,
  plain_token: REFUSED,
  declined: ['200', 'REJECTED'],
  declined_plainly: ['200', 'REJECTED'],
  declined_for_another: REFUSED,
};

const isOpen = ({ status, isOverdue }: RequestState) => status === 'PENDING' && !isOverdue;
const isEnded = ({ status }: RequestState) => status !== 'PENDING';
const same = (state: RequestState, answer: string): Outcome<RequestState>[] => [{ answer, next: state }];

function respond(state: RequestState, step: RequestStep & { readonly kind: 'respond' }): Outcome<RequestState>[] {
  const [answer, status] = ENDS[step.showing];
  const told = step.showing === 'good' && step.redirects ? '200 redirect' : answer;
  // Decision 2.6: the same bytes get the stored answer, anything else that comes later gets 400.
  if (!isOpen(state)) return same(state, state.winner === step.response ? told : '400');
  if (status === undefined) return same(state, answer);
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

function take(state: RequestState, step: RequestStep): Outcome<RequestState>[] {
  switch (step.kind) {
    case 'fetch':
      return same(state, isOpen(state) ? '200' : '404 invalid_request');
    case 'respond':
      return respond(state, step);
    case 'withdraw':
      return withdraw(state);
    case 'expire':
      return same(isEnded(state) ? state : { ...state, isOverdue: true }, 'done');
    case 'forget':
      return isEnded(state) ? same({ ...state, isForgotten: true }, 'done') : same(state, 'open');
    case 'read':
      return same(state, `200 ${state.status}`);
    case 'listed':
      return same(state, listedAs(state, step.status));
  }
}

/** After its retention nobody is told that there was a request: not even its own response is known. */
const FORGOTTEN: Readonly<Record<RequestStep['kind'], string>> = {
  fetch: '404 invalid_request',
  respond: '400',
  withdraw: '404 presentation_request_not_found',
  expire: 'done',
  forget: 'done',
  read: '404 presentation_request_not_found',
  listed: 'absent',
};

/** Presentation requests (contract, "States and transitions"; decisions, section 2). */
export const REQUEST_RULES: Rules<RequestState, RequestStep> = {
  take: (state, step) => (state.isForgotten ? same(state, FORGOTTEN[step.kind]) : take(state, step)),
  drift(state) {
    if (isEnded(state) || !state.isOverdue) return [];
    const expired: RequestState = { ...state, status: 'EXPIRED' };
    if (!state.isUnserved) return [expired];
    return [expired, { ...state, status: 'PROCESSING_ERROR', reason: 'wallet_not_served' }];
  },
  unserved: (state) => ({ ...state, isUnserved: true }),
};
