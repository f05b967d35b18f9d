import { randomUUID } from 'node:crypto';
import {
  createWallet,
  ServerRefusal,
  WalletRefusal,
  type PresentationOptions,
  type Wallet,
} from '@vestibule/demo-wallet';
import { offerSample, requestSample, type Backend } from '@vestibule/dev-stack';
import { Away, fetchWithJudgement, patiently, WrongAnswer, type Patience } from './patience';
import { presentationEnds } from './presentation-end';
import type { World } from './world';

/** A flow whose backend and wallet have done what they could. */
export interface RunFlow {
  readonly kind: 'issuance' | 'presentation';
  readonly id: string;
  /** How it may end, from what the wallet heard. */
  readonly allowed: readonly string[];
  /** Of an issuance: whether the wallet holds the credential in the end. */
  readonly isHeld?: boolean;
}

/** What a wallet presents with, and how the request may end after the last answer, where `wasAway` tells of one before it. */
export interface Presenter {
  readonly wallet: Wallet;
  readonly options?: PresentationOptions;
  readonly ends?: (status: number, wasAway: boolean) => readonly string[];
}

const LIFE_SECONDS = 120;
/** Shorter: a wallet that lost its token has nothing to do but wait for the end. */
const OFFER_LIFE_SECONDS = 60;
const ABANDONED_LIFE_SECONDS = 5;

/** A wallet whose every answer is judged. */
export function createJudgingWallet(): Wallet {
  return createWallet({ fetch: (input, init) => fetchWithJudgement('wallet', input as Request | string, init) });
}

/** The error at the bottom of a wallet's refusal: what the network did, if it was the network. */
function networkCause(error: unknown): unknown {
  if (error instanceof WalletRefusal) return networkCause(error.hiddenCause());
  if (error instanceof Error && error.cause !== undefined) return networkCause(error.cause);
  return error;
}

/** A wallet's failure, with {@link Away} where a part was. */
async function asAway<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    const cause = networkCause(error);
    throw cause instanceof Away || cause instanceof WrongAnswer ? cause : error;
  }
}

/** One creating call of a backend: the same key again and again makes one thing. */
async function create({ stack }: World, path: string, body: object, patience: Patience): Promise<object> {
  const headers = { 'content-type': 'application/json', 'idempotency-key': randomUUID() };
  return patiently(`POST ${path}`, patience, async () => {
    const init = { method: 'POST', headers, body: JSON.stringify(body) };
    const response = await fetchWithJudgement(`POST ${path}`, `${stack.managementUrl}${path}`, init);
    if (response.status !== 201) throw new WrongAnswer(`POST ${path}: ${response.status}`);
    return (await response.json().catch(() => Promise.reject(new Away(0)))) as object;
  });
}

/** A backend that says the same until it is answered. */
const backendOf = (world: World, patience: Patience): Backend => ({
  issuerUrl: world.stack.issuerUrl,
  create: (path, body) => create(world, path, body, patience),
});

/** A wallet that says the same bytes until it is answered. */
export async function runPresentation(world: World, presenter: Presenter, patience: Patience): Promise<RunFlow> {
  const { wallet, options = {}, ends = presentationEnds } = presenter;
  const { state, crossDevice } = await requestSample(backendOf(world, patience), { expires_in: LIFE_SECONDS });
  const { responseUri, form } = await patiently('request object', patience, () =>
    asAway(() => wallet.buildPresentation(crossDevice, options)),
  );
  let tries = 0;
  const { status } = await patiently('response', patience, () => {
    tries += 1;
    return asAway(() => wallet.send(responseUri, form));
  });
  return { kind: 'presentation', id: state, allowed: ends(status, tries > 1) };
}

/**
 * A code, a nonce and a proof count once: where an answer got lost, the wallet may be refused afterwards, and the offer
 * ends with its time or was issued. Without such a loss a refusal is wrong.
 */
async function redeem(uri: string, patience: Patience): Promise<Pick<RunFlow, 'allowed' | 'isHeld'>> {
  const wallet = createJudgingWallet();
  let lost = false;
  return patiently('redeeming', patience, async () => {
    try {
      await asAway(() => wallet.redeemOffer(uri));
      return { allowed: ['ISSUED'], isHeld: true };
    } catch (error) {
      if (error instanceof ServerRefusal && lost) return { allowed: ['ISSUED', 'EXPIRED'], isHeld: false };
      if (error instanceof Away) lost = true;
      throw error;
    }
  });
}

/** A backend offers, and a wallet of its own redeems. */
export async function runIssuance(world: World, patience: Patience): Promise<RunFlow> {
  const { offerId, uri } = await offerSample(backendOf(world, patience), { expires_in: OFFER_LIFE_SECONDS });
  return { kind: 'issuance', id: offerId, ...(await redeem(uri, patience)) };
}

/** Nobody answers it: it ends with its time. */
async function runAbandoned(world: World, kind: RunFlow['kind'], patience: Patience): Promise<RunFlow> {
  const expires = { expires_in: ABANDONED_LIFE_SECONDS };
  const allowed = ['EXPIRED'];
  const backend = backendOf(world, patience);
  if (kind === 'presentation') return { kind, id: (await requestSample(backend, expires)).state, allowed };
  return { kind, id: (await offerSample(backend, expires)).offerId, allowed };
}

/** A wallet with a credential to present. */
export async function createHolder(world: World, patience: Patience): Promise<Wallet> {
  const wallet = createJudgingWallet();
  await wallet.redeemOffer((await offerSample(backendOf(world, patience))).uri);
  return wallet;
}

const PATIENCE_MILLISECONDS = 90_000;
const ABANDONED_OF = 10;

/** The flow of a number: issuances and presentations take turns, and a tenth of each is abandoned. */
export function runFlow(world: World, holder: Wallet, number: number): Promise<RunFlow> {
  const patience = { deadline: performance.now() + PATIENCE_MILLISECONDS };
  const kind = number % 2 === 0 ? 'issuance' : 'presentation';
  if (Math.floor(number / 2) % ABANDONED_OF === ABANDONED_OF - 1) return runAbandoned(world, kind, patience);
  return kind === 'issuance' ? runIssuance(world, patience) : runPresentation(world, { wallet: holder }, patience);
}

/** The status that the management listener tells, after everything has come back. */
export async function readStatus(world: World, { kind, id }: RunFlow, patience: Patience): Promise<string> {
  const path = kind === 'issuance' ? `/offers/${id}` : `/oidc4vp/${id}`;
  return patiently(`GET ${path}`, patience, async () => {
    const response = await fetchWithJudgement(`GET ${path}`, `${world.stack.managementUrl}${path}`);
    const body = (await response.json()) as { readonly status?: string };
    return body.status ?? `no status, HTTP ${response.status}`;
  });
}
