import { randomUUID } from 'node:crypto';
import {
  createWallet,
  ServerRefusal,
  WalletRefusal,
  type PresentationOptions,
  type Wallet,
} from '@vestibule/demo-wallet';
import { offerSample, requestSample, SAMPLE_CLAIMS, type Backend } from '@vestibule/dev-stack';
import type { PresentationStory, WalletStory } from './differences';
import { Away, fetchWithJudgement, patiently, WrongAnswer, type Patience } from './patience';
import { newName } from './persons';
import { deviationEnds, explainWrongAnswer, presentationEnds, type ShownEnd } from './presentation-end';
import type { Installation } from './world';

/** A flow whose backend and wallet have done what they could. */
export interface RunFlow {
  readonly kind: 'issuance' | 'presentation';
  readonly id: string;
  /** How it may end, given the wallet's answers. */
  readonly allowed: readonly string[];
  /** For an issuance: whether the wallet holds the credential in the end. */
  readonly isHeld?: boolean;
  /** What its wallet holds or was told, for comparison with what its backend was told. */
  readonly story: WalletStory;
}

/**
 * The wallet that presents, and which of its claims; its deviation, if any; and how the request may end after the last
 * answer, where `wasAway` says whether an attempt before it failed.
 */
export interface Presenter {
  readonly wallet: Wallet;
  readonly claims: object;
  readonly options?: PresentationOptions;
  readonly did?: 'presented' | 'denied' | 'broken' | 'invalid';
  readonly isSameDevice?: boolean;
  /** The first answer to its response is lost after it was sent. */
  readonly losesAnswer?: boolean;
  readonly ends?: (status: number, wasAway: boolean) => readonly string[];
}

const LIFE_SECONDS = 120;
/** Short, because a wallet that lost its token can only wait for the end. */
const OFFER_LIFE_SECONDS = 60;
const ABANDONED_LIFE_SECONDS = 5;
/** As long as the issuer keeps an answer, and a little longer. */
const RETRY_SECONDS = 130;
const RETURN_TO = 'https://shop.example/return';

/** Faults between a wallet and the gateway. */
interface Line {
  /** The end of a path: the answer to the first request there is lost after it was sent. */
  readonly loses?: string | undefined;
  readonly onFailure?: (error: unknown) => void;
}

/** A wallet whose every answer is judged. */
export function createJudgingWallet({ loses, onFailure }: Line = {}): Wallet {
  let doomed = loses;
  const ask = async (input: string, init?: RequestInit) => {
    const response = await fetchWithJudgement('wallet', input, init);
    if (doomed === undefined || !new URL(input).pathname.endsWith(doomed)) return response;
    doomed = undefined;
    await response.body?.cancel();
    throw new Away(0);
  };
  return createWallet({
    fetch: async (input, init) => {
      try {
        return await ask(String(input), init);
      } catch (error) {
        onFailure?.(error);
        throw error;
      }
    },
  });
}

/** The root cause of a wallet's refusal: the network error, if it was one. */
function networkCause(error: unknown): unknown {
  if (error instanceof WalletRefusal) return networkCause(error.hiddenCause());
  if (error instanceof Error && error.cause !== undefined) return networkCause(error.cause);
  return error;
}

/** Converts a wallet's failure into {@link Away} if a part was unavailable. */
async function asAway<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    const cause = networkCause(error);
    throw cause instanceof Away || cause instanceof WrongAnswer ? cause : error;
  }
}

/** A creating call of a backend, repeated with the same key so that it creates only one thing. */
async function create({ stack }: Installation, path: string, body: object, patience: Patience): Promise<object> {
  const headers = { 'content-type': 'application/json', 'idempotency-key': randomUUID() };
  return patiently(`POST ${path}`, patience, async () => {
    const init = { method: 'POST', headers, body: JSON.stringify(body) };
    const response = await fetchWithJudgement(`POST ${path}`, `${stack.managementUrl}${path}`, init);
    if (response.status !== 201) throw new WrongAnswer(`POST ${path}: ${response.status}`);
    return (await response.json()) as object;
  });
}

/** A backend that repeats its calls until they are answered. */
export const backendOf = (world: Installation, patience: Patience): Backend => ({
  issuerUrl: world.stack.issuerUrl,
  create: (path, body) => create(world, path, body, patience),
});

const DEVIATIONS = {
  presented: {},
  denied: { deny: true },
  broken: { faults: { withoutKeyBinding: true } },
  invalid: {},
} as const satisfies Readonly<Record<string, PresentationOptions>>;

