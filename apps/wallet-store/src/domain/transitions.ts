import { ApiError } from '@vestibule/foundation';
import type { ContentState } from './records';

/** What can be done to a credential or presentation that exists. */
export type ContentOperation = 'update' | 'issue' | 'abandon' | 'present';

/** The one table of transitions: the states that an operation starts from, and the state that it leads to. */
export const TRANSITIONS: Readonly<Record<ContentOperation, { from: readonly ContentState[]; to: ContentState }>> = {
  update: { from: ['draft'], to: 'draft' },
  issue: { from: ['draft'], to: 'issued' },
  abandon: { from: ['draft'], to: 'abandoned' },
  present: { from: ['issued'], to: 'issued' },
};

/** The state after an operation; throws `transition_forbidden` where the table has none. */
export function nextState(state: ContentState, operation: ContentOperation): ContentState {
  const { from, to } = TRANSITIONS[operation];
  if (from.includes(state)) return to;
  const detail = `the state ${state} does not allow ${operation}`;
  throw new ApiError({ kind: 'conflict', code: 'transition_forbidden', detail });
}
