import type { Clock } from '@vestibule/foundation';
import type { PresentationRequests } from '../domain/ports';

export interface ExpectPresentationDeps {
  readonly clock: Clock;
  readonly isExpected: PresentationRequests['isExpected'];
}

/**
 * Whether a response to a request is worth reading. It reveals no more about the request than the answer to the
 * response would.
 */
export function expectPresentation({ clock, isExpected }: ExpectPresentationDeps) {
  return async function expectPresentation({ state }: { readonly state: string }): Promise<{ expected: boolean }> {
    return { expected: await isExpected(state, clock()) };
  };
}
