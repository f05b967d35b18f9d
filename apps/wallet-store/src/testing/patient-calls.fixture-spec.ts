import { DomainError } from '@vestibule/foundation';

const isBusy = (error: unknown) => error instanceof DomainError && error.code === 'tenant_busy';

/**
 * The same use case, which is called again while its tenant is busy, as clients do: that limit is a time, and a machine that
 * is busy itself needs it for calls that are otherwise served at once.
 */
export function patient<UseCase>(useCase: UseCase): UseCase {
  const call = useCase as (...input: unknown[]) => Promise<unknown>;
  const callAgain = async (...input: unknown[]): Promise<unknown> => {
    for (;;) {
      try {
        return await call(...input);
      } catch (error) {
        if (!isBusy(error)) throw error;
      }
    }
  };
  return callAgain as UseCase;
}
