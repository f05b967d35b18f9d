import type { ErrorEntry } from '@vestibule/foundation';

/** Errors that operators find in the logs of a service; the gateway passes them on with their status. */
export const SERVICE_ERRORS = {
  status_list_unavailable: {
    status: 503,
    meaning: 'a status list has changed or is too old, and cannot currently be signed',
    remedy: "search the issuer's log for `a credential or a status list could not be signed`",
  },
  attestation_status_unavailable: {
    status: 503,
    meaning:
      'the status list of an attestation of a wallet or of its keys could not be fetched. For a deferred credential, its wallet gets 202 instead',
    remedy: 'nothing: the wallet may try again; if it recurs, check whether the list is reachable from the issuer',
  },
  tenant_busy: {
    status: 503,
    meaning:
      'this tenant, or all callers without a key together, already use their share of the database connections of the wallet store (a third), and this call has waited for 2 s',
    remedy:
      'send fewer calls at the same time and try again; operators: increase `DATABASE_POOL_SIZE` or add a replica',
  },
  search_timeout: {
    status: 503,
    meaning: 'a search or list took longer than 2 s',
    remedy: 'use fewer or narrower conditions, or a smaller `limit`',
  },
  canonicalizer_busy: {
    status: 503,
    meaning: 'too many W3C documents are waiting to be canonicalized, or one has waited too long',
    remedy:
      'try again; if the error persists, look for a tenant that sends large documents, or add a replica of the wallet store',
  },
  canonicalizer_failed: {
    status: 503,
    meaning: 'the thread that canonicalizes W3C documents stopped or could not be started',
    remedy: "search the wallet store's log for messages about a thread; try again",
  },
  vc_status_unavailable: {
    status: 503,
    meaning:
      'the Bitstring Status List of a W3C credential cannot be fetched; the credential is not accepted meanwhile',
    remedy:
      'try again; if the error persists, its message names the code of the failed request: check that the host of the list can be reached from the wallet store',
  },
} as const satisfies Readonly<Record<string, ErrorEntry>>;

declare module '@vestibule/foundation' {
  interface ErrorTables {
    readonly service: typeof SERVICE_ERRORS;
  }
}
