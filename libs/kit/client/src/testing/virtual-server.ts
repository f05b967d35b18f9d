import { VestibuleClient } from '../client';
import type { ClientOptions, FetchRequest, FetchResponse, Surroundings } from '../options';

/** A response of the scripted server; `hang` never responds, `break` closes the connection. */
export type Scripted =
  | { readonly status: number; readonly body?: unknown; readonly headers?: Readonly<Record<string, string>> }
  | 'hang'
  | 'break';

interface Sent extends FetchRequest {
  readonly url: string;
  /** Milliseconds since the start. */
  readonly at: number;
}

interface Timer {
  readonly at: number;
  readonly call: () => void;
}

const START = Date.parse('2026-03-01T12:00:00Z');

function responseOf({ status, body, headers }: Exclude<Scripted, string>): FetchResponse {
  const type = status >= 400 ? 'application/problem+json' : 'application/json';
  const text = typeof body === 'string' ? body : body === undefined ? '' : JSON.stringify(body);
  const all = new Headers({ ...(text === '' ? {} : { 'content-type': type }), ...headers });
  return { status, headers: all, text: () => Promise.resolve(text) };
}

/** A client over a scripted server, in a time that passes only when everything waits. */
export class VirtualServer {
  readonly sent: Sent[] = [];
  #now = START;
  #uuids = 0;
  readonly #timers = new Set<Timer>();
  readonly #script: Scripted[];

  constructor(...script: Scripted[]) {
    this.#script = script;
  }

  client(options: Partial<ClientOptions> = {}, random = 0.5): VestibuleClient {
    const surroundings: Surroundings = {
      fetch: (url, request) => this.#respond(url, request),
      now: () => this.#now,
      random: () => random,
      uuid: () => `00000000-0000-4000-8000-${String((this.#uuids += 1)).padStart(12, '0')}`,
      after: (milliseconds, call) => {
        const timer = { at: this.#now + milliseconds, call };
        this.#timers.add(timer);
        return () => void this.#timers.delete(timer);
      },
    };
    return new VestibuleClient({ baseUrl: 'http://vestibule.test:8081', ...options }, surroundings);
  }

  get timers(): number {
    return this.#timers.size;
  }

  #respond(url: string, request: FetchRequest): Promise<FetchResponse> {
    this.sent.push({ ...request, url, at: this.#now - START });
    const next = this.#script.shift() ?? { status: 200, body: {} };
    if (next === 'break') return Promise.reject(new TypeError('fetch failed'));
    if (next !== 'hang') return Promise.resolve(responseOf(next));
    return new Promise((_resolve, reject) => {
      request.signal.addEventListener('abort', () => reject(new DOMException('aborted', 'AbortError')));
    });
  }

  /** Lets time pass, from timer to timer, until the call has ended; returns its result, or the error. */
  async end<T>(call: Promise<T>): Promise<T | Error> {
    let ended = false;
    const result = call.catch((error: unknown) => error as Error).finally(() => (ended = true));
    while (!ended) {
      await new Promise(setImmediate);
      const [next] = [...this.#timers].sort((a, b) => a.at - b.at);
      if (ended || !next) continue;
      this.#timers.delete(next);
      this.#now = Math.max(this.#now, next.at);
      next.call();
    }
    return result;
  }
}
