import type { ErrorEntry } from '@vestibule/foundation';

/** Errors that only wallets receive, in addition to the OAuth codes. */
export const WALLET_ERRORS = {
  server_error: {
    meaning: 'HTTP 500 or 503 with the OAuth code `server_error`: the response could not be processed',
    remedy: 'the wallet may try again while the request is open',
  },
  temporarily_unavailable: {
    meaning: 'HTTP 429: too many requests from this address',
    remedy: 'wait for the time in `Retry-After`',
  },
  request_not_found: {
    meaning: 'HTTP 404: the presentation request is unknown, ended or expired; on the wire `invalid_request`',
    remedy: 'ask the backend for a new request',
  },
  offer_not_found: {
    meaning: 'HTTP 404: the credential offer is unknown, ended or expired; on the wire `invalid_request`',
    remedy: 'ask the backend for a new offer',
  },
  status_list_not_found: {
    meaning:
      'HTTP 404: there is no such status list, or all its credentials have expired; on the wire `invalid_request`',
    remedy: 'use the `uri` in the credential',
  },
  status_format_unsupported: {
    meaning: 'HTTP 406: `Accept` takes a status list as a CWT alone, and there are none; on the wire `invalid_request`',
    remedy: 'accept `application/statuslist+jwt`',
  },
  status_time_unsupported: {
    meaning:
      'HTTP 501: the request asks for a historical status list (`time`), and none are kept; on the wire `invalid_request`',
    remedy: 'omit `time`',
  },
  type_metadata_not_found: {
    meaning: 'HTTP 404: there is no such credential type; on the wire `invalid_request`',
    remedy: 'use the `vct` from the issuer metadata',
  },
} as const satisfies Readonly<Record<string, ErrorEntry>>;

declare module '@vestibule/foundation' {
  interface ErrorTables {
    readonly wallet: typeof WALLET_ERRORS;
  }
}
