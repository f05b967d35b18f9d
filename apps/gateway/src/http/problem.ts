import type { DomainError, ErrorKind, Fault, ErrorCode } from '@vestibule/foundation';
import { ScopeMissing } from './scopes';
import type { ErrorAnswer } from './error-answer';

const STATUSES: Readonly<Record<ErrorKind, number>> = {
  invalid: 400,
  unauthenticated: 401,
  denied: 403,
  not_found: 404,
  conflict: 409,
  precondition_failed: 412,
  gone: 410,
  too_large: 413,
  unavailable: 503,
  internal: 500,
};

const TITLES: Readonly<Record<ErrorKind, string>> = {
  invalid: 'The request is not valid',
  unauthenticated: 'Authentication is missing or wrong',
  denied: 'The request is not allowed',
  not_found: 'The resource does not exist',
  conflict: 'The request conflicts with the current state',
  precondition_failed: 'The resource has changed since it was read',
  gone: 'The resource is gone',
  too_large: 'The request is too large',
  unavailable: 'A component is unavailable',
  internal: 'An internal error occurred',
};

/** Codes whose status and title differ from those of their kind. */
const EXCEPTIONS: ReadonlyMap<ErrorCode, readonly [status: number, title: string]> = new Map([
  ['method_not_allowed', [405, 'The method is not allowed here']],
  ['unsupported_media_type', [415, 'The media type is not supported']],
  ['rate_limited', [429, 'Too many requests']],
]);

const RETRY_AFTER_SECONDS = '5';

/** An RFC 9457 problem, with the additional members that every error of this program carries. */
export interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  /** Stable: see docs/errors.md. */
  readonly code: ErrorCode;
  /** One entry for each fault in the input. */
  readonly errors?: readonly Fault[];
  /** The request id, as in every log line of this request. */
  readonly instance: string;
}

function problemOf(error: DomainError, requestId: string): Problem {
  const [status, title] = EXCEPTIONS.get(error.code) ?? [STATUSES[error.kind], TITLES[error.kind]];
  return {
    type: `urn:vestibule:error:${error.code}`,
    title,
    status,
    detail: error.detail,
    code: error.code,
    ...(error.faults.length > 0 ? { errors: error.faults } : {}),
    instance: requestId,
  };
}

const BEARER_CHALLENGES: ReadonlyMap<ErrorCode, string> = new Map([
  ['management_key_missing', 'Bearer'],
  ['management_key_invalid', 'Bearer error="invalid_token"'],
  ['management_token_invalid', 'Bearer error="invalid_token"'],
]);

function headersOf({ status, code }: Problem, error: DomainError): Readonly<Record<string, string>> {
  if (error instanceof ScopeMissing)
    return { 'www-authenticate': `Bearer error="insufficient_scope", scope="${error.scope}"` };
  if (status === 401) return { 'www-authenticate': BEARER_CHALLENGES.get(code) ?? 'ApiKey header="X-API-KEY"' };
  return status === 503 ? { 'retry-after': RETRY_AFTER_SECONDS } : {};
}

/** The problem details of an error. For an internal one, only its code is revealed: its detail is for the log. */
export function problemAnswer(error: DomainError, requestId: string): ErrorAnswer & { readonly body: Problem } {
  const body = problemOf(error, requestId);
  const shown = error.kind === 'internal' ? { ...body, detail: 'internal error' } : body;
  return {
    status: body.status,
    headers: { 'content-type': 'application/problem+json; charset=utf-8', ...headersOf(body, error) },
    body: shown,
  };
}
