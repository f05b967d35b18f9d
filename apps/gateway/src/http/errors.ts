import { HttpException } from '@nestjs/common';
import { DomainError, type ErrorKind } from '@vestibule/foundation';

const KINDS: Readonly<Record<number, ErrorKind>> = {
  400: 'invalid',
  401: 'unauthenticated',
  403: 'denied',
  404: 'not_found',
  413: 'too_large',
  415: 'invalid',
  429: 'unavailable',
};

function statusOf(error: unknown): number | undefined {
  if (error instanceof HttpException) return error.getStatus();
  const status = typeof error === 'object' && error !== null && 'statusCode' in error ? error.statusCode : undefined;
  return typeof status === 'number' ? status : undefined;
}

const SENTENCES: Readonly<Record<number, readonly [code: string, detail: string]>> = {
  400: ['invalid_request', 'the request cannot be read'],
  404: ['route_not_found', 'this listener has no such address'],
  413: ['body_too_large', 'the body is larger than this listener takes'],
  415: ['unsupported_media_type', 'this address does not take a body of this media type'],
  429: ['rate_limited', 'too many requests from this address'],
};

/** Any error as a domain error: those of the framework by their status, everything unknown as `internal_error`. */
export function asDomainError(error: unknown): DomainError {
  if (error instanceof DomainError) return error;
  const status = statusOf(error) ?? 500;
  const [code, detail] = SENTENCES[status] ?? ['internal_error', 'internal error'];
  return new DomainError({ kind: KINDS[status] ?? 'internal', code, detail, cause: error });
}
