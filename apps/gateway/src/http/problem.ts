import type { DomainError, ErrorKind, Fault } from '@vestibule/foundation';
import { statusForBackend } from './status';

const TITLES: Readonly<Record<ErrorKind, string>> = {
  invalid: 'The request is not valid',
  unauthenticated: 'Authentication is missing or wrong',
  denied: 'The request is not allowed',
  not_found: 'There is no such resource',
  conflict: 'The request contradicts what is there',
  gone: 'The resource is gone',
  too_large: 'The request is too large',
  unavailable: 'A part of the program is not available',
  internal: 'Something went wrong inside',
};

/** An error as RFC 9457 has it, with the members that every answer of this program carries. */
export interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  /** Stable: see docs/errors.md. */
  readonly code: string;
  /** One entry for each wrong place of the input. */
  readonly errors?: readonly Fault[];
  /** The request id, as in every log line of this request. */
  readonly instance: string;
}

export function problemOf(error: DomainError, requestId: string): Problem {
  return {
    type: `urn:vestibule:error:${error.code}`,
    title: TITLES[error.kind],
    status: statusForBackend(error),
    detail: error.detail,
    code: error.code,
    ...(error.faults.length > 0 ? { errors: error.faults } : {}),
    instance: requestId,
  };
}
