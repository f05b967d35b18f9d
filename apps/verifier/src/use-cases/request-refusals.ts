import { ApiError } from '@vestibule/foundation';

/** No presentation request has this state. */
export const requestNotFound = () =>
  new ApiError({
    kind: 'not_found',
    code: 'presentation_request_not_found',
    detail: 'there is no presentation request with this state, or its retention has ended',
  });
