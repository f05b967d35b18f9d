import { until } from '@vestibule/testkit';

/** A module of a plan, as the suite lists it. */
export interface SuiteModule {
  readonly testModule: string;
  readonly variant?: object;
}

/** How a module ended: `status` FINISHED or INTERRUPTED, and its `result`. */
export interface Ending {
  readonly status: string;
  readonly result: string;
  /** What was not as the suite expects: `WARNING EnsureSomething: …`. */
  readonly remarks: readonly string[];
}

/** The addresses at which a waiting module wants to be called, by their names. */
export type Exposed = Readonly<Record<string, string>>;

interface Plan {
  readonly id: string;
  readonly modules: readonly SuiteModule[];
}

interface Entry {
  readonly result?: string;
  readonly src?: string;
  readonly msg?: string;
}

const ENDED = ['FINISHED', 'INTERRUPTED'];
const REMARKS = ['FAILURE', 'WARNING'];
const MODULE_SECONDS = 180;

/** No suite answers at its address, or not in time. The message says why. */
export class SuiteUnreachable extends Error {
  constructor(url: string, error: unknown) {
    // `fetch failed` says nothing: the reason, such as a certificate that is not trusted, is its cause.
    const { cause = error } = error as Error;
    const { code, message } = cause as NodeJS.ErrnoException;
    super(`the suite at ${url} does not answer: ${message || code}`);
  }
}

/** A running conformance suite of the OpenID Foundation, in its development mode: it asks for no login. */
export class Suite {
  constructor(private readonly url: string) {}

  private async call(method: 'GET' | 'POST', path: string, query: Readonly<Record<string, string>>, body?: object) {
    const response = await fetch(`${this.url}${path}?${new URLSearchParams(query).toString()}`, {
      method,
      headers: { 'content-type': 'application/json' },
      signal: AbortSignal.timeout(60_000),
      ...(body ? { body: JSON.stringify(body) } : {}),
    }).catch((error: unknown) => {
      throw new SuiteUnreachable(this.url, error);
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path} answers ${response.status}: ${text.slice(0, 300)}`);
    return JSON.parse(text) as unknown;
  }

  /** @param variant what the plan leaves open */
  async createPlan(planName: string, variant: object, config: object): Promise<Plan> {
    return (await this.call('POST', '/api/plan', { planName, variant: JSON.stringify(variant) }, config)) as Plan;
  }

  /** Runs a module to its end; `act` is called whenever it waits. */
  async run(
    plan: Plan,
    { testModule, variant }: SuiteModule,
    act: (exposed: Exposed) => Promise<void>,
  ): Promise<Ending> {
    const query = { test: testModule, plan: plan.id, variant: JSON.stringify(variant ?? {}) };
    const { id } = (await this.call('POST', '/api/runner', query)) as { readonly id: string };
    let now = { status: '', result: '' };
    const step = async () => {
      now = (await this.call('GET', `/api/info/${id}`, {})) as typeof now;
      if (now.status === 'CONFIGURED') await this.call('POST', `/api/runner/${id}`, {});
      if (now.status === 'WAITING') await act(await this.exposed(id));
      return ENDED.includes(now.status);
    };
    await until(step, MODULE_SECONDS, { everyMilliseconds: 500 });
    const entries = (await this.call('GET', `/api/log/${id}`, {})) as readonly Entry[];
    const remarks = entries.filter(({ result = '' }) => REMARKS.includes(result));
    return { ...now, remarks: remarks.map(({ result, src, msg }) => `${result} ${src}: ${msg}`) };
  }

  private async exposed(id: string): Promise<Exposed> {
    const { exposed } = (await this.call('GET', `/api/runner/${id}`, {})) as { readonly exposed?: Exposed };
    return exposed ?? {};
  }
}
