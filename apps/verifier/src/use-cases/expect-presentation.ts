import type { Clock } from '@vestibule/foundation';

export interface ExpectPresentationDeps {
  readonly clock: Clock;
  /** Is the request open, or may it be that an accepted response to it comes once more? */
  readonly isExpected: (state: string, now: Date) => Promise<boolean>;
}

/** Whether a response to a request is worth being read. It says no more about the request than the response would hear. */
export const expectPresentation =
  ({ clock, isExpected }: ExpectPresentationDeps) =>
  async ({ state }: { readonly state: string }): Promise<{ expected: boolean }> => ({
    expected: await isExpected(state, clock()),
  });
