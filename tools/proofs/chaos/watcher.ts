import { call, newOwner, signedCredential } from '../wallet-content';
import { createJudgingWallet, runIssuance, runPresentation, type RunFlow } from './flows';
import { Away, fetchWithJudgement, WrongAnswer, type Patience } from './patience';
import { newName } from './persons';
import { presentationEnds } from './presentation-end';
import { isCalm, QUESTIONS, type Calm, type Question, type Sample } from './samples';
import { addFreshCredential } from './status-host';
import type { World } from './world';

/** Sends requests to the product from outside without pause, and records the results. */
export interface Watcher {
  /** First attempts, in the order of their answers. */
  readonly samples: readonly Sample[];
  /** Flows whose backend and wallet are done, by their start. */
  readonly flows: readonly (RunFlow & { readonly startedAt: number })[];
  /** What went wrong with a flow after its first attempt. */
  readonly faults: readonly { readonly startedAt: number; readonly text: string }[];
  /** While true, the status host's fault may end a presentation, including those that have already begun. */
  setStatusFault(active: boolean): void;
  /** Resolves with true once everything has been well for a while, or with false after `milliseconds`. */
  untilCalm(calm: Calm, milliseconds: number): Promise<boolean>;
  /** Sends no more requests and waits until every flow has gone as far as it can. */
  stop(): Promise<void>;
}

const TICK_MILLISECONDS = 500;
const LOOK_MILLISECONDS = 100;
/** A wallet retries until its request expires. */
const PATIENCE_MILLISECONDS = 90_000;
const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** A wallet of the content API with one credential, which a search must find. */
export async function prepareSearch({ stack }: World): Promise<() => Promise<void>> {
  const owner = await newOwner(stack);
  const query = new URLSearchParams({ ...owner }).toString();
  await call(stack, 'POST', `/credentials?${query}`, { Body: await signedCredential(owner.entityDid) });
  const url = `${stack.baseUrl}/api/wallet/v1/credentials?${query}`;
  const headers = { 'x-api-key': stack.files.secrets.apiKey };
  return async () => {
    const response = await fetchWithJudgement('search', url, { headers, signal: AbortSignal.timeout(30_000) });
    const found = (await response.json()) as unknown;
    const count = Array.isArray(found) ? found.length : -1;
    if (response.status !== 200 || count !== 1) throw new WrongAnswer(`search: ${response.status}, ${count} found`);
  };
}

async function askReady({ stack }: World): Promise<void> {
  const { status } = await fetchReady(`${stack.managementUrl}/health/ready`);
  if (status === 503) throw new Away(0);
  if (status !== 200) throw new WrongAnswer(`ready: ${status}`);
}

/** Readiness is for probes: its 503 needs no Retry-After. */
async function fetchReady(url: string): Promise<{ readonly status: number }> {
  const response = await fetch(url, { signal: AbortSignal.timeout(30_000) }).catch(() => undefined);
  if (!response) throw new Away(0);
  await response.arrayBuffer().catch(() => Promise.reject(new Away(0)));
  return response;
}

class Watching implements Watcher {
  readonly samples: Sample[] = [];
  readonly flows: (RunFlow & { readonly startedAt: number })[] = [];
  readonly faults: { startedAt: number; text: string }[] = [];
  /** When the pending first attempts were sent. */
  readonly #open = new Set<{ readonly startedAt: number }>();
  readonly #running = new Set<Promise<void>>();
  readonly #timer: NodeJS.Timeout;
  #statusFault = false;
  #statusFaultEndedAt = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly world: World,
    private readonly search: () => Promise<void>,
  ) {
    this.#timer = setInterval(() => {
      for (const question of QUESTIONS) this.#ask(question);
    }, TICK_MILLISECONDS);
  }

  #ask(question: Question): void {
    const startedAt = performance.now();
    const open = { startedAt };
    this.#open.add(open);
    const tell = (outcome: Sample['outcome'], text?: string) => {
      if (!this.#open.delete(open)) return false;
      this.samples.push({ question, startedAt, endedAt: performance.now(), outcome, ...(text ? { text } : {}) });
      return true;
    };
    const patience = { deadline: startedAt + PATIENCE_MILLISECONDS, onAway: () => void tell('away') };
    const running = this.#run(question, startedAt, patience)
      .then(
        () => void tell('good'),
        (error: unknown) => {
          if (error instanceof Away) return void tell('away');
          const text = `${question}: ${String(error)}`;
          if (!tell('wrong', text)) this.faults.push({ startedAt, text });
        },
      )
      .finally(() => this.#running.delete(running));
    this.#running.add(running);
  }

  async #run(question: Question, startedAt: number, patience: Patience): Promise<void> {
    if (question === 'search') return this.search();
    if (question === 'ready') return askReady(this.world);
    const flow =
      question === 'issuance' ? await runIssuance(this.world, patience) : await this.#present(startedAt, patience);
    this.flows.push({ ...flow, startedAt });
  }

  async #present(startedAt: number, patience: Patience): Promise<RunFlow> {
    const wallet = createJudgingWallet();
    const { stack, statusHost } = this.world;
    const name = newName();
    const options = await addFreshCredential(wallet, stack, `http://127.0.0.1:${statusHost.port}`, name);
    const ends = (status: number, wasAway: boolean) => {
      if (this.#statusFault || startedAt < this.#statusFaultEndedAt) return presentationEnds(status, wasAway);
      return presentationEnds(status, false);
    };
    return runPresentation(this.world, { wallet, claims: { family_name: name }, options, ends }, patience);
  }

  setStatusFault(active: boolean): void {
    if (this.#statusFault && !active) this.#statusFaultEndedAt = performance.now();
    this.#statusFault = active;
  }

  async untilCalm(calm: Calm, milliseconds: number): Promise<boolean> {
    const beganAt = performance.now();
    for (;;) {
      const now = performance.now();
      const openSince = [...this.#open].map(({ startedAt }) => startedAt);
      if (now - beganAt >= calm.milliseconds && isCalm(this.samples, openSince, now, calm)) return true;
      if (now - beganAt > milliseconds) return false;
      await pause(LOOK_MILLISECONDS);
    }
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await Promise.all(this.#running);
  }
}

/** Starts sending requests: a presentation, an issuance, a search and a readiness check, each twice a second. */
export async function startWatcher(world: World): Promise<Watcher> {
  return new Watching(world, await prepareSearch(world));
}
