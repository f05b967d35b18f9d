import { HttpException } from '@nestjs/common';
import { DomainError, type ErrorKind, type ErrorCode } from '@vestibule/foundation';
import { originForm } from './origin-form';
import type { OtherListener } from './other-listener';

type Refusal = readonly [kind: ErrorKind, code: ErrorCode, detail: string];

const INTERNAL: Refusal = ['internal', 'internal_error', 'internal error'];
const UNREADABLE: Refusal = [
  'invalid',
  'invalid_request',
  'the request cannot be read: check its address and its header',
];
const NO_ROUTE: Refusal = ['not_found', 'route_not_found', 'this listener has no such path'];

/** Refusals of the framework, by status. */
const REFUSALS: ReadonlyMap<number, Refusal> = new Map([
  [404, NO_ROUTE],
  [408, ['invalid', 'invalid_request', 'the request did not arrive completely in time']],
  [
    413,
    [
      'too_large',
      'body_too_large',
      'the body is larger than this listener accepts: 256 KiB from a backend, 1 MiB from a wallet',
    ],
  ],
  // No route has a path segment of such a length.
  [414, NO_ROUTE],
  [415, ['invalid', 'unsupported_media_type', 'this endpoint does not accept a body of this media type']],
  [431, ['invalid', 'invalid_request', 'the header of the request is too large']],
  [429, ['unavailable', 'rate_limited', 'too many requests from this address']],
]);

function statusOf(error: unknown): number | undefined {
  if (error instanceof HttpException) return error.getStatus();
  const status = typeof error === 'object' && error !== null && 'statusCode' in error ? error.statusCode : undefined;
  return typeof status === 'number' ? status : undefined;
}

/** Any error as a domain error: those of the framework by their status, unknown ones as `internal_error`. */
export function asDomainError(error: unknown): DomainError {
  if (error instanceof DomainError) return error;
  const status = statusOf(error) ?? 500;
  const refused = status >= 400 && status < 500 ? UNREADABLE : INTERNAL;
  const [kind, code, detail] = REFUSALS.get(status) ?? refused;
  return new DomainError({ kind, code, detail, cause: error });
}

/** No route has this address, or none accepts its method. */
export function noSuchRoute(): DomainError {
  return noRouteAt('');
}

/** The same about a target, as it was sent: the other listener may have it, and no route ends with a slash. */
export function noRouteAt(target: string, other?: Pick<OtherListener, 'hintFor' | 'nearTo'>): DomainError {
  const [kind, code, detail] = NO_ROUTE;
  const address = originForm(target);
  const slash = /^[^?]*[^?/]\/(?:\?|$)/.test(address) ? 'try it without the slash at its end' : undefined;
  const hint = other?.hintFor(address) ?? slash ?? other?.nearTo(address);
  return new DomainError({ kind, code, detail: hint === undefined ? detail : `${detail}: ${hint}` });
}
