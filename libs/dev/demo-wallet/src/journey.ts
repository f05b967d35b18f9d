import { parseJsonOrUndefined } from './json';
import { insist, ServerRefusal, WalletRefusal, type Exchange } from './refusal';

/** One step of the wallet, for observers; never a body, a header or a query string. */
export interface WalletStep {
  /** `credential_offer`, `issuer_metadata`, `token`, `nonce`, `credential`, `request_object`, `response`, … */
  readonly name: string;
  readonly milliseconds: number;
  /** Method and URL of the HTTP request without its query; absent for steps without network access. */
  readonly request?: string;
  /** HTTP status of the answer. */
  readonly status?: number;
}

export interface Network {
  readonly fetch: typeof fetch;
  readonly onStep?: (step: WalletStep) => void;
}

/** Changes the messages of one step: faults and encryption are inserted between library and network this way. */
export type Interceptor = (request: Request, next: (request: Request) => Promise<Response>) => Promise<Response>;

/** One run of a protocol: each of its requests is checked, timed and recorded here. */
export interface Journey {
  /** For the libraries. */
  readonly fetch: typeof fetch;
  /** Runs `action` under a name; errors in it become a WalletRefusal or a ServerRefusal. */
  step<T>(name: string, action: () => Promise<T> | T, intercept?: Interceptor): Promise<T>;
  /** The last answer of this journey. */
  last(): Exchange;
}

/** Longer than the product takes at most: it returns 503 after up to 30 s if a service died over a question. */
const TIMEOUT_MILLISECONDS = 40_000;
const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/** https anywhere, http on loopback only; throws `url_not_https`. */
export function checkedUrl(text: string): URL {
  insist(URL.canParse(text), 'url_not_https', 'an address is not an absolute URL');
  const url = new URL(text);
  const secure = url.protocol === 'https:' || (url.protocol === 'http:' && LOOPBACK.test(url.hostname));
  insist(secure, 'url_not_https', 'an address is neither https nor http on loopback');
  return url;
}

/** Media type of an answer in lower case, without parameters. */
export function mediaType(exchange: Exchange): string {
  return (exchange.headers.get('content-type') ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
}

/** The JSON of an answer that must be `application/json`; throws `content_type_wrong` or `response_malformed`. */
export function jsonBody(exchange: Exchange): unknown {
  insist(mediaType(exchange) === 'application/json', 'content_type_wrong', 'the answer is not application/json');
  const body = parseJsonOrUndefined(exchange.text);
  insist(body !== undefined, 'response_malformed', 'the answer is not JSON');
  return body;
}

/** RFC 6749 §5.1, OpenID4VCI 1.0 §7.2: answers with secrets or nonces must not be cached; throws `not_cached_rule`. */
export function insistNoStore(exchange: Exchange): void {
  const directives = (exchange.headers.get('cache-control') ?? '').toLowerCase();
  insist(directives.includes('no-store'), 'not_cached_rule', 'the answer lacks Cache-Control: no-store');
}

function refusalBehind(error: unknown): WalletRefusal | ServerRefusal | undefined {
  for (let depth = 0, cause = error; cause instanceof Error && depth < 5; depth += 1, cause = cause.cause) {
    if (cause instanceof WalletRefusal || cause instanceof ServerRefusal) return cause;
  }
  return undefined;
}

function toRefusal(error: unknown, name: string, answer: Exchange | undefined): Error {
  const known = refusalBehind(error);
  if (known) return known;
  if (answer && (answer.status < 200 || answer.status > 299)) return new ServerRefusal(name, answer);
  return new WalletRefusal('library_refused', `the protocol library stopped at step ${name}`, error);
}

async function exchangeOver(network: Network, request: Request): Promise<{ response: Response; text: string }> {
  try {
    // Plain arguments instead of the Request: another implementation of fetch does not know this Request class.
    const response = await network.fetch(request.url, {
      method: request.method,
      headers: [...request.headers],
      ...(request.body ? { body: await request.text() } : {}),
      redirect: 'manual',
      signal: AbortSignal.timeout(TIMEOUT_MILLISECONDS),
    });
    return { response, text: await response.text() };
  } catch (error) {
    throw new WalletRefusal('unreachable', 'no answer from the server', error);
  }
}

const mayPass = (error: unknown): boolean =>
  (error instanceof WalletRefusal && error.code === 'unreachable') ||
  (error instanceof ServerRefusal && error.status >= 500);

/** Tenths of a millisecond: more would be noise. */
const since = (started: number) => Math.round((performance.now() - started) * 10) / 10;

const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));
const FIRST_WAIT_MILLISECONDS = 250;
const LONGEST_WAIT_MILLISECONDS = 4_000;

/** How often, or for how long, a step is retried if it gets no answer or a server error. */
export interface Persistence {
  /** Immediate retries; default 0. */
  readonly retries?: number;
  /** Retries for this time after the first attempt, with waits from 0.25 s to 4 s; default 0. */
  readonly retrySeconds?: number;
}

async function repeated<T>({ retries = 0, retrySeconds = 0 }: Persistence, run: () => Promise<T>): Promise<T> {
  const until = performance.now() + retrySeconds * 1000;
  for (let count = 0; ; count += 1) {
    try {
      return await run();
    } catch (error) {
      const isLate = performance.now() >= until;
      if (!mayPass(error) || (isLate && count >= retries)) throw error;
      if (!isLate) await pause(Math.min(FIRST_WAIT_MILLISECONDS * 2 ** count, LONGEST_WAIT_MILLISECONDS));
    }
  }
}

/** Begins a run over this network, in which each step is retried as `persistence` says. */
export function startJourney(network: Network, persistence: Persistence = {}): Journey {
  let current: { name: string; requests: number; answer?: Exchange; intercept?: Interceptor } = {
    name: '',
    requests: 0,
  };

  const send = async (request: Request): Promise<Response> => {
    const url = checkedUrl(request.url);
    const started = performance.now();
    const { response, text } = await exchangeOver(network, request);
    current.requests += 1;
    current.answer = { status: response.status, headers: response.headers, text };
    network.onStep?.({
      name: current.name,
      milliseconds: since(started),
      request: `${request.method} ${url.origin}${url.pathname}`,
      status: response.status,
    });
    insist(response.status < 300 || response.status > 399, 'redirect_refused', 'the server redirects');
    const body = [101, 204, 205].includes(response.status) ? null : text;
    return new Response(body, { status: response.status, headers: response.headers });
  };
  const stepOnce = async <T>(name: string, action: () => Promise<T> | T, intercept?: Interceptor): Promise<T> => {
    current = { name, requests: 0, ...(intercept ? { intercept } : {}) };
    const started = performance.now();
    try {
      const result = await action();
      if (current.requests === 0) network.onStep?.({ name, milliseconds: since(started) });
      return result;
    } catch (error) {
      throw toRefusal(error, name, current.answer);
    }
  };
  return {
    fetch: async (input, init) => {
      const request = new Request(input, init);
      return current.intercept ? current.intercept(request, send) : send(request);
    },
    step: (name, action, intercept) => repeated(persistence, () => stepOnce(name, action, intercept)),
    last: () => {
      insist(current.answer !== undefined, 'unreachable', 'there was no answer yet');
      return current.answer;
    },
  };
}