function endsOf({ did = 'presented', ends = presentationEnds }: Presenter, status: number, wasAway: boolean) {
  return did === 'presented' ? ends(status, wasAway) : deviationEnds(did, status, wasAway);
}

/** The same, where a wrong answer is thrown with what became of the request. */
async function explainedEndsOf(presenter: Presenter, status: number, tries: number, read: () => Promise<ShownEnd>) {
  try {
    return endsOf(presenter, status, tries > 1);
  } catch (error) {
    if (!(error instanceof WrongAnswer)) throw error;
    throw explainWrongAnswer(error, tries, await read().catch(() => ({})));
  }
}

const responseCodeIn = (redirectUri: string | undefined) =>
  redirectUri === undefined ? undefined : (new URL(redirectUri).searchParams.get('response_code') ?? undefined);

/** A wallet that repeats the same bytes until it is answered. */
export async function runPresentation(world: Installation, presenter: Presenter, patience: Patience): Promise<RunFlow> {
  const { wallet, claims, options = {}, did = 'presented', isSameDevice = false, losesAnswer = false } = presenter;
  const members = { expires_in: LIFE_SECONDS, ...(isSameDevice ? { redirect_uri: RETURN_TO } : {}) };
  const { state, crossDevice, sameDevice } = await requestSample(backendOf(world, patience), members);
  const { responseUri, form } = await patiently('request object', patience, () =>
    asAway(() => wallet.buildPresentation(isSameDevice ? sameDevice : crossDevice, { ...options, ...DEVIATIONS[did] })),
  );
  let tries = 0;
  const { status, redirectUri } = await patiently('response', patience, async () => {
    tries += 1;
    const answer = await asAway(() => wallet.send(responseUri, form));
    if (losesAnswer && tries === 1) throw new Away(0);
    return answer;
  });
  const heard = status === 200 ? 'accepted' : 'refused';
  const responseCode = responseCodeIn(redirectUri);
  const story: PresentationStory = { kind: 'presentation', id: state, did, heard, claims, responseCode };
  const read = () => readView(world, { kind: 'presentation', id: state }, patience);
  return { kind: 'presentation', id: state, allowed: await explainedEndsOf(presenter, status, tries, read), story };
}

/** How many verified credentials in a wallet have these claims. */
function countHeld(wallet: Wallet, claims: object): number {
  const expected = Object.entries(claims);
  return wallet.credentials().filter((held) => expected.every(([name, value]) => held.claims[name] === value)).length;
}

/** How many credentials a wallet requests, and which of its first answers is lost. */
interface Redemption {
  readonly batch?: number;
  readonly loses?: '/token' | '/credential' | undefined;
}

/**
 * A wallet that repeats each request, as libraries do, for as long as the issuer keeps its answers. Only what it holds
 * in the end counts, whatever answers it received. A refusal is acceptable only if an answer was lost or a part was
 * unavailable for longer than a token is reissued, or until the offer had expired.
 */
async function redeem(uri: string, claims: object, { batch = 1, loses }: Redemption, patience: Patience) {
  let wrong: WrongAnswer | undefined;
  let wasAway = false;
  const onFailure = (error: unknown) => {
    if (error instanceof WrongAnswer) wrong ??= error;
    if (!(error instanceof Away)) return;
    wasAway = true;
    patience.onAway?.();
  };
  const wallet = createJudgingWallet({ loses, onFailure });
  try {
    await wallet.redeemOffer(uri, { batch, retrySeconds: RETRY_SECONDS });
  } catch (error) {
    const isEnd = error instanceof ServerRefusal || networkCause(error) instanceof Away;
    if (!isEnd || !wasAway) throw wrong ?? error;
  }
  if (wrong) throw wrong;
  const held = countHeld(wallet, claims);
  if (held > 0) return { wallet, allowed: ['ISSUED'], isHeld: true, held };
  return { wallet, allowed: ['ISSUED', 'EXPIRED', 'FAILED'], isHeld: false, held };
}

/** A backend offers, and a separate wallet redeems. The claims are unique to this offer. */
export async function issueTo(world: Installation, patience: Patience, how: Redemption = {}) {
  const claims = { ...SAMPLE_CLAIMS, family_name: newName() };
  const { offerId: id, uri } = await offerSample(backendOf(world, patience), {
    expires_in: OFFER_LIFE_SECONDS,
    claims,
  });
  const { held, wallet, ...end } = await redeem(uri, claims, how, patience);
  const story: WalletStory = { kind: 'issuance', id, wanted: how.batch ?? 1, held };
  return { wallet, flow: { kind: 'issuance', id, ...end, story } satisfies RunFlow };
}

