import { DomainError } from '@vestibule/foundation';

/**
 * Why the development stack or a part of it did not come up. `detail` says what happened and what to do about it;
 * it may name programs, ports and folders, never a password or a key.
 */
export class StackFailure extends DomainError {
  constructor(code: string, detail: string, cause?: unknown) {
    super({ kind: 'unavailable', code, detail, cause });
  }
}
