/** What one reason means, and what an operator can do about it. */
export interface RefusalReasonEntry {
  readonly meaning: string;
  readonly remedy: string;
  /** What the wallet is told, where its user can mend it; otherwise it learns the meaning of the code alone. */
  readonly told?: string;
}

const WALLET = 'report it to the wallet developer';
const CLOCK = 'check the clocks of this installation and of the wallet';
const REPEAT =
  'nothing at first: the wallet is expected to repeat its request; if it is refused so again and again, report it to the wallet developer';
const ATTESTER = 'report it to the wallet provider, which issues the attestations';
const REPLAY = 'if it recurs, a wallet sends proofs twice, or someone has copied one';

const of = (meaning: string, remedy: string = WALLET): RefusalReasonEntry => ({ meaning, remedy });
const mendable = (told: string, entry: RefusalReasonEntry): RefusalReasonEntry => ({ ...entry, told });

/** About the status of attestations of wallets and of keys. */
const ATTESTATION_STATUS_REASONS = {
  attestation_status_missing: of(
    'the attestation has no status, and the credential needs one',
    `${ATTESTER}; \`ATTESTATION_STATUS\` and \`pid\` of the type decide whether one is needed`,
  ),
  attestation_status_malformed: of('the status of the attestation is no reference to a status list', ATTESTER),
  attestation_status_short: of(
    'the status of the attestation is not maintained until the credential ends',
    'lower `validity_seconds` of the type: wallet providers maintain a status for 31 days or more',
  ),
  attestation_status_unreadable: of(
    'there is no status list where the attestation says, or it must not be fetched',
    ATTESTER,
  ),
  attestation_not_valid: of(
    'the status list says that the attestation is not valid',
    'nothing: the wallet provider has revoked the wallet, or the storage of its keys',
  ),
  attestation_suspended: of(
    'the status list says that the attestation is suspended, or gives it a status of unknown meaning',
    'nothing: the wallet provider has suspended the wallet, or the storage of its keys',
  ),
};

/** Of every proof that a wallet signs. */
const PROOF_REASONS = {
  typ_wrong: of('the `typ` of a JWT is not the one that belongs there'),
  iat_missing: of('`iat` of a proof is missing or not a number'),
  iat_too_old: of('`iat` of a proof is more than 300 s ago', CLOCK),
  iat_in_future: of('`iat` of a proof is more than 60 s ahead', CLOCK),
  exp_passed: of('`exp` of a proof is malformed or in the past', CLOCK),
  nbf_in_future: of('`nbf` of a proof is malformed or in the future', CLOCK),
  jti_malformed: of('`jti` of a proof is missing, not a string or too long'),
};

const DPOP_REASONS = {
  dpop_header_missing: of('there is no `DPoP` header'),
  dpop_header_repeated: of('there are several `DPoP` headers'),
  htm_malformed: of('`htm` is missing, not a string or too long'),
  htm_mismatch: of('`htm` is not the method of the request'),
  htu_malformed: of('`htu` is missing, not a string or too long'),
  htu_mismatch: of(
    '`htu` is not the address of the endpoint',
    'compare `ISSUER_URL` with the address that wallets reach; otherwise report it to the wallet developer',
  ),
  dpop_nonce_not_current: of('`nonce` of a DPoP proof is missing, unknown or old', REPEAT),
  ath_mismatch: of('`ath` is missing or not the hash of the access token'),
  token_of_another_key: of('the access token is bound to another key', REPLAY),
  dpop_proof_replayed: of('the DPoP proof was used before', REPLAY),
};

const ACCESS_TOKEN_REASONS = {
  access_token_missing: of('there is no access token'),
  access_token_malformed: of('the access token is malformed'),
  access_token_unknown: of('the access token is unknown or expired', 'nothing: the wallet came too late'),
  authorization_repeated: of('there are several `Authorization` headers'),
  authorization_scheme_unsupported: of('the scheme of `Authorization` is not DPoP'),
};

