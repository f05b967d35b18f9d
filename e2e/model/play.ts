import type { History, Move, OfferAct, RequestAct } from './moves';
import { OFFER_RULES } from './offer-model';
import { newOffer, type OfferState, type OfferStep } from './offer-state';
import { statesAfter, type Rules, type Taken } from './orders';
import { createOffer, createTwoKeyed, takeOfferStep, type RealOffer } from './real-offer';
import { createRequest, makeResponse, takeRequestStep, type RealRequest, type Sent } from './real-request';
import { readList } from './listed';
import { NEW_REQUEST, REQUEST_RULES, type RequestState, type RequestStep } from './request-model';
import { createAgain, freshNonce, type World } from './world';

/** The token of a code that comes again is given for 30 s; a busy machine may take a part of it. */
const SURELY_GIVEN_MILLISECONDS = 15_000;

/** A flow of the product, and the states in which it may be by the contract. */
export interface Tracked<State, Step, Real> {
  readonly rules: Rules<State, Step>;
  readonly real: Real;
  states: readonly State[];
  /** An answer about it was lost. */
  isUncertain: boolean;
}
export type TrackedRequest = Tracked<RequestState, RequestStep, RealRequest>;
export type TrackedOffer = Tracked<OfferState, OfferStep, RealOffer>;

export type Disturbing = Move & { readonly on: 'backend' | 'operator' | 'process' | 'server' };
/** What disturbs the product, besides what its users do. */
export interface Disturber {
  disturb(move: Disturbing): Promise<void>;
}

/** A history that is being played. */
export interface Play {
  readonly world: World;
  readonly requests: readonly TrackedRequest[];
  readonly offers: readonly TrackedOffer[];
  /** When it began, for lists. */
  readonly since: string;
  readonly usedNonces: string[];
  /** Everything that happened, for whoever reads a counterexample. */
  readonly log: string[];
  readonly disturber: Disturber | undefined;
}

/** One answer, and what it says about a flow. */
interface Seen {
  readonly what: string;
  readonly answer: string | undefined;
  readonly of: object;
  readonly taken: Taken<never>;
}

const round = <T>(all: readonly T[], number: number): T => all[number % all.length] as T;
const seen = <State, Step, Real>(
  of: Tracked<State, Step, Real>,
  what: string,
  step: Step,
  answer: string | undefined,
): Seen => ({ what: `${what} ${JSON.stringify(step)}`, answer, of, taken: { step, answer } as Taken<never> });

export async function begin(world: World, history: History, disturber?: Disturber): Promise<Play> {
  const since = new Date().toISOString();
  const wallets = [createTwoKeyed(world), createTwoKeyed(world)] as const;
  const requests = await Promise.all(history.requests.map((kind) => createRequest(world, kind)));
  const offers = await Promise.all(history.offers.map((kind) => createOffer(world, wallets, kind)));
  return {
    world,
    requests: requests.map((real) => ({ rules: REQUEST_RULES, real, states: [NEW_REQUEST], isUncertain: false })),
    offers: offers.map((real) => ({
      rules: OFFER_RULES,
      real,
      states: [newOffer(real.kind, 0, world.keepsClaims ?? false)],
      isUncertain: false,
    })),
    since,
    usedNonces: [],
    log: [],
    disturber,
  };
}

/** A move that is ready: what takes time to make is made, so that those of a group begin together. */
type Ready = () => Promise<readonly Seen[]>;

function requestStep(act: Exclude<RequestAct, { kind: 'respond' | 'repeat' }>): RequestStep {
  return act.kind === 'fetch' ? { kind: 'fetch', isPost: act.isPost } : { kind: act.kind };
}

