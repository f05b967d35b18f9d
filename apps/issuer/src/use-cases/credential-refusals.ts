import { OAuthError } from '@vestibule/oauth';
import type { ResponseEncryption } from '@vestibule/oid4vci';

/** The wallet has to stop: there will be no credential. */
export const credentialDenied = (reason: 'offer_ended' | 'signing_failed' | 'answer_too_large', cause?: unknown) =>
  new OAuthError('credential_request_denied', reason, cause);

/** For an answer that is kept but not carried: with other encryption parameters, if it had any, the wallet may get it. */
export const repetitionTooLarge = (encryption: ResponseEncryption | undefined) =>
  encryption
    ? new OAuthError('invalid_encryption_parameters', 'repetition_too_large')
    : credentialDenied('answer_too_large');

/** Why a request that changed nothing has to come again with a new nonce. */
const REPEATABLE = {
  nonce_used: 'nonce_used_meanwhile',
  claims_changed: 'claims_changed_meanwhile',
  answer_gone: 'answer_gone_meanwhile',
  answered: 'answer_gone_meanwhile',
} as const;

/**
 * Throws the error that the wallet receives if its request changed nothing. If the claims changed meanwhile, the nonces
 * are used up nevertheless: the wallet has to start again with a new one. So it has to where an answer went that was kept
 * for it, while there are claims: another request of its own may have taken the place of a promise.
 */
export function refuse(outcome: keyof typeof REPEATABLE | 'ended'): never {
  if (outcome === 'ended') throw credentialDenied('offer_ended');
  throw new OAuthError('invalid_nonce', REPEATABLE[outcome]);
}