const CLIENT_REASONS = {
  attestation_required: of(
    'the wallet presented no attestation, and the issuer requires one',
    'use another wallet, or set `WALLET_ATTESTATION=optional`',
  ),
  attester_not_trusted: of(
    'no trusted attester signed the attestation: its `kid` is unknown, or it has none and no trusted key fits',
    'to accept its attestations, list the attester in `ATTESTATION_TRUST_FILE`',
  ),
  client_authentication_unsupported: of('the wallet authenticates in a way that is not supported'),
  attestation_headers_not_paired: of('there is not exactly one attestation with one proof of possession'),
  attestation_sub_malformed: of('`sub` of the attestation is missing, not a string or too long', ATTESTER),
  attestation_sub_characters: of('`sub` of the attestation has characters that a `client_id` must not have', ATTESTER),
  attestation_exp_missing: of('`exp` of the attestation is missing or not a number of seconds', ATTESTER),
  attestation_expired: of('the attestation has expired', REPEAT),
  attestation_iat_in_future: of('`iat` of an attestation is missing, malformed or in the future', CLOCK),
  attestation_nbf_in_future: of('`nbf` of an attestation is malformed or in the future', CLOCK),
  attestation_exp_passed: of('`exp` of a key attestation is in the past', ATTESTER),
  pop_iss_mismatch: of('`iss` of the proof of possession is not the attested client'),
  pop_aud_mismatch: of('`aud` of the proof of possession is not this authorization server'),
  pop_replayed: of('the proof of possession was used before', REPLAY),
  client_id_mismatch: of('`client_id` is not the attested client'),
  challenge_not_current: of('`challenge` is missing, unknown or old', REPEAT),
};

const TOKEN_REQUEST_REASONS = {
  parameter_repeated: of('a parameter of the token request occurs twice'),
  parameter_structured: of('a parameter of the token request has brackets in its name'),
  grant_type_missing: of('`grant_type` is missing'),
  grant_type_unsupported: of('`grant_type` is not the pre-authorized code'),
  pre_authorized_code_missing: of('`pre-authorized_code` is missing'),
  code_not_open: of(
    'the pre-authorized code is unknown, expired or redeemed',
    'check the status of the offer; create a new one if it has ended',
  ),
  code_redeemed_meanwhile: of('another request redeemed or ended the offer at the same time', REPLAY),
  tx_code_missing: mendable(
    'a transaction code is required: send it as tx_code',
    of('`tx_code` is missing, and the offer was made with one'),
  ),
  tx_code_unexpected: mendable(
    'this offer has no transaction code: repeat the request without tx_code',
    of('there is a `tx_code`, and the offer was made without one'),
  ),
  tx_code_wrong: mendable(
    'the transaction code is wrong: it may be entered again',
    of('the transaction code is wrong', 'nothing: the user mistyped it, or someone is guessing'),
  ),
  tx_code_attempts_exceeded: mendable(
    'the transaction code was wrong too often: a new offer is needed',
    of('too many wrong transaction codes: the offer has ended as FAILED', 'make a new offer'),
  ),
  authorization_details_malformed: of('`authorization_details` is not an array of 1 to 20 objects'),
  details_entry_malformed: of('an entry of `authorization_details` is not an object'),
  details_type_unsupported: of('the `type` of an entry of `authorization_details` is not `openid_credential`'),
  details_location_mismatch: of('`locations` of an entry does not name this issuer'),
  details_configuration_missing: of('an entry of `authorization_details` has no credential configuration'),
  details_not_offered: of('`authorization_details` names a credential that was not offered'),
};

const CREDENTIAL_REQUEST_REASONS = {
  body_not_an_object: of('the body is not a JSON object'),
  credential_not_named_once: of(
    'there is not exactly one of `credential_configuration_id` and `credential_identifier`',
  ),
  credential_name_not_a_string: of('the name of the requested credential is not a string'),
  identifier_required: of('the token response named identifiers, and the request names a configuration'),
  identifier_unknown: of('the token response did not name this credential identifier'),
  configuration_unknown: of('this issuer has no such credential configuration'),
  configuration_not_granted: of('the access token is for another credential configuration'),
  transaction_id_missing: of('`transaction_id` is missing'),
  transaction_not_open: of('the transaction is unknown, finished or of another token'),
  transaction_ended_meanwhile: of('another request got the credential at the same time', REPLAY),
  notification_id_missing: of('`notification_id` is missing'),
  notification_id_unknown: of('`notification_id` was not made for this offer'),
  notification_event_unknown: of('`event` is missing or unknown'),
  notification_description_malformed: of('`event_description` is not a string'),
  offer_ended: of('the offer has ended', 'check the status of the offer; create a new one if needed'),
  answer_too_large: of(
    'the answer with all credentials of the request is larger than the bus carries',
    'lower `BATCH_SIZE`, or offer smaller claims',
  ),
  repetition_too_large: of(
    'the answer of an earlier request, encrypted as this one wants it, is larger than the bus carries',
    'nothing: the wallet can ask for it with `zip`, or without encryption where that is not required; if it recurs, lower `BATCH_SIZE`',
  ),
  signing_failed: of('the credential could not be signed', 'search the log for the error of the same request'),
};

