import type { PresentationRequestView } from '@vestibule/contracts';
import type { PresentationRequests } from '../domain/ports';
import { requestNotFound } from './request-refusals';

export interface GetPresentationRequestDeps {
  readonly findView: PresentationRequests['findView'];
}

/** Returns a request to a backend: status, times and the record of the checks, never credential data. */
export function getPresentationRequest(deps: GetPresentationRequestDeps) {
  return async function getPresentationRequest(input: { readonly state: string }): Promise<PresentationRequestView> {
    const view = await deps.findView(input.state);
    if (view) return view;
    throw requestNotFound();
  };
}
