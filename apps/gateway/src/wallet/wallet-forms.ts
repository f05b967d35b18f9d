const text = { type: 'string' };
const object = { type: 'object' };
const array = (items: object) => ({ type: 'array', items });
const members = (properties: Readonly<Record<string, object>>, required: readonly string[] = []) => ({
  type: 'object',
  properties,
  ...(required.length > 0 ? { required } : {}),
});
const described = (description: string, type = 'string') => ({ type, description });

/** The messages between wallets and the public listener. Unknown members are ignored, as the standards demand. */
export const WALLET_SCHEMAS: Readonly<Record<string, object>> = {
  OAuthError: members(
    { error: described('A code of the standards, see docs/errors.md'), error_description: text, instance: text },
    ['error'],
  ),
  RequestUriForm: members({
    wallet_metadata: described('What the wallet can do, as JSON'),
    wallet_nonce: described('Comes back in the request object'),
  }),
  AuthorizationResponseForm: members(
    { response: described('The encrypted response (JWE), or the form of an error'), state: text, error: text },
    [],
  ),
  AuthorizationResponseAnswer: members({ redirect_uri: described('Where the browser goes, in the same-device flow') }),
  CredentialOfferObject: members(
    {
      credential_issuer: text,
      credential_configuration_ids: array(text),
      grants: described('The pre-authorized code, and what is needed to redeem it', 'object'),
    },
    ['credential_issuer', 'credential_configuration_ids'],
  ),
  TokenForm: members(
    {
      grant_type: { const: 'urn:ietf:params:oauth:grant-type:pre-authorized_code' },
      'pre-authorized_code': text,
      tx_code: described('The transaction code, if the offer has one'),
      scope: described('Grants nothing: the token is for the credential of the offer'),
    },
    ['grant_type', 'pre-authorized_code'],
  ),
  TokenAnswer: members(
    {
      access_token: text,
      token_type: { const: 'DPoP' },
      expires_in: described('Seconds', 'integer'),
      scope: described('That of the token, if the request had one'),
      authorization_details: array(object),
    },
    ['access_token', 'token_type', 'expires_in'],
  ),
  NonceAnswer: members({ c_nonce: text }, ['c_nonce']),
  ChallengeAnswer: members({ attestation_challenge: text }, ['attestation_challenge']),
  CredentialRequest: members({
    credential_configuration_id: text,
    credential_identifier: text,
    proofs: described('Key proofs by their type: `jwt` or `attestation`', 'object'),
    credential_response_encryption: object,
  }),
  DeferredCredentialRequest: members({ transaction_id: text, credential_response_encryption: object }, [
    'transaction_id',
  ]),
  CredentialAnswer: members(
    { credentials: array(members({ credential: text }, ['credential'])), notification_id: text },
    ['credentials'],
  ),
  DeferralAnswer: members({ transaction_id: text, interval: described('Seconds', 'integer') }, [
    'transaction_id',
    'interval',
  ]),
  NotificationRequest: members(
    {
      notification_id: text,
      event: { enum: ['credential_accepted', 'credential_failure', 'credential_deleted'] },
      event_description: text,
    },
    ['notification_id', 'event'],
  ),
};
