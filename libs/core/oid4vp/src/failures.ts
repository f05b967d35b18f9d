import { DomainError, failureFamily, ProcessingFailure } from '@vestibule/foundation';

const REPORT = 'report it to the wallet developer';

/** Why a wallet's answer as a whole is not acceptable; the libraries below have their own tables. */
export const PRESENTATION_FAILURES = {
  status_signer_not_authorised: {
    section: 'Token Status List §11.3',
    meaning:
      'the status list is signed by neither the issuer of the credential nor its authority, or with `STATUS_LIST_SIGNERS=issuer` by somebody else below that authority',
    remedy: 'the issuer must sign its status lists with its own key or with a key certified by the same authority',
  },
  issuer_method_not_allowed: {
    section: 'SD-JWT VC §10.2',
    meaning: 'the credential has a certificate chain although the keys of its issuer come from its metadata',
    remedy: 'remove the issuer from metadataIssuers in the trust file, or have it issue without x5c',
  },
  issuer_type_not_allowed: {
    section: 'SD-JWT VC §3.5',
    meaning: 'the issuer may not vouch for credentials of this type',
    remedy: 'add the type to the vcts of this issuer in metadataIssuers of the trust file',
  },
  subtype_issuer_untrusted: {
    section: 'OpenID4VP 1.0 §B.3.5',
    meaning: 'the credential is of a subtype of the requested type, and its issuer is not trusted for the subtype',
    remedy: 'configure a trust anchor whose vcts contain the subtype, or request the subtype itself',
  },
  subtype_metadata_mismatch: {
    section: 'SD-JWT VC §7',
    meaning:
      'the credential counts for the requested type by its Type Metadata, but was issued for another version of them',
    remedy: 'replace the document in typeMetadata of the trust file by the current one of the type',
  },
  surplus_claims: {
    section: 'OpenID4VP 1.0 §6.4',
    meaning:
      'the wallet presented claims or a credential that were not requested, and this verifier is configured to reject them',
    remedy: 'the wallet must disclose only what was requested; SURPLUS_CLAIMS=drop omits the rest instead',
  },
  presentation_repeated: {
    section: 'OpenID4VP 1.0 §6.1, §8.1',
    meaning: 'the same credential is presented twice for one credential query',
    remedy: 'the wallet must present different credentials if a query allows several',
  },
  too_many_issuers: {
    section: 'OpenID4VP 1.0 §8.1',
    meaning: 'credentials of issuers without a trust anchor have more than eight different certificate chains',
    remedy: 'configure trust anchors for their type, or request fewer credentials at once',
  },
  too_many_status_lists: {
    section: 'Token Status List §11.4',
    meaning:
      'the credentials of a response refer to more than 16 status lists, or those of issuers without a trust anchor to more than four',
    remedy: 'configure trust anchors for their type, or request fewer credentials at once',
  },
  presentations_too_large: {
    section: 'OpenID4VP 1.0 §8.1',
    meaning: 'the credentials of the response together contain too many JSON values',
    remedy: 'request fewer credentials at once, or do not set multiple',
  },
  transaction_data_unanswered: {
    section: 'OpenID4VP 1.0 §5.1',
    meaning: 'the hashes of a transaction data object are in no returned credential, or in more than one',
    remedy: 'the wallet must sign each transaction data object with exactly one of the credentials it names',
  },
  sca_evidence_missing: {
    section: 'TS12 1.0.1 §3.6',
    meaning: 'the key binding JWT that confirms a payment lacks jti, amr or response_mode',
    remedy: 'the wallet must support payments; SCA_EVIDENCE=when-present accepts wallets that leave these claims out',
  },
  sca_code_invalid: {
    section: 'TS12 1.0.1 §3.6',
    meaning: 'jti, the authentication code of a payment, is not a string of 1 to 255 characters',
    remedy: REPORT,
  },
  sca_factors_insufficient: {
    section: 'TS12 1.0.1 §3.6',
    meaning: 'amr does not name authentication factors of two categories (knowledge, possession, inherence)',
    remedy: 'the user must be authenticated with two factors before a payment is confirmed',
  },
  sca_response_mode_mismatch: {
    section: 'TS12 1.0.1 §3.6',
    meaning: 'the wallet confirmed a payment for a request with another response_mode',
    remedy: REPORT,
  },
} as const;

