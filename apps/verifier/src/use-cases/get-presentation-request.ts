import type { PresentationRequestView } from '@vestibule/contracts';
import { ApiError } from '@vestibule/foundation';
import type { PresentationRequests } from '../domain/ports';

export interface GetPresentationRequestDeps {
  readonly findView: PresentationRequests['findView'];
}

/** Returns a request to a backend: status, times and the record of the checks, never credential data. */
export function getPresentationRequest(deps: GetPresentationRequestDeps) {
  return async function getPresentationRequest(input: { readonly state: string }): Promise<PresentationRequestView> {
    const view = await deps.findView(input.state);
    if (view) return view;
    const detail = 'there is no presentation request with this state, or its retention has ended';
    throw new ApiError({ kind: 'not_found', code: 'presentation_request_not_found', detail });
  };
}
