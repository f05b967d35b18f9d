import {
  DENIED,
  failed,
  GRANT,
  INVALID_TOKEN,
  isEnded,
  isOpen,
  NOTHING_KEPT,
  same,
  type CollectStep,
  type CredentialStep,
  type Keys,
  type NotifyStep,
  type OfferState,
  type Outcomes,
  type TokenStep,
} from './offer-state';

const MAX_WRONG_CODES = 5;

function redeem(state: OfferState, { wallet, client, code }: TokenStep): Outcomes {
  if (code === 'other') return same(state, '400 invalid_request');
  if (code === 'right') return [{ answer: '200', next: { ...state, holder: wallet, client, isTokenKept: true } }];
  const counted = { ...state, wrongCodes: state.wrongCodes + 1 };
  const isLast = counted.wrongCodes === MAX_WRONG_CODES;
  return [{ answer: GRANT, next: isLast ? failed(counted, 'tx_code_attempts_exceeded') : counted }];
}

/** Decision 3.6: a redeemed code that comes again. */
function redeemAgain(state: OfferState, step: TokenStep): Outcomes {
  if (step.code === 'other') return same(state, GRANT, '400 invalid_request');
  if (step.code === 'wrong') return same(state, GRANT);
  if (step.wallet !== state.holder) {
    const next = state.hasTxCode ? { ...state, isRevoked: true, ...NOTHING_KEPT } : state;
    return same(next, GRANT);
  }
  const isLost = state.isRevoked || state.isTokenOver || !state.isTokenKept;
  if (isLost || step.client !== state.client) return same(state, GRANT);
  // Who has asked for the credential has the token.
  const isUsed = state.promised !== null || isEnded(state);
  return step.isLate || isUsed ? same(state, '200', GRANT) : same(state, '200');
}

export function takeToken(state: OfferState, step: TokenStep): Outcomes {
  if (step.client === 'stranger') return same(state, '400 invalid_client');
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
const UNENCRYPTABLE = '400 invalid_encryption_parameters';
const INVALID_NONCE = '400 invalid_nonce';

function issue(state: OfferState, keys: Keys, by: 'credential' | 'collect'): Outcomes {
  const claims = state.claims as number;
  const issued = { keys, claims, by };
  const next: OfferState = { ...state, status: 'ISSUED', issued, isKept: true, count: keys.length };
  return [{ answer: given(claims, keys), next }];
}

/** May a nonce that was not used before be refused because of what happens at the same moment? */
const isRefusable = ({ isDeferred }: OfferState, { nonce, isContested }: CredentialStep) =>
  nonce === 'contested' || (isContested && isDeferred);

/** Claims that are kept serve each further request, with credentials of their own. */
function issueFurther(state: OfferState, claims: number, step: CredentialStep): Outcomes {
  const { keys } = step;
  const refused = same(state, INVALID_NONCE);
  if (step.nonce === 'used') return refused;
  const next = { ...state, further: [...state.further, keys], count: state.count + keys.length };
  const issued = { answer: given(claims, keys), next };
  return isRefusable(state, step) ? [...refused, issued] : [issued];
}

/** A request after ISSUED: the same one gets what it got, any other one is denied (decision 3.7) unless claims are kept. */
function takeLate(state: OfferState, issued: NonNullable<OfferState['issued']>, step: CredentialStep): Outcomes {
  const isFirst = state.isKept && issued.keys === step.keys;
  if (state.further.includes(step.keys) || (isFirst && issued.by === 'credential')) {
    const repeated = same(state, given(issued.claims, step.keys));
    if (!state.keepsClaims || !step.isContested) return repeated;
    // What it got may go at that moment, or be asked for twice.
    return [...repeated, ...same(state, INVALID_NONCE), ...issueFurther(state, issued.claims, step)];
  }
  // What it got was a promise, which can still be collected.
  const promise = isFirst && state.isPromiseKept ? same(state, '202') : [];
  if (state.keepsClaims) return [...promise, ...issueFurther(state, issued.claims, step)];
  return [...same(state, DENIED, ...(step.nonce === 'fresh' ? [] : [INVALID_NONCE])), ...promise];
}

/** A request while the offer is open. */
function takeFirst(state: OfferState, step: CredentialStep): Outcomes {
  const refusedNonce = same(state, INVALID_NONCE);
  if (state.promised === step.keys && state.isPromiseKept)
    return [...same(state, '202'), ...(step.isContested ? refusedNonce : [])];
  if (step.nonce === 'used') return refusedNonce;
  const outcomes = isRefusable(state, step) ? refusedNonce : [];
  if (state.claims !== null) return [...outcomes, ...issue(state, step.keys, 'credential')];
  return [...outcomes, { answer: '202', next: { ...state, promised: step.keys, isPromiseKept: true } }];
}

export function takeCredential(state: OfferState, step: CredentialStep): Outcomes {
  const refused = refuseToken(state, step);
  if (step.secrecy === 'answer') return [...(refused ?? []), ...same(state, UNENCRYPTABLE)];
  if (refused) return refused;
  const { issued } = state;
  if (step.isWrong) return same(state, '400 invalid_proof', ...(issued ? [DENIED] : []));
  return issued ? takeLate(state, issued, step) : takeFirst(state, step);
}

const NO_TRANSACTION = '400 invalid_transaction_id';

/** A wallet comes back for what it was promised. */
function collect(state: OfferState, step: CollectStep): Outcomes {
  const { issued, claims } = state;
  if (issued) {
    const isGiven = state.isKept && issued.by === 'collect';
    return same(state, isGiven ? given(issued.claims, issued.keys) : NO_TRANSACTION);
  }
  if (claims === null) return same(state, '202');
  return [...(step.isContested ? same(state, '202') : []), ...issue(state, step.transaction as Keys, 'collect')];
}

export function takeCollect(state: OfferState, step: CollectStep): Outcomes {
  const refused = refuseToken(state, step);
  if (step.secrecy === 'answer') return [...(refused ?? []), ...same(state, UNENCRYPTABLE)];
  const isPromised = step.transaction !== null && state.promised === step.transaction;
  if (!isPromised) return [...(refused ?? []), ...same(state, NO_TRANSACTION)];
  if (!refused) return collect(state, step);
  // What ends while it is collected is denied.
  return state.status === 'FAILED' ? refused : [...refused, ...same(state, NO_TRANSACTION, DENIED)];
}

export function takeNotify(state: OfferState, step: NotifyStep): Outcomes {
  const refused = refuseToken(state, step);
  if (refused) return [...refused, ...same(state, '400 invalid_notification_id')];
  if (!step.hasId) return same(state, '400 invalid_notification_id');
  const isAccepted = state.isAccepted || step.event === 'credential_accepted';
  return [{ answer: '204', next: { ...state, notified: step.event, isAccepted, ...NOTHING_KEPT } }];
}