/** The same, without the wallet. */
export async function runIssuance(world: Installation, patience: Patience, how?: Redemption): Promise<RunFlow> {
  return (await issueTo(world, patience, how)).flow;
}

/** No wallet responds: it expires. */
async function runAbandoned(world: Installation, kind: RunFlow['kind'], patience: Patience): Promise<RunFlow> {
  const expires = { expires_in: ABANDONED_LIFE_SECONDS };
  const allowed = ['EXPIRED'];
  const backend = backendOf(world, patience);
  if (kind === 'presentation') {
    const { state: id } = await requestSample(backend, expires);
    return { kind, id, allowed, story: { kind, id, did: 'nothing', heard: 'nothing' } };
  }
  const { offerId: id } = await offerSample(backend, expires);
  return { kind, id, allowed, story: { kind, id, wanted: 1, held: 0 } };
}

/** A wallet with a credential to present, and what a verifier sees that requests `family_name`. */
export interface Holder {
  readonly wallet: Wallet;
  readonly claims: object;
}

/** Never reported to a backend as a claim. */
const TECHNICAL = new Set(['_sd', '_sd_alg', 'cnf', 'status', 'iss', 'vct', 'vct#integrity', 'iat', 'nbf', 'exp']);

/** What a verifier sees that asks a wallet with one credential for `family_name`. */
export function shownBy(wallet: Wallet): object {
  const [credential] = wallet.credentials();
  const plain = Object.entries(credential?.payload ?? {}).filter(([name]) => !TECHNICAL.has(name));
  return { ...Object.fromEntries(plain), family_name: credential?.claims['family_name'] };
}

/** Each has a different claim, so that their presentations cannot be confused. */
export async function createHolder(world: Installation, patience: Patience): Promise<Holder> {
  const wallet = createJudgingWallet();
  const asked = { family_name: newName() };
  const offer = await offerSample(backendOf(world, patience), { claims: { ...SAMPLE_CLAIMS, ...asked } });
  await wallet.redeemOffer(offer.uri);
  return { wallet, claims: shownBy(wallet) };
}

const PATIENCE_MILLISECONDS = 90_000;
const EVERY_TENTH = 10;
const LOST: Readonly<Partial<Record<number, '/token' | '/credential'>>> = {
  1: '/credential',
  3: '/token',
  4: '/credential',
  6: '/credential',
};

/**
 * The flow with this number: issuances and presentations alternate. Of ten of each, the last is abandoned; of the
 * presentations one is denied and one lacks key binding; every third is on the same device; every other issuance is for
 * two credentials. Of ten of each, four lose a decisive answer: to the response, or to the request for the credential
 * or the token.
 */
export function runFlow(world: Installation, holder: Holder, number: number): Promise<RunFlow> {
  const patience = { deadline: performance.now() + PATIENCE_MILLISECONDS };
  const kind = number % 2 === 0 ? 'issuance' : 'presentation';
  const ofKind = Math.floor(number / 2);
  const digit = ofKind % EVERY_TENTH;
  if (digit === EVERY_TENTH - 1) return runAbandoned(world, kind, patience);
  if (kind === 'issuance') return runIssuance(world, patience, { batch: 1 + (ofKind % 2), loses: LOST[digit] });
  const did = digit === 3 ? 'denied' : digit === 6 ? 'broken' : 'presented';
  return runPresentation(
    world,
    { ...holder, did, isSameDevice: ofKind % 3 === 0, losesAnswer: LOST[digit] !== undefined },
    patience,
  );
}

/** What the management listener shows. */
function readView(world: Installation, { kind, id }: Pick<RunFlow, 'kind' | 'id'>, patience: Patience) {
  const path = kind === 'issuance' ? `/offers/${id}` : `/oidc4vp/${id}`;
  return patiently(`GET ${path}`, patience, async () => {
    const response = await fetchWithJudgement(`GET ${path}`, `${world.stack.managementUrl}${path}`);
    const view = (await response.json()) as ShownEnd;
    return { status: `no status, HTTP ${response.status}`, ...view };
  });
}

/** The status at the management listener, after everything has recovered. */
export async function readStatus(world: Installation, flow: RunFlow, patience: Patience): Promise<string> {
  return (await readView(world, flow, patience)).status;
}
