import type { ProblemCode } from './generated/operations';

/** A fault in the input: `path` is its place, for example `dcql_query.credentials.0.id`. */
export interface Fault {
  readonly path: string;
  readonly message: string;
}

/** The base of all errors of this client. Compare `code` in a program; `message` is for people and may change. */
export abstract class VestibuleError extends Error {
  abstract readonly code: string;
}

/** An argument is not valid; nothing was sent. */
export class ArgumentError extends VestibuleError {
  override readonly name = 'ArgumentError';
  readonly code = 'invalid_argument';
}

/** What a problem response says (RFC 9457). */
export interface Problem {
  readonly status: number;
  readonly code: ProblemCode | (string & {});
  readonly detail: string;
  readonly faults: readonly Fault[];
  /** The id of the request in the logs of Vestibule. */
  readonly requestId: string | undefined;
  /** From `Retry-After`. */
  readonly retryAfterSeconds: number | undefined;
}

/** Vestibule refused the call. `code` is one of the documented codes; a newer version may have more. */
export class ProblemError extends VestibuleError implements Problem {
  override readonly name = 'ProblemError';
  readonly status: number;
  readonly code: ProblemCode | (string & {});
  readonly detail: string;
  readonly faults: readonly Fault[];
  readonly requestId: string | undefined;
  readonly retryAfterSeconds: number | undefined;

  constructor({ status, code, detail, faults, requestId, retryAfterSeconds }: Problem) {
    super(`${status} ${code}: ${detail}`);
    this.status = status;
    this.code = code;
    this.detail = detail;
    this.faults = faults;
    this.requestId = requestId;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** The response is not one of Vestibule, for example an error page of a proxy, or a redirect, which is never followed. */
export class UnexpectedResponseError extends VestibuleError {
  override readonly name = 'UnexpectedResponseError';
  readonly code = 'unexpected_response';

  constructor(
    readonly status: number,
    reason: string,
    readonly retryAfterSeconds?: number,
  ) {
    super(`${status}: ${reason}`);
  }
}

/**
 * No response arrived. `timeout`: not in time. `network_error`: the connection failed; `cause` says how. Vestibule may
 * have executed the call nevertheless.
 */
export class ConnectionError extends VestibuleError {
  override readonly name = 'ConnectionError';

  constructor(
    readonly code: 'network_error' | 'timeout',
    message: string,
    options?: { readonly cause?: unknown },
  ) {
    super(message, options);
  }
}
