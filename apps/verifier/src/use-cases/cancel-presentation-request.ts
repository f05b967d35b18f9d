import { ApiError, type Clock } from '@vestibule/foundation';
import type { PresentationRequests } from '../domain/ports';
import { expiredEvent } from '../domain/presented-credentials-event';
import { requestNotFound } from './request-refusals';

export interface CancelPresentationRequestDeps {
  readonly clock: Clock;
  readonly cancel: PresentationRequests['cancel'];
  readonly findView: PresentationRequests['findView'];
}

/**
 * A backend withdraws a request: it ends as EXPIRED with the event of that, and a wallet's response to it is refused.
 * Throws `presentation_request_not_found` and, after any end, `presentation_request_ended`.
 */
export function cancelPresentationRequest(deps: CancelPresentationRequestDeps) {
  return async function cancelPresentationRequest({
    state,
  }: {
    readonly state: string;
  }): Promise<Record<string, never>> {
    const ending = {
      state,
      status: 'EXPIRED',
      event: expiredEvent(state),
      checks: [],
      finishedAt: deps.clock(),
    } as const;
    if (await deps.cancel(ending)) return {};
    if (!(await deps.findView(state))) throw requestNotFound();
    const detail = 'the presentation request has ended';
    throw new ApiError({ kind: 'conflict', code: 'presentation_request_ended', detail });
  };
}
