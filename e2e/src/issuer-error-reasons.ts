/**
 * What the issuer's log says of the rows of `issuer-error-rows.ts`, by their titles (without the endpoint); undefined for
 * what the gateway refuses by itself.
 */
export const ROW_REASONS: Readonly<Record<string, string | undefined>> = {
  'VCI:T1 a body of JSON': undefined,
  'VCI:T1 GET': undefined,
  'VCI:T2 no grant': 'grant_type_missing',
  'VCI:T2 another grant': 'grant_type_unsupported',
  'VCI:T19 a refresh': 'grant_type_unsupported',
  'VCI:T2 the grant twice': 'parameter_repeated',
  'VCI:T3 the code twice': 'parameter_repeated',
  'VCI:T3 a structured parameter': 'parameter_structured',
  'VCI:T5 no code': 'pre_authorized_code_missing',
  'VCI:T5 an empty code': 'pre_authorized_code_missing',
  'VCI:T5 an unknown code': 'code_not_open',
  'VCI:T6 a transaction code that nobody asked for': 'tx_code_unexpected',
  'VCI:T12 details that are no JSON': 'authorization_details_malformed',
  'VCI:T12 details of another kind': 'details_type_unsupported',
  'VCI:T12 details of another credential': 'details_not_offered',
  'VCI:T16 no DPoP proof': 'dpop_header_missing',
  'VCI:D1 two DPoP proofs': 'dpop_header_repeated',
  'VCI:D2 a DPoP proof of another type': 'typ_wrong',
  'VCI:D3 a DPoP proof without signature': 'jws_algorithm_not_allowed',
  'VCI:D5 a DPoP proof with a broken signature': 'jws_signature_invalid',
  'VCI:D6 a DPoP proof without jti': 'jti_malformed',
  'VCI:D7 a DPoP proof for GET': 'htm_mismatch',
  'VCI:D8 a DPoP proof for another host': 'htu_mismatch',
  'VCI:D9 a DPoP proof of an hour ago': 'iat_too_old',
  'VCI:R16 a body of 2 MiB': undefined,
  'VCI:D22 no credentials': 'access_token_missing',
  'VCI:D13 the token as Bearer': 'authorization_scheme_unsupported',
  'VCI:D15 two Authorization headers': 'authorization_repeated',
  'VCI:D22 an unknown token': 'access_token_unknown',
  'VCI:D22 no proof': 'dpop_header_missing',
  'VCI:D11 the proof of another token': 'ath_mismatch',
  'VCI:D11 a proof without ath': 'ath_mismatch',
  'VCI:D8 a proof for another address': 'htu_mismatch',
  'VCI:D12 a proof with another key': 'token_of_another_key',
  'VCI:R1 GET': undefined,
  'VCI:R1 a form': 'body_not_an_object',
  'VCI:R3 no JSON': 'body_not_an_object',
  'VCI:R3 an array': 'body_not_an_object',
  'VCI:R3 a text': 'body_not_an_object',
  'VCI:R3 a member twice': 'body_not_an_object',
  'VCI:E1 a JWT body that is no JWE': 'jwe_malformed',
  'VCI:R5 no name': 'credential_not_named_once',
  'VCI:R5 both names': 'credential_not_named_once',
  'VCI:R7 an unknown name': 'configuration_unknown',
  'VCI:R8 an unknown identifier': 'identifier_unknown',
  'VCI:R9 another credential': 'configuration_not_granted',
  'VCI:R10 no proofs': 'proofs_missing',
  'VCI:R11 two kinds of proof': 'proofs_malformed',
  'VCI:R11 an unknown kind of proof': 'proof_type_unsupported',
  'VCI:R13 11 proofs': 'proofs_too_many',
  'VCI:J1 a key proof of another type': 'typ_wrong',
  'VCI:J2 a key proof without signature': 'jws_algorithm_not_allowed',
  'VCI:J3 a key proof without key': 'proof_key_not_named_once',
  'VCI:J7 a key proof with a broken signature': 'jws_signature_invalid',
  'VCI:J8 a key proof for another issuer': 'proof_aud_mismatch',
  'VCI:J9 a key proof of an hour ago': 'iat_too_old',
  'VCI:J10 a key proof without nonce': 'proof_nonce_missing',
  'VCI:J10 a key proof with an unknown nonce': 'nonce_not_current',
  'VCI:E3 VCI:R15 a wish for encryption in a plain request': 'encryption_in_plain_request',
  'VCI:F1 no transaction_id': 'transaction_id_missing',
  'VCI:F1 no JSON': 'body_not_an_object',
  'VCI:F2 an unknown transaction_id': 'transaction_not_open',
  'VCI:E3 a wish for encryption in a plain deferred request': 'encryption_in_plain_request',
  'VCI:F10 an unknown notification_id': 'notification_id_unknown',
  'VCI:F10 no notification_id': 'notification_id_missing',
  'VCI:F7 an event in another case': 'notification_event_unknown',
  'VCI:F10 no JSON': 'body_not_an_object',
};

/** What a log line says. */
type Line = Readonly<Record<string, unknown>>;

function parseLine(line: string): Line[] {
  try {
    return [JSON.parse(line.slice(line.indexOf('{'))) as Line];
  } catch {
    return [];
  }
}

/** The lines about one request, by its id. */
export function linesOf(log: readonly string[], requestId: string): Line[] {
  return log.filter((line) => line.includes(requestId)).flatMap(parseLine);
}
