import type { DomainError, ErrorKind } from '@vestibule/foundation';

const STATUS: Readonly<Record<ErrorKind, number>> = {
  invalid: 400,
  unauthenticated: 401,
  denied: 403,
  not_found: 404,
  conflict: 409,
  gone: 410,
  too_large: 413,
  unavailable: 503,
  internal: 500,
};

/** Codes with a status of their own. */
const EXCEPTIONS: ReadonlyMap<string, number> = new Map([
  ['unsupported_media_type', 415],
  ['rate_limited', 429],
  ['insufficient_scope', 403],
]);

/** HTTP status of an error on the APIs for backends. */
export function statusForBackend(error: DomainError): number {
  return EXCEPTIONS.get(error.code) ?? STATUS[error.kind];
}

/** HTTP status of an error for a wallet: the OAuth documents know 400 for every refusal that is not about tokens. */
export function statusForWallet(error: DomainError): number {
  const refusal = error.kind === 'denied' || error.kind === 'conflict';
  return EXCEPTIONS.get(error.code) ?? (refusal ? 400 : STATUS[error.kind]);
}
