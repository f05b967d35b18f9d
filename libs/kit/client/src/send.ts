import { ArgumentError, ConnectionError, VestibuleError } from './errors';
import type { CallOptions, Key, Settings, Surroundings } from './options';
import { readResponse, type Answer } from './response';
import { delayMilliseconds, mayRepeat } from './retry';

/** An operation of an OpenAPI document. */
export interface Operation {
  readonly method: string;
  /** With `{name}` for each parameter of the path. */
  readonly path: string;
  /** Whether a second attempt is safe although the first may have been executed. */
  readonly repeatable: boolean;
  readonly idempotencyKey: boolean;
  readonly ifMatch: boolean;
}

/** The input of an operation. */
export interface Input {
  readonly path?: object | undefined;
  readonly query?: object | undefined;
  readonly body?: unknown;
}

export interface Transport {
  readonly settings: Settings;
  readonly surroundings: Surroundings;
  /** Sent with every call. */
  readonly headers: Readonly<Record<string, string>>;
}

interface Prepared {
  readonly operation: Operation;
  readonly url: string;
  readonly body: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal | undefined;
  /** Milliseconds that the server may take longer than usual, because it was asked to wait. */
  readonly waitMilliseconds: number;
}

const IDEMPOTENCY_KEY = /^[A-Za-z0-9-]{32,256}$/;
const REQUEST_ID = /^[A-Za-z0-9._-]{8,64}$/;
const ETAG = /^[\x21\x23-\x7e]{1,128}$/;

/** A path segment. Empty, `.` and `..` would lead to another operation. */
function segment(name: string, value: unknown): string {
  const fits = typeof value === 'string' && !['', '.', '..'].includes(value) && !/\p{Surrogate}/u.test(value);
  if (fits) return encodeURIComponent(value);
  throw new ArgumentError(`${name} must be a text that is not empty, "." or ".."`);
}

function urlOf(baseUrl: string, { path }: Operation, input: Input): string {
  const values = (input.path ?? {}) as Readonly<Record<string, unknown>>;
  const filled = path.replace(/\{(\w+)\}/g, (_whole, name: string) => segment(name, values[name]));
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(input.query ?? {})) {
    if (value !== undefined) query.append(name, String(value));
  }
  const search = query.toString();
  return `${baseUrl}${filled}${search === '' ? '' : `?${search}`}`;
}

function checked(name: string, value: string, form: RegExp): string {
  if (form.test(value)) return value;
  throw new ArgumentError(`${name} does not have the required form`);
}

function refuse(name: string, value: string | undefined): void {
  if (value !== undefined) throw new ArgumentError(`this operation takes no ${name}`);
}

function ownHeaders(operation: Operation, options: CallOptions, uuid: () => string): Record<string, string> {
  const { requestId, idempotencyKey, ifMatch } = options;
  const headers: Record<string, string> = {};
  if (requestId !== undefined) headers['x-request-id'] = checked('requestId', requestId, REQUEST_ID);
  if (operation.idempotencyKey)
    headers['idempotency-key'] = checked('idempotencyKey', idempotencyKey ?? uuid(), IDEMPOTENCY_KEY);
  else refuse('idempotencyKey', idempotencyKey);
  if (!operation.ifMatch) refuse('ifMatch', ifMatch);
  else if (ifMatch !== undefined)
    headers['if-match'] = `"${checked('ifMatch', ifMatch.replace(/^"(.*)"$/, '$1'), ETAG)}"`;
  return headers;
}