declare module '@vestibule/foundation' {
  interface ErrorTables {
    readonly presentation: typeof PRESENTATION_FAILURES;
    readonly response: typeof RESPONSE_FAILURES;
  }
}

export const presentationFailure = failureFamily(PRESENTATION_FAILURES);

/** The wallet's message cannot be read at all, or not judged in time: it ends the request as PROCESSING_ERROR. */
export const RESPONSE_FAILURES = {
  response_not_decryptable: {
    meaning: 'the encrypted response cannot be decrypted with the key of this request',
    remedy: 'the wallet must encrypt with ECDH-ES to the key in client_metadata, and send its kid',
  },
  response_not_json: {
    meaning: 'the decrypted response is not a JSON object',
    remedy: 'the wallet must encrypt a JSON object of response parameters without repeated names',
  },
  status_lists_too_large: {
    meaning: 'the status lists that had to be fetched for the response exceed 8 MiB in total',
    remedy: 'check the lists that the credentials refer to; lists that were fetched are cached for the next response',
  },
  trusted_list_unavailable: {
    meaning:
      'no usable version of the list of trusted entities, or of the hosted Type Metadata, that decides about the issuer is known',
    remedy:
      'see the log, and the metrics of the list: a list or a document cannot be fetched, is not valid, or is out of date',
  },
  judgement_timeout: {
    meaning: 'the response could not be verified in time',
    remedy:
      'the decision record shows which check took long: check the hosts of status lists, keys and revocation lists',
  },
  response_state_mismatch: {
    meaning: 'the state inside the response is missing or belongs to another request',
    remedy: 'the wallet must include the state of the request in the encrypted response',
  },
  response_malformed: {
    meaning: 'the decrypted response does not contain exactly one of vp_token and error',
    remedy: 'the wallet must send either vp_token or error',
  },
} as const;

export type ResponseFailureCode = keyof typeof RESPONSE_FAILURES;

export function responseFailure(code: ResponseFailureCode, cause?: unknown): ProcessingFailure {
  const { meaning, remedy } = RESPONSE_FAILURES[code];
  return new ProcessingFailure(code, meaning, cause, remedy);
}

/** Why a message of a wallet changes nothing; `meaning` is also what the wallet receives. */
export const INVALID_REQUESTS = {
  parameter_repeated: { meaning: 'a parameter is repeated', remedy: REPORT },
  flow_type_unknown: {
    meaning: 'flow_type is neither same-device nor cross-device',
    remedy: 'use the URLs returned by `POST /oidc4vp` unchanged',
  },
  wallet_metadata_malformed: { meaning: 'wallet_metadata is not a JSON object', remedy: REPORT },
  wallet_keys_malformed: {
    meaning: 'jwks in wallet_metadata has a key for encryption that is malformed, not on its curve, or too many keys',
    remedy: REPORT,
  },
  wallet_not_capable: {
    meaning: 'the wallet does not support dc+sd-jwt, ES256 and x509_hash',
    remedy: 'the user needs another wallet',
  },
  wallet_nonce_too_long: { meaning: 'wallet_nonce is too long', remedy: REPORT },
  response_missing: { meaning: 'the parameter response is missing', remedy: REPORT },
  response_with_error: { meaning: 'both response and error are present', remedy: REPORT },
  response_not_a_jwe: { meaning: 'response is not a compact JWE', remedy: REPORT },
  state_mismatch: { meaning: 'state does not match', remedy: REPORT },
  request_not_open: {
    meaning: 'the request is unknown, expired or answered',
    remedy: 'check the status of the request; if it recurs, a wallet sends its response twice',
  },
} as const;

declare module '@vestibule/foundation' {
  interface ReasonTables {
    readonly verifier: typeof INVALID_REQUESTS;
  }
}

export type InvalidRequestReason = keyof typeof INVALID_REQUESTS;

/**
 * A message that changes nothing: the wallet receives `invalid_request` and the request stays unchanged. `detail`
 * replaces the table's meaning.
 */
export function invalidRequest(
  reason: InvalidRequestReason,
  detail: string = INVALID_REQUESTS[reason].meaning,
): DomainError {
  return new DomainError({ kind: 'invalid', code: 'invalid_request', detail, reason });
}
