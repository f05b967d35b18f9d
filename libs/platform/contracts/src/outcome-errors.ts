import type { ErrorEntry } from '@vestibule/foundation';

/** What `errorDetails` of FAILED and PROCESSING_ERROR can contain, in addition to the codes of the libraries. */
export const OUTCOME_ERRORS = {
  tx_code_attempts_exceeded: {
    meaning: 'FAILED: the transaction code was wrong five times',
    remedy: 'create a new offer and deliver its code over a different channel',
  },
  offer_cancelled: {
    meaning: 'FAILED: the backend cancelled the offer',
    remedy: 'create a new offer if this was a mistake',
  },
  issuance_denied: {
    meaning: 'FAILED: the backend denied the credential of a deferred offer',
    remedy: 'create a new offer if this was a mistake',
  },
  credential_type_missing: {
    meaning:
      'the replica that a wallet or a backend met has not configured the credential type of the offer. The wallet gets 503, or 202 for a deferred credential, and may try again, as may a backend that supplies claims',
    remedy:
      'keep a type configured as long as there are open offers for it; offer a new one when all replicas have it. See [changing types](issuer-operations.md#changing-types)',
  },
  credential_type_changed: {
    meaning:
      'only in the log: the claims of an offer do not fit its credential type as the replica that a wallet met has configured it. The wallet gets 503, or 202 for a deferred credential, and may try again',
    remedy:
      'see [changing types](issuer-operations.md#changing-types); the backend may supply the claims of a deferred offer again',
  },
  signing_failed: {
    meaning: 'FAILED: the credential could not be signed',
    remedy: "search the issuer's log for `a credential or a status list could not be signed`",
  },
  credential_answer_too_large: {
    meaning:
      'FAILED: the answer with all credentials of a request would be larger than the bus carries. At start: no batch of a type could fit',
    remedy: 'offer smaller claims, or lower `BATCH_SIZE` so that a wallet gets fewer credentials at once',
  },
  status_list_key_missing: {
    meaning:
      'only in the log: a status list cannot be signed, because the key of its credentials is no longer configured',
    remedy: 'copy the retired certificate and key to `RETIRED_ISSUER_CERTIFICATES_FOLDER`',
  },
  status_indexes_exhausted: {
    meaning: 'FAILED: no free entry of a status list could be reserved',
    remedy: 'report a bug: new lists are opened when needed',
  },
  signer_unavailable: {
    meaning:
      'the HSM or KMS that holds the signing key fails, or does not answer in time. Wallets get 503, or 202 for a deferred credential, and may try again; at start, the process ends. FAILED: an offer whose credential could not be signed for that reason before its time was over',
    remedy: 'create a new offer; operators: check the device and the connection to it; see [keys.md](keys.md)',
  },
  signature_invalid: {
    meaning:
      'FAILED: the HSM or KMS returned a signature that does not verify with the key of the certificate; it was not sent',
    remedy: 'check which key the device signs with; see [keys.md](keys.md)',
  },
  access_certificate_replaced: {
    meaning: 'the access certificate of the request is no longer configured, so the request cannot be fetched again',
    remedy: 'let open requests end before you remove the certificate, or create new requests',
  },
  relying_party_removed: {
    meaning: 'the relying party in whose name the request was made is no longer configured',
    remedy: 'keep a relying party in RELYING_PARTIES_FILE until the requests in its name have ended',
  },
  registration_removed: {
    meaning: 'the registration of the request is no longer configured, so the request cannot be fetched again',
    remedy: 'let open requests end before you remove the registration, or create new requests',
  },
  callback_too_large: {
    meaning: 'PROCESSING_ERROR: the event would exceed 1 MiB; it was not stored',
    remedy: 'request fewer claims, keep `SURPLUS_CLAIMS=drop`, or have the issuer issue smaller credentials',
  },
  wallet_not_served: {
    meaning:
      'PROCESSING_ERROR, FAILED: a wallet came and was answered with 5xx because a component was unavailable, or told to come back for a deferred credential because its attestations could not be looked up or its type was another one, and the flow was not completed before its time was over',
    remedy: 'create a new request or offer; operators: find the outage in the metrics and logs of that time',
  },
  stored_query_invalid: {
    meaning: 'PROCESSING_ERROR: the stored query cannot be read',
    remedy: 'report a bug: the query was accepted when the request was created',
  },
  stored_flow_missing: {
    meaning: 'PROCESSING_ERROR: the stored request lacks the flow that was used',
    remedy: 'report a bug',
  },
} as const satisfies Readonly<Record<string, ErrorEntry>>;

declare module '@vestibule/foundation' {
  interface ErrorTables {
    readonly outcome: typeof OUTCOME_ERRORS;
  }
}
