import { OAuthError } from '@vestibule/oauth';

/** The wallet has to stop: there will be no credential. */
export const credentialDenied = (reason: 'offer_ended' | 'signing_failed' | 'answer_too_large', cause?: unknown) =>
  new OAuthError('credential_request_denied', reason, cause);

/**
 * Throws the error that the wallet receives if its request changed nothing. If the claims changed meanwhile, the nonces
 * are used up nevertheless: the wallet has to start again with a new one.
 */
export function refuse(outcome: 'nonce_used' | 'claims_changed' | 'ended'): never {
  if (outcome === 'ended') throw credentialDenied('offer_ended');
  throw new OAuthError('invalid_nonce', outcome === 'nonce_used' ? 'nonce_used_meanwhile' : 'claims_changed_meanwhile');
}
