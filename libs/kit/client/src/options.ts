import { ArgumentError } from './errors';

/** A key, or a function that returns the current one, for keys that rotate. */
export type Key = string | (() => string | Promise<string>);

/** The part of a response that the client reads. */
export interface FetchResponse {
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  text(): Promise<string>;
}

/** What the client passes to `fetch`. */
export interface FetchRequest {
  method: string;
  headers: Record<string, string>;
  body?: string;
  redirect: 'manual';
  signal: AbortSignal;
}

/** The standard `fetch`, or one with the same behaviour, for example with a client certificate. */
export type Fetch = (url: string, request: FetchRequest) => Promise<FetchResponse>;

export interface ClientOptions {
  /** The address of the listener, for example `http://vestibule.internal:8081`; with its path, if a proxy adds one. */
  readonly baseUrl: string | URL;
  /** `X-API-KEY` of a tenant, for wallet content, schemas and drafts. */
  readonly apiKey?: Key | undefined;
  /** Bearer key of the management listener, if the operator set `MANAGEMENT_KEY_DIGESTS`. */
  readonly bearerKey?: Key | undefined;
  /** Replaces the global `fetch`, for example for mutual TLS. */
  readonly fetch?: Fetch | undefined;
  /** Attempts after the first; default 4. */
  readonly retries?: number | undefined;
  /** Limit of one attempt with its response; default 15,000. */
  readonly timeoutMilliseconds?: number | undefined;
  /** Limit of a call with all its attempts and the time between them; default 60,000. */
  readonly deadlineMilliseconds?: number | undefined;
}

/** Options of one call. */
export interface CallOptions {
  /** Ends the call; it rejects with the reason of the signal. */
  readonly signal?: AbortSignal | undefined;
  /** `X-Request-Id`: 8 to 64 characters of `A-Z a-z 0-9 . _ -`, which appear in the logs of Vestibule. */
  readonly requestId?: string | undefined;
  /** For calls that create something. By default each call gets a new key, which is the same in all its attempts. */
  readonly idempotencyKey?: string | undefined;
  /** `etag` of the resource that was read: it is changed only if it is still the same (412 otherwise). */
  readonly ifMatch?: string | undefined;
}

/** Time, chance and the network: replaced in tests. */
export interface Surroundings {
  readonly fetch: Fetch;
  /** Milliseconds since 1970. */
  now(): number;
  /** From 0 to 1. */
  random(): number;
  uuid(): string;
  /** Calls back after that time; returns a function that cancels it. */
  after(milliseconds: number, call: () => void): () => void;
}

export interface Settings {
  /** Without a slash at the end. */
  readonly baseUrl: string;
  readonly apiKey: Key | undefined;
  readonly bearerKey: Key | undefined;
  readonly retries: number;
  readonly timeoutMilliseconds: number;
  readonly deadlineMilliseconds: number;
}

/** The longest delay of a timer of Node.js and browsers. */
const LONGEST_TIMER = 2 ** 31 - 1;

function count(name: string, value: number | undefined, preset: number, least: number): number {
  const number = value ?? preset;
  if (Number.isInteger(number) && number >= least && number <= LONGEST_TIMER) return number;
  throw new ArgumentError(`${name} must be an integer from ${least} to ${LONGEST_TIMER}`);
}

function parseBaseUrl(given: string | URL): string {
  const text = String(given);
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isPlain = url && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '';
  if (isPlain && !/[?#]/.test(text)) return url.href.replace(/\/+$/, '');
  throw new ArgumentError('baseUrl must be an http or https URL without user information, query and fragment');
}

/** @throws ArgumentError */
export function readSettings(options: ClientOptions): Settings {
  return {
    baseUrl: parseBaseUrl(options.baseUrl),
    apiKey: options.apiKey,
    bearerKey: options.bearerKey,
    retries: count('retries', options.retries, 4, 0),
    timeoutMilliseconds: count('timeoutMilliseconds', options.timeoutMilliseconds, 15_000, 1),
    deadlineMilliseconds: count('deadlineMilliseconds', options.deadlineMilliseconds, 60_000, 1),
  };
}
