import type { CredentialStatus } from '../domain/credential-status';
import { MAX_TX_CODE_ATTEMPTS } from '../domain/credential-offer';
import { OFFER_SECONDS, RETENTION_SECONDS } from './store.fixture-spec';
import type { OfferKind, Proof, Step, StepOf } from './offer-steps.fixture-spec';

export const PROOF_SECONDS = 361;
export const NONCE_SECONDS = 361;
export const KEPT_SECONDS = 120;
export const GIVEN_SECONDS = 200;
export const KEPT_TOKEN_SECONDS = 30;

function newOffer({ isDeferred, hasTxCode }: OfferKind) {
  return {
    hasTxCode,
    exists: true,
    status: 'OFFER_CREATED' as 'OFFER_CREATED' | 'ISSUED' | 'FAILED' | 'EXPIRED',
    expires: OFFER_SECONDS,
    finished: null as number | null,
    attempts: 0,
    redeemed: null as number | null,
    deferral: isDeferred ? 'waiting' : (null as 'waiting' | 'ready' | null),
    /** The number of the claims. */
    claims: 0 as number | null,
    claimsRead: null as number | null,
    transaction: null as number | null,
    notification: null as string | null,
    notified: null as number | null,
    handedOver: null as number | null,
    repeated: null as number | null,
    accepted: null as number | null,
    /** The end of the token that completes and defers; and of the one that was given for the code. */
    token: OFFER_SECONDS as number | null,
    given: null as number | null,
    givenKept: null as number | null,
    kept: {} as Record<number, number>,
    entries: [] as { idx: number; isIssued: boolean; isLinked: boolean; status: CredentialStatus }[],
    events: ['OFFER_CREATED'],
    isHeld: false,
  };
}
export type ModelOffer = ReturnType<typeof newOffer>;

export function newModel(kinds: readonly OfferKind[], keepsClaims: boolean) {
  return {
    keepsClaims,
    now: 0,
    claims: 0,
    offers: kinds.map(newOffer),
    /** The end of each nonce and proof that was spent. */
    spent: {} as Record<string, number>,
    listVersion: 0,
  };
}
export type Model = ReturnType<typeof newModel>;

const offerOf = (model: Model, index: number) => model.offers[index] as ModelOffer;
const isOpen = (offer: ModelOffer) => offer.exists && offer.status === 'OFFER_CREATED';
const isLive = (model: Model, offer: ModelOffer) => isOpen(offer) && offer.expires > model.now;

function end(model: Model, offer: ModelOffer, status: 'ISSUED' | 'FAILED' | 'EXPIRED') {
  const claims = status === 'ISSUED' && model.keepsClaims ? offer.claims : null;
  Object.assign(offer, { status, finished: model.now, claims, redeemed: null });
  offer.events.push(status);
}

/** Which of these were spent now. */
function spend(model: Model, names: readonly string[], seconds: number): readonly string[] {
  const fresh = names.filter((name) => model.spent[name] === undefined);
  for (const name of fresh) model.spent[name] = model.now + seconds;
  return fresh;
}
const nonceName = (nonce: number) => `c_nonce ${nonce}`;
const proofName = ({ kind, name }: Proof) => `${kind} ${name}`;

function redeem(model: Model, { offer: index, proofs, isRight }: StepOf<'redeem'>) {
  const offer = offerOf(model, index);
  const fresh = spend(model, proofs.map(proofName), PROOF_SECONDS);
  const used = proofs.find((proof) => !fresh.includes(proofName(proof)));
  if (used) return used.kind;
  if (!isLive(model, offer) || offer.redeemed !== null) return 'gone';
  if (isRight || !offer.hasTxCode) {
    Object.assign(offer, { redeemed: model.now, given: GIVEN_SECONDS, givenKept: model.now + KEPT_TOKEN_SECONDS });
    return 'redeemed';
  }
  offer.attempts += 1;
  if (offer.attempts < MAX_TX_CODE_ATTEMPTS) return 'wrong_tx_code';
  end(model, offer, 'FAILED');
  return 'ended';
}

const keptRequests = (model: Model, offer: ModelOffer) =>
  Object.keys(offer.kept)
    .map(Number)
    .filter((request) => (offer.kept[request] as number) > model.now);

/** Does the token still allow anything? After a failed promise, it tells why. */
function isGranted(model: Model, offer: ModelOffer): boolean {
  if (offer.token === null || offer.token <= model.now) return false;
  return offer.status === 'ISSUED' || isLive(model, offer) || (offer.status === 'FAILED' && offer.transaction !== null);
}