/** Everything that is the same in all attempts: the body is serialised once, and the idempotency key drawn once. */
function prepare({ settings, surroundings, headers }: Transport, call: Call): Prepared {
  const { operation, input, options } = call;
  const body = input.body === undefined ? undefined : JSON.stringify(input.body);
  const { wait } = (input.query ?? {}) as { readonly wait?: unknown };
  return {
    operation,
    url: urlOf(settings.baseUrl, operation, input),
    body,
    headers: {
      accept: 'application/json, application/problem+json',
      ...headers,
      ...ownHeaders(operation, options, surroundings.uuid),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    signal: options.signal,
    waitMilliseconds: typeof wait === 'number' && wait > 0 ? wait * 1000 : 0,
  };
}

const currentKey = async (name: string, key: Key) =>
  checked(name, typeof key === 'string' ? key : await key(), /^[\x21-\x7e]+$/);

async function keyHeaders({ apiKey, bearerKey }: Settings): Promise<Record<string, string>> {
  return {
    ...(apiKey === undefined ? {} : { 'x-api-key': await currentKey('apiKey', apiKey) }),
    ...(bearerKey === undefined ? {} : { authorization: `Bearer ${await currentKey('bearerKey', bearerKey)}` }),
  };
}

/** Runs with a signal that is aborted by the caller's signal or after the time. @throws ConnectionError `timeout` */
async function limited<T>(
  { after }: Surroundings,
  milliseconds: number,
  signal: AbortSignal | undefined,
  run: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  signal?.throwIfAborted();
  const controller = new AbortController();
  const abort = () => controller.abort(signal?.reason);
  signal?.addEventListener('abort', abort, { once: true });
  const late = new ConnectionError('timeout', `no complete response within ${milliseconds} ms`);
  const cancel = after(milliseconds, () => controller.abort(late));
  try {
    return await run(controller.signal);
  } catch (error) {
    if (controller.signal.aborted) throw controller.signal.reason;
    throw error;
  } finally {
    cancel();
    signal?.removeEventListener('abort', abort);
  }
}

async function attempt(transport: Transport, prepared: Prepared, milliseconds: number): Promise<Answer> {
  const { settings, surroundings } = transport;
  const { operation, url, body, headers, signal } = prepared;
  const keys = await keyHeaders(settings);
  return limited(surroundings, milliseconds, signal, async (limit) => {
    try {
      const response = await surroundings.fetch(url, {
        method: operation.method,
        headers: { ...headers, ...keys },
        redirect: 'manual',
        signal: limit,
        ...(body === undefined ? {} : { body }),
      });
      return await readResponse(response, surroundings.now());
    } catch (error) {
      if (error instanceof VestibuleError) throw error;
      throw new ConnectionError('network_error', 'the connection failed', { cause: error });
    }
  });
}

/** Resolves after the time. @throws the reason of the signal if it is aborted */
export function pause({ after }: Surroundings, milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = (settle: () => void) => {
      cancel();
      signal?.removeEventListener('abort', abort);
      settle();
    };
    const abort = () => end(() => reject(signal?.reason as Error));
    const cancel = after(milliseconds, () => end(resolve));
    signal?.addEventListener('abort', abort, { once: true });
    if (signal?.aborted) abort();
  });
}

/** One call of an operation. */
export interface Call {
  readonly operation: Operation;
  readonly input: Input;
  readonly options: CallOptions;
}

/**
 * Sends a call, and again while it fails for a reason that may pass, within the limits of the settings.
 *
 * @throws ArgumentError, ProblemError, UnexpectedResponseError, ConnectionError: of the last attempt; the reason of the
 *   signal if it was aborted
 */
export async function send(transport: Transport, call: Call): Promise<Answer> {
  const { settings, surroundings } = transport;
  const prepared = prepare(transport, call);
  const deadline = surroundings.now() + settings.deadlineMilliseconds + prepared.waitMilliseconds;
  for (let count = 0; ; count += 1) {
    const left = deadline - surroundings.now();
    const limit = Math.min(settings.timeoutMilliseconds + prepared.waitMilliseconds, left);
    try {
      return await attempt(transport, prepared, Math.max(1, limit));
    } catch (error) {
      const isLast = count >= settings.retries || !mayRepeat(error, call.operation.repeatable);
      const delay = delayMilliseconds(count, error, surroundings.random());
      if (isLast || surroundings.now() + delay >= deadline) throw error;
      await pause(surroundings, delay, prepared.signal);
    }
  }
}
