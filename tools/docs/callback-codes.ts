import type { CodeEntry } from './error-codes';

/** What can stand in `errorDetails` of FAILED and PROCESSING_ERROR, besides the tables of the libraries. */
export const CALLBACK_CODES: Readonly<Record<string, CodeEntry>> = {
  tx_code_attempts_exceeded: {
    meaning: 'FAILED: the transaction code was wrong five times',
    remedy: 'make a new offer and deliver its code on another channel',
  },
  offer_cancelled: {
    meaning: 'FAILED: the backend cancelled the offer',
    remedy: 'make a new offer if it was a mistake',
  },
  issuance_denied: {
    meaning: 'FAILED: the backend denied the credential of a deferred offer',
    remedy: 'make a new offer if it was a mistake',
  },
  credential_type_missing: {
    meaning: 'FAILED: the credential type of the offer is not configured any more',
    remedy: 'keep a type configured as long as offers of it are open',
  },
  signing_failed: {
    meaning: 'FAILED: the credential could not be signed',
    remedy: "look for the issuer's line `a credential or a status list could not be signed`",
  },
  status_list_key_missing: {
    meaning:
      'only in the log: a status list cannot be signed, since the key of its credentials is not configured any more',
    remedy: 'put the retired certificate and key into `RETIRED_ISSUER_CERTIFICATES_FOLDER`',
  },
  status_indexes_exhausted: {
    meaning: 'FAILED: no free entry of a status list could be reserved',
    remedy: 'report it: lists are opened as they are needed',
  },
  claims_not_issuable: {
    meaning: 'FAILED: the claims cannot be made into a credential',
    remedy: 'report it: the claims were accepted when the offer was made',
  },
  signer_unavailable: {
    meaning: 'FAILED: the HSM or KMS that holds the signing key failed three times, or did not answer in time',
    remedy: 'check the module and the way to it; the offer has ended, make a new one',
  },
  signature_invalid: {
    meaning: 'FAILED: the HSM or KMS returned what the key of the certificate does not verify; it did not leave',
    remedy: 'check which key it signs with, and that its adapter returns R and S instead of DER',
  },
  signature_malformed: {
    meaning: 'FAILED: the signing key did not return an ES256 signature',
    remedy: 'check the key or the module that holds it',
  },
  access_certificate_replaced: {
    meaning:
      'a request was made with an access certificate that is not configured any more; it cannot be fetched again',
    remedy: 'let open requests end before the certificate is replaced, or ask for new requests',
  },
  callback_too_large: {
    meaning: 'PROCESSING_ERROR: the event would be larger than 1 MiB; nothing of it was stored',
    remedy: 'ask for fewer claims, keep `SURPLUS_CLAIMS=drop`, or let the issuer make smaller credentials',
  },
  stored_query_invalid: {
    meaning: 'PROCESSING_ERROR: the stored query cannot be read',
    remedy: 'report it: the query was accepted when the request was made',
  },
  stored_flow_missing: {
    meaning: 'PROCESSING_ERROR: the stored request lacks the flow that was used',
    remedy: 'report it',
  },
};