async function readyRequest(play: Play, number: number, act: RequestAct): Promise<Ready> {
  const { world, requests } = play;
  const tracked = round(requests, number);
  const { real } = tracked;
  let sent: Sent | undefined;
  if (act.kind === 'repeat') sent = real.sent[act.which % Math.max(1, real.sent.length)];
  else if (act.kind === 'respond') sent = await makeResponse(world, real, round(requests, number + 1).real, act);
  if (act.kind === 'repeat' && !sent) return async () => [];
  const step: RequestStep = sent
    ? { kind: 'respond', showing: sent.showing, response: sent.response, redirects: sent.redirects }
    : requestStep(act as Exclude<RequestAct, { kind: 'respond' | 'repeat' }>);
  return async () => [seen(tracked, `request ${number}`, step, await takeRequestStep(world, real, step, sent))];
}

type WalletAct = Extract<OfferAct, { kind: 'token' | 'credential' | 'collect' | 'notify' }>;

function tokenStep({ kind, redeemedAt }: RealOffer, act: WalletAct & { kind: 'token' }): OfferStep {
  const isLate = redeemedAt !== undefined && performance.now() - redeemedAt > SURELY_GIVEN_MILLISECONDS;
  return { ...act, code: act.code === 'wrong' && !kind.hasTxCode ? 'other' : act.code, isLate };
}

/** The step that a wallet's act is now, given what it holds. */
function walletStep(real: RealOffer, act: WalletAct, hasUsed: boolean, isContested: boolean): OfferStep {
  const hasToken = real.tokens.size > 0;
  switch (act.kind) {
    case 'token':
      return tokenStep(real, act);
    case 'credential':
      return { ...act, hasToken, nonce: act.nonce === 'used' && !hasUsed ? 'fresh' : act.nonce, isContested };
    case 'collect': {
      const { isOlder, ...rest } = act;
      const [latest = null, older = latest] = [...real.transactions.keys()].reverse();
      return { ...rest, hasToken, transaction: isOlder ? older : latest, isContested };
    }
    case 'notify':
      return { ...act, hasToken, hasId: real.notificationIds.size > 0 };
  }
}

const isOfWallet = (act: OfferAct): act is WalletAct => 'wallet' in act;

function offerStep(real: RealOffer, act: OfferAct, hasUsed: boolean, isContested: boolean): OfferStep {
  if (isOfWallet(act)) return walletStep(real, act, hasUsed, isContested);
  return act.kind === 'supply' ? { kind: 'supply', claims: real.claims } : act;
}

/** What all moves of a group have in common. */
interface Group {
  readonly moves: readonly Move[];
  /** The nonce that several offers are asked with. */
  readonly nonce: string;
}

/** What may delete an answer, or replace the claims, while a wallet asks. */
const CHANGES = ['supply', 'stop_redelivery', 'notify', 'status'] as const;

const isAbout = (move: Move, flow: number, kind: OfferAct['kind']) =>
  move.on === 'offer' && move.flow === flow && move.act.kind === kind;

async function readyOffer(play: Play, number: number, act: OfferAct, group: Group): Promise<Ready> {
  const { world, offers, usedNonces } = play;
  const tracked = round(offers, number);
  const { real } = tracked;
  if (act.kind === 'supply') real.claims += 1;
  const countOf = (kind: OfferAct['kind']) => group.moves.filter((move) => isAbout(move, number, kind)).length;
  const isAlone = countOf('credential') === 1;
  const isAmidChange = CHANGES.some((kind) => countOf(kind) > 0);
  const isContested = isAmidChange || (act.kind === 'credential' && !isAlone);
  const known = 'client' in act && !world.attesters ? { ...act, client: 'anonymous' as const } : act;
  const step = offerStep(real, known, usedNonces.length > 0, isContested);
  const nonces = {
    fresh: () => freshNonce(world, real.wallets[0].wallet),
    used: async () => usedNonces.at(-1) ?? '',
    contested: async () => group.nonce,
  };
  const nonce = step.kind === 'credential' ? await nonces[step.nonce]() : '';
  // Beside another request for the same offer nobody knows which of them used its nonce.
  const isNew = tracked.states.every(({ issued, promised }) => issued === null && promised === null);
  return async () => {
    const answer = await takeOfferStep(world, real, step, nonce);
    const spends = step.kind === 'credential' && isAlone && isNew && /^20[02]/.test(answer ?? '');
    if (spends) usedNonces.push(nonce);
    return [seen(tracked, `offer ${number}`, step, answer)];
  };
}

