import { DomainError, VerificationFailure } from '@vestibule/foundation';

/**
 * Returns a cached value that `accept` passes: the given one, or its successor. A host may have corrected what has to be
 * refused, and what is valid must not fail until the cache forgets it. Throws why the value is refused if there is no
 * successor, or why that one is. Other failures than a VerificationFailure say nothing about the value.
 */
export async function acceptedOrRenewed<T>(
  value: T,
  accept: (value: T) => void | Promise<void>,
  renew: () => Promise<T | undefined>,
): Promise<T> {
  try {
    await accept(value);
    return value;
  } catch (error) {
    if (!(error instanceof VerificationFailure)) throw error;
    const successor = await renew().catch((failure: unknown) => {
      if (failure instanceof DomainError) return undefined;
      throw failure;
    });
    if (successor === undefined || successor === value) throw error;
    await accept(successor);
    return successor;
  }
}