const KEY_PROOF_REASONS = {
  proofs_missing: of('`proofs` is missing'),
  proofs_malformed: of('`proofs` is not an object with exactly one member'),
  proof_type_unsupported: of('the proof type is not one of those in the metadata'),
  proofs_empty: of('`proofs` has no proof'),
  proofs_too_many: of('there are more proofs than `batch_size` allows'),
  proof_not_a_string: of('a proof is not a string'),
  proof_key_not_named_once: of('the header of a proof does not name its key exactly once'),
  proof_key_not_acceptable: of('the key of a proof is neither a `jwk` nor an attested one'),
  proof_key_not_attested: of('the attestation in the header of a proof is for other keys'),
  proof_key_not_first: of('the proof is not signed with the first attested key, which the profile `eudi` demands'),
  proof_key_repeated: of('two proofs are for one key'),
  private_key_in_header: of(
    'the header of a proof contains a private key',
    `${WALLET} at once: the key is no longer secret`,
  ),
  proof_iss_mismatch: of('`iss` of a proof is not the client of the access token'),
  proof_aud_mismatch: of(
    '`aud` of a proof is not the issuer',
    'compare `ISSUER_URL` with the `credential_issuer` that wallets see; otherwise report it to the wallet developer',
  ),
  proof_nonce_missing: of('`nonce` of a proof is missing, empty or too long'),
  nonce_not_current: of('the nonce of a proof is unknown or old', REPEAT),
  nonce_used: of('the nonce of a proof was used before', REPEAT),
  nonce_used_meanwhile: of('another request used the nonce at the same time', REPEAT),
  claims_changed_meanwhile: of('the backend replaced the claims while the credential was being issued', REPEAT),
  answer_gone_meanwhile: of('what was kept for a repetition went while it was being looked up', REPEAT),
  key_attestation_required: of('the credential needs an attested key, and the proof has no attestation'),
  key_attestation_malformed: of('`key_attestation` is not a string'),
  key_attestations_not_supported: of(
    'the wallet sent a key attestation as proof, and this issuer trusts no attester for it',
  ),
  key_attestation_not_alone: of('`proofs.attestation` does not hold exactly one attestation'),
  attested_keys_malformed: of('`attested_keys` is missing, empty or too long', ATTESTER),
  attested_key_repeated: of('a key is attested twice', ATTESTER),
  attestation_nonce_malformed: of('`nonce` of a key attestation is malformed'),
  key_storage_too_low: of('the attested `key_storage` is not one of those that the credential requires'),
  user_authentication_too_low: of(
    'the attested `user_authentication` is not one of those that the credential requires',
  ),
};

const ENCRYPTION_REASONS = {
  request_not_encrypted: of('the request is not encrypted, and the issuer requires encryption'),
  response_encryption_missing: of('`credential_response_encryption` is missing, and the issuer requires it'),
  response_encryption_malformed: of('`credential_response_encryption` is not an object'),
  encryption_in_plain_request: of('the request asks for an encrypted response but is not encrypted itself'),
  encryption_key_missing: of('`jwk` of `credential_response_encryption` is missing'),
  encryption_alg_unsupported: of('`alg` of the key is missing or not supported'),
  encryption_enc_unsupported: of('`enc` is missing or not supported'),
  encryption_zip_malformed: of('`zip` is not a string'),
  encryption_kid_malformed: of('`kid` of the key is not a string, or too long'),
};

/**
 * Why the issuer refused a wallet, a closed list: for the operator's log and never for the wallet, which receives the
 * OAuth code, and what its user can mend. If a check of signatures, keys or certificates caused the refusal, the reason is the code of its own
 * table instead.
 */
export const REFUSAL_REASONS = {
  ...PROOF_REASONS,
  ...DPOP_REASONS,
  ...ACCESS_TOKEN_REASONS,
  ...CLIENT_REASONS,
  ...TOKEN_REQUEST_REASONS,
  ...CREDENTIAL_REQUEST_REASONS,
  ...KEY_PROOF_REASONS,
  ...ATTESTATION_STATUS_REASONS,
  ...ENCRYPTION_REASONS,
} as const satisfies Record<string, RefusalReasonEntry>;

export type RefusalReason = keyof typeof REFUSAL_REASONS;

declare module '@vestibule/foundation' {
  interface ReasonTables {
    readonly issuer: typeof REFUSAL_REASONS;
  }
}
