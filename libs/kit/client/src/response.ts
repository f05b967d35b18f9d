import { ProblemError, UnexpectedResponseError, type Fault } from './errors';
import type { FetchResponse } from './options';
import { parseRetryAfter } from './retry';

/** A successful response. */
export interface Answer {
  /** Parsed JSON; undefined if there is no body. */
  readonly body: unknown;
  readonly link: string | null;
}

type Members = Readonly<Record<string, unknown>>;

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

const isObject = (value: unknown): value is Members => typeof value === 'object' && value !== null;
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
const mediaTypeOf = ({ headers }: FetchResponse) =>
  (headers.get('content-type') ?? '').split(';')[0]?.trim().toLowerCase();

function faultsOf({ errors }: Members): Fault[] {
  if (!Array.isArray(errors)) return [];
  return errors.filter(isObject).map(({ path, message }) => ({ path: textOf(path), message: textOf(message) }));
}

function failureOf(response: FetchResponse, text: string, now: number): Error {
  const { status, headers } = response;
  const retryAfterSeconds = parseRetryAfter(headers.get('retry-after'), now);
  const problem = mediaTypeOf(response) === 'application/problem+json' ? parseJson(text) : undefined;
  if (!isObject(problem) || textOf(problem['code']) === '') {
    const reason =
      status >= 300 && status < 400 ? 'a redirect, which is not followed' : 'the response is not a problem';
    return new UnexpectedResponseError(status, reason, retryAfterSeconds);
  }
  return new ProblemError({
    status,
    code: textOf(problem['code']),
    detail: textOf(problem['detail']),
    faults: faultsOf(problem),
    requestId: headers.get('x-request-id') ?? (textOf(problem['instance']) || undefined),
    retryAfterSeconds,
  });
}

/**
 * Reads a response to its end. `now` is in milliseconds since 1970.
 *
 * @throws ProblemError if it is a problem, UnexpectedResponseError if it is neither a problem nor JSON with 2xx
 */
export async function readResponse(response: FetchResponse, now: number): Promise<Answer> {
  const text = await response.text();
  const { status, headers } = response;
  if (status < 200 || status > 299) throw failureOf(response, text, now);
  if (text === '') return { body: undefined, link: null };
  const body = mediaTypeOf(response) === 'application/json' ? parseJson(text) : undefined;
  if (body === undefined) throw new UnexpectedResponseError(status, 'the response is not JSON');
  return { body, link: headers.get('link') };
}
