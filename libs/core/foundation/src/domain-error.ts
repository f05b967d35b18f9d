import type { ErrorCode, RefusalCode } from './error-codes';
import type { ErrorKind } from './error-kind';

/** One wrong place in an input: `path` points into the document (`credentials[0].id`), `message` says what is expected there. */
export interface Fault {
  readonly path: string;
  readonly message: string;
}

export interface DomainErrorOptions {
  readonly kind: ErrorKind;
  /** Stable and part of the contract; tests and callers compare this, never the sentence. */
  readonly code: ErrorCode;
  /** May be shown to the caller: never holds a claim, token, code, key or other input. */
  readonly detail: string;
  readonly faults?: readonly Fault[];
  /**
   * A nonce or challenge of this server with which the caller may try again immediately; the code says what it is for.
   */
  readonly freshNonce?: string | undefined;
  /** For the operator's log, never for the caller: a code from a closed table that says which check failed. */
  readonly reason?: RefusalCode | undefined;
  /** Kept private so that no logger, inspector or serializer prints what it carries. */
  readonly cause?: unknown;
}

/** The root of every error that this program throws on purpose. */
export class DomainError extends Error {
  readonly kind: ErrorKind;
  readonly code: ErrorCode;
  readonly detail: string;
  readonly faults: readonly Fault[];
  readonly freshNonce: string | undefined;
  /** Which check failed, as a code from a closed table: for the operator's log, never on its way to a caller. */
  readonly reason: RefusalCode | undefined;
  readonly #cause: unknown;

  constructor(options: DomainErrorOptions) {
    super(`${options.code}: ${options.detail}`);
    this.name = new.target.name;
    this.kind = options.kind;
    this.code = options.code;
    this.detail = options.detail;
    this.faults = options.faults ?? [];
    this.freshNonce = options.freshNonce;
    this.reason = options.reason;
    this.#cause = options.cause;
  }

  /** The error behind this one, for a debugger; printing it may print a person's data. */
  hiddenCause(): unknown {
    return this.#cause;
  }
}

/** The error codes that a backend can meet on the management and content APIs. */
export class ApiError extends DomainError {}

/** A failure inside this program or its infrastructure, not the fault of any other party. */
export class ProcessingFailure extends DomainError {
  /** What an operator can do about it, where its table says so. */
  readonly remedy: string | undefined;

  constructor(code: ErrorCode, detail: string, cause?: unknown, remedy?: string) {
    super({ kind: 'unavailable', code, detail, cause });
    this.remedy = remedy;
  }
}
