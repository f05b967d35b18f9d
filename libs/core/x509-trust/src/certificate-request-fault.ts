import { ApiError } from '@vestibule/foundation';

/** A mistake on the command line of `csr`: which option, and what is expected there, with nothing of its value. */
export const certificateRequestFault = (detail: string): ApiError =>
  new ApiError({ kind: 'invalid', code: 'command_invalid', detail });