function read(model: Model, { offer: index, proof, nonces, isRemembered }: StepOf<'read'>) {
  const offer = offerOf(model, index);
  const isPromised = offer.transaction !== null;
  if (!isGranted(model, offer)) return 'nothing';
  const isFresh = spend(model, [proofName({ kind: 'dpop_proof', name: proof })], PROOF_SECONDS).length === 1;
  const claims = offer.expires > model.now ? offer.claims : null;
  if (offer.deferral !== null && isRemembered) offer.claimsRead = claims;
  const isAnswered = offer.status === 'ISSUED' || (offer.status === 'OFFER_CREATED' && isPromised);
  return {
    status: offer.status,
    hasClaims: claims !== null,
    isFresh,
    used: nonces.filter((nonce) => model.spent[nonceName(nonce)] !== undefined).length,
    kept: isAnswered ? keptRequests(model, offer) : [],
  };
}

function draw(model: Model, offer: ModelOffer, { entries, candidates }: StepOf<'complete'>) {
  const taken = new Set(model.offers.flatMap((one) => one.entries.map(({ idx }) => idx)));
  const indexes = candidates.slice(0, entries).filter((idx) => !taken.has(idx));
  const drawn = indexes.map((idx) => ({ idx, isIssued: false, isLinked: true, status: 'valid' as CredentialStatus }));
  offer.entries.push(...drawn);
  return drawn;
}

function keep(model: Model, offer: ModelOffer, request: number | undefined) {
  if (request === undefined || offer.token === null) return;
  offer.kept[request] = model.now + KEPT_SECONDS;
  offer.token = Math.max(offer.token, model.now + KEPT_SECONDS);
}

/** Equal requests get one answer while it is kept. */
const furtherOutcome = (model: Model, offer: ModelOffer, { request }: StepOf<'complete'>) =>
  request !== undefined && keptRequests(model, offer).includes(request) ? 'answered' : 'issued';

/** Ends a live offer as ISSUED, or issues further credentials of claims that are kept. */
function issueOrRefuse(model: Model, offer: ModelOffer, step: StepOf<'complete'>): string {
  if (spend(model, step.nonces.map(nonceName), NONCE_SECONDS).length < step.nonces.length) return 'nonce_used';
  if (offer.token === null || !offer.exists) return 'ended';
  const isUnchanged = !step.isVersioned || offer.claimsRead === null || offer.claimsRead === offer.claims;
  if (isLive(model, offer)) {
    if (!isUnchanged) return 'claims_changed';
    end(model, offer, 'ISSUED');
    offer.isHeld = step.isHeld;
    return 'issued';
  }
  const hasKeptClaims = offer.status === 'ISSUED' && offer.claims !== null && offer.expires > model.now;
  return hasKeptClaims && isUnchanged ? furtherOutcome(model, offer, step) : 'ended';
}

function complete(model: Model, step: StepOf<'complete'>) {
  const offer = offerOf(model, step.offer);
  const drawn = draw(model, offer, step);
  const outcome = issueOrRefuse(model, offer, step);
  if (outcome === 'issued') {
    for (const entry of drawn) entry.isIssued = true;
    keep(model, offer, step.request);
  }
  return { outcome, drawn: drawn.map(({ idx }) => idx) };
}

function defer(model: Model, { offer: index, nonces, request, isKept }: StepOf<'defer'>) {
  const offer = offerOf(model, index);
  const fresh = spend(model, nonces.map(nonceName), NONCE_SECONDS);
  const isAllowed = isLive(model, offer) && offer.deferral !== null && offer.token !== null;
  if (fresh.length < nonces.length) return 'nonce_used';
  if (!isAllowed) return 'ended';
  Object.assign(offer, { transaction: request, expires: Math.max(offer.token ?? 0, offer.given ?? 0) });
  offer.kept = {};
  keep(model, offer, isKept ? request : undefined);
  return 'deferred';
}

function supply(model: Model, { offer: index }: StepOf<'supply'>) {
  const offer = offerOf(model, index);
  if (!isLive(model, offer) || offer.deferral === null) return false;
  model.claims += 1;
  Object.assign(offer, { deferral: 'ready', claims: model.claims });
  return true;
}

function fail(model: Model, { offer: index, kind }: StepOf<'fail'>) {
  const offer = offerOf(model, index);
  if (kind === 'fail') {
    if (!isOpen(offer)) return false;
    end(model, offer, 'FAILED');
    return true;
  }
  if (!isLive(model, offer)) return offer.exists ? 'ended' : 'unknown';
  end(model, offer, 'FAILED');
  return 'cancelled';
}

function release(offer: ModelOffer): boolean {
  const wasHeld = offer.isHeld;
  offer.isHeld = false;
  return wasHeld;
}