/** A list is a look at every flow of its kind, each of them somewhen between its first and its last page. */
function readyList(play: Play, move: Move & { readonly on: 'request_list' | 'offer_list' }): Ready {
  const { limit, status } = move;
  const query = { created_from: play.since, limit: String(limit), ...(status ? { status } : {}) };
  return async () => {
    if (move.on === 'request_list') {
      const found = await readList(play.world, '/oidc4vp', query);
      const step: RequestStep = { kind: 'listed', status: move.status };
      return play.requests.map((one, at) => seen(one, `request ${at}`, step, found.get(one.real.id) ?? 'absent'));
    }
    const found = await readList(play.world, '/offers', query);
    const step: OfferStep = { kind: 'listed', status: move.status };
    return play.offers.map((one, at) => seen(one, `offer ${at}`, step, found.get(one.real.id) ?? 'absent'));
  };
}

async function ready(play: Play, move: Move, group: Group): Promise<Ready> {
  switch (move.on) {
    case 'request':
      return readyRequest(play, move.flow, move.act);
    case 'offer':
      return readyOffer(play, move.flow, move.act, group);
    case 'request_list':
    case 'offer_list':
      return async () => readyList(play, move)();
    case 'request_again':
    case 'offer_again': {
      const { real } = round<TrackedRequest | TrackedOffer>(
        move.on === 'offer_again' ? play.offers : play.requests,
        move.flow,
      );
      return async () => {
        await createAgain(play.world, real.creation, move.isOther);
        return [];
      };
    }
    case 'backend':
    case 'operator':
    case 'process':
    case 'server':
      return async () => {
        await play.disturber?.disturb(move);
        play.log.push(`! ${JSON.stringify(move)}`);
        return [];
      };
  }
}

/** Moves the states of a flow on by what was seen of it. */
function follow<State, Step, Real>(play: Play, tracked: Tracked<State, Step, Real>, all: readonly Seen[]): void {
  const { rules, states } = tracked;
  const mine = all.filter(({ of }) => of === tracked);
  if (mine.length === 0) return;
  tracked.isUncertain ||= mine.some(({ answer }) => answer === undefined);
  const before = tracked.isUncertain ? states.map((state) => rules.unserved(state)) : states;
  const after = statesAfter(
    rules,
    before,
    mine.map(({ taken }) => taken as Taken<Step>),
  );
  if (after.length > 0) {
    tracked.states = after;
    return;
  }
  const happened = play.log.map((line) => `  ${line}`).join('\n');
  throw new Error(`no order of these explains the answers:\n${happened}\nfrom ${JSON.stringify(states)}`);
}

/** A nonce is used once, and is refused only where it was used. */
function judgeNonces({ usedNonces }: Play, all: readonly Seen[]): void {
  expect(usedNonces.filter((nonce, at) => usedNonces.indexOf(nonce) !== at)).toEqual([]);
  const answers = all.filter(({ what }) => what.includes('"contested"')).map(({ answer }) => answer);
  const isKnown = answers.every((answer) => answer !== undefined);
  if (isKnown && answers.includes('400 invalid_nonce'))
    expect(answers).toContainEqual(expect.stringMatching(/^20[02]/));
}

/** Plays the moves of a group at the same moment. */
export async function playGroup(play: Play, moves: readonly Move[]): Promise<void> {
  const nonce = await freshNonce(play.world, (play.offers[0] as TrackedOffer).real.wallets[0].wallet);
  const all: Ready[] = [];
  for (const move of moves) all.push(await ready(play, move, { moves, nonce }));
  const answers = (await Promise.all(all.map((move) => move()))).flat();
  play.log.push(...answers.map(({ what, answer }, at) => `${at === 0 ? '-' : ' '} ${what}: ${answer ?? 'no answer'}`));
  for (const tracked of play.requests) follow(play, tracked, answers);
  for (const tracked of play.offers) follow(play, tracked, answers);
  judgeNonces(play, answers);
}
