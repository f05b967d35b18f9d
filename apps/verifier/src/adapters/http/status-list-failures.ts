import { ProcessingFailure, VerificationFailure, type DomainError } from '@vestibule/foundation';

/**
 * True if a list says nothing about now: it could not be fetched, or is older than one that was seen, as the copies of
 * content delivery networks may be. What was seen may then still be used.
 */
export function isUnavailable(error: unknown): error is DomainError {
  return (
    error instanceof ProcessingFailure ||
    (error instanceof VerificationFailure && error.code === 'status_list_rolled_back')
  );
}

/** A signer below no anchor has its own code, wherever this is detected. */
export async function namingStrangers<T>(verify: () => Promise<T>): Promise<T> {
  try {
    return await verify();
  } catch (error) {
    const cause = error instanceof VerificationFailure ? error.hiddenCause() : undefined;
    throw cause instanceof VerificationFailure && cause.code === 'untrusted_issuer' ? cause : error;
  }
}

/** The failure of an answer that waits no longer for a list. */
export const timedOut = () => new ProcessingFailure('egress_timeout', 'it did not arrive in time');