function notify(model: Model, { offer: index, event }: StepOf<'notify'>) {
  const offer = offerOf(model, index);
  if (!offer.exists) return false;
  Object.assign(offer, { kept: {}, givenKept: null });
  if (offer.notification !== event) {
    const accepted = [offer.notification, event].indexOf('credential_accepted');
    offer.accepted ??= [offer.notified, model.now][accepted] ?? null;
    Object.assign(offer, { notification: event, notified: model.now });
    if (offer.repeated === null) offer.handedOver ??= model.now;
  }
  return release(offer);
}

function handOver(model: Model, { handOvers }: StepOf<'handOver'>) {
  let isReleased = false;
  for (const { offer: index, isRepeated } of handOvers) {
    const offer = offerOf(model, index);
    if (!offer.exists || offer.status !== 'ISSUED') continue;
    if (offer[isRepeated ? 'repeated' : 'handedOver'] !== null) continue;
    offer[isRepeated ? 'repeated' : 'handedOver'] = model.now;
    isReleased = release(offer) || isReleased;
  }
  return isReleased;
}

const isIssued = (offer: ModelOffer) => offer.exists && offer.status === 'ISSUED';

/** Changes the entries of an issued offer, also after it was forgotten; none if one of them is revoked for good. */
function changeEntries(model: Model, offer: ModelOffer, status: CredentialStatus): 'changed' | 'already_revoked' {
  const entries = offer.entries.filter(({ isLinked }) => isLinked);
  if (status !== 'revoked' && entries.some((entry) => entry.status === 'revoked')) return 'already_revoked';
  const changed = entries.filter((entry) => entry.status !== status);
  for (const entry of changed) entry.status = status;
  if (changed.length > 0) model.listVersion += 1;
  return 'changed';
}

function changeStatus(model: Model, { offer: index, status }: StepOf<'status'>) {
  const offer = offerOf(model, index);
  const entries = offer.entries.filter(({ isLinked }) => isLinked);
  if (offer.exists && !isIssued(offer)) return { outcome: 'not_issued' };
  if (status !== 'valid' && entries.length > 0) offer.claims = null;
  const outcome = changeEntries(model, offer, status);
  const credentials = entries.filter((entry) => entry.isIssued).length;
  if (credentials === 0) return { outcome: offer.exists ? 'without_status' : 'offer_unknown' };
  if (outcome === 'already_revoked') return { outcome };
  if (status === 'revoked') Object.assign(offer, { kept: {}, givenKept: null });
  return { outcome, credentials };
}

function purgeTokens(model: Model, offer: ModelOffer) {
  const { now } = model;
  if (offer.token === null || offer.token <= now) Object.assign(offer, { token: null, kept: {} });
  if (offer.given === null || offer.given <= now) Object.assign(offer, { given: null, givenKept: null });
  offer.kept = Object.fromEntries(
    keptRequests(model, offer).map((request) => [request, offer.kept[request] as number]),
  );
  if (offer.givenKept !== null && offer.givenKept <= now) offer.givenKept = null;
}

function purgeOffer(model: Model, offer: ModelOffer) {
  const { now } = model;
  if (offer.status === 'ISSUED' && offer.expires <= now) offer.claims = null;
  const isOfUse = offer.claims !== null || keptRequests(model, offer).length > 0 || (offer.givenKept ?? now) > now;
  if (offer.exists && offer.finished !== null && offer.finished <= now - RETENTION_SECONDS && !isOfUse) {
    Object.assign(offer, { exists: false, token: null, given: null });
    if (offer.status !== 'ISSUED') for (const entry of offer.entries) entry.isLinked = false;
  }
  purgeTokens(model, offer);
}

function sweep(model: Model) {
  const overdue = model.offers.filter((offer) => isOpen(offer) && offer.expires <= model.now);
  for (const offer of overdue) end(model, offer, 'EXPIRED');
  for (const offer of model.offers) purgeOffer(model, offer);
  model.spent = Object.fromEntries(Object.entries(model.spent).filter(([, until]) => until > model.now));
  return overdue.length;
}

/** What each step answers, and changes in the model. */
const TAKE: { readonly [Kind in Step['kind']]: (model: Model, step: never) => unknown } = {
  redeem,
  read,
  complete,
  defer,
  supply,
  fail,
  cancel: fail,
  revoke: (model: Model, { offer }: StepOf<'revoke'>) =>
    Object.assign(offerOf(model, offer), { token: null, kept: {} }) && 'done',
  notify,
  handOver,
  status: changeStatus,
  sweep,
  wait: (model: Model, { seconds }: StepOf<'wait'>) => {
    model.now += seconds;
    return 'done';
  },
};
export const takeStep = (model: Model, step: Step): unknown => TAKE[step.kind](model, step as never);
