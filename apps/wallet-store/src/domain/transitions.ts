import { ApiError } from '@vestibule/foundation';
import type { ContentState } from './records';

/** An operation on an existing credential or presentation. */
export type ContentOperation = 'update' | 'issue' | 'abandon' | 'present';

/** The only table of transitions: the states in which an operation is allowed, and the state that it leads to. */
export const TRANSITIONS: Readonly<Record<ContentOperation, { from: readonly ContentState[]; to: ContentState }>> = {
  update: { from: ['draft'], to: 'draft' },
  issue: { from: ['draft'], to: 'issued' },
  abandon: { from: ['draft'], to: 'abandoned' },
  present: { from: ['issued'], to: 'issued' },
};

/** The state after an operation; throws `transition_forbidden` if the table does not allow it. */
export function nextState(state: ContentState, operation: ContentOperation): ContentState {
  const { from, to } = TRANSITIONS[operation];
  if (from.includes(state)) return to;
  const detail = `the state is ${state}, and ${operation} is allowed in state ${from.join(', ')} only`;
  throw new ApiError({ kind: 'conflict', code: 'transition_forbidden', detail });
}
