import type { RequestList } from '../domain/ports';

export interface ListPresentationRequestsDeps {
  readonly findPage: RequestList;
}

/** Lists requests to a backend, newest first: status and times, never credential data. Throws `invalid_request`. */
export function listPresentationRequests(deps: ListPresentationRequestsDeps): RequestList {
  return async function listPresentationRequests(question) {
    return deps.findPage(question);
  };
}
