/** What went wrong, independent of any transport. The edges map a kind to HTTP, OAuth or a callback status. */
export const ERROR_KINDS = [
  'invalid',
  'unauthenticated',
  'denied',
  'not_found',
  'conflict',
  'precondition_failed',
  'gone',
  'too_large',
  'unavailable',
  'internal',
] as const;
export type ErrorKind = (typeof ERROR_KINDS)[number];
