import { DomainError } from './domain-error';
import type { ErrorCode } from './error-codes';

/** What one failure code means, which rule it enforces and what an operator can do about it. */
export interface FailureEntry {
  /** The rule, with its document: `RFC 9901 §7.1`. */
  readonly section: string;
  readonly meaning: string;
  readonly remedy: string;
}

/** A check of an untrusted presentation failed. `Code` is the closed table of the library that checks. */
export class VerificationFailure<Code extends ErrorCode = ErrorCode> extends DomainError {
  declare readonly code: Code;
  readonly section: string;
  readonly remedy: string;

  constructor(code: Code, entry: FailureEntry, detail?: string, cause?: unknown) {
    super({ kind: 'denied', code, detail: detail ?? entry.meaning, cause });
    this.section = entry.section;
    this.remedy = entry.remedy;
  }
}

/**
 * Turns a table of failures into a typed constructor: `const fail = failureFamily(TABLE); throw fail('expired')`.
 * `detail` replaces the table's meaning and must never carry a value from the input.
 */
export function failureFamily<const T extends Record<string, FailureEntry>>(table: T) {
  return (code: keyof T & ErrorCode, detail?: string, cause?: unknown): VerificationFailure<keyof T & ErrorCode> =>
    new VerificationFailure(code, table[code] as FailureEntry, detail, cause);
}
