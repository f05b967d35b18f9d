import type { CredentialAnswer } from '@vestibule/contracts';
import { constantTimeEqual, sha256, type PublicJwk } from '@vestibule/crypto';
import { ownMember, type Clock, type JsonObject } from '@vestibule/foundation';
import { OAuthError } from '@vestibule/oauth';
import { issuanceEvent } from '../domain/issuance-event';
import type { Grant } from '../domain/issuance';
import type { Issuances } from '../domain/ports';
import type { AnswerCredentials, AnswerPromise } from './answer-credential';
import type { AuthorizeWallet } from './authorize-wallet';
import { credentialDenied } from './credential-refusals';
import type { OpenMessage, WalletMessage } from './open-message';
import type { SignCredentials } from './sign-credentials';

export interface IssueDeferredCredentialDeps {
  readonly clock: Clock;
  readonly authorize: AuthorizeWallet;
  readonly openMessage: OpenMessage;
  readonly sign: SignCredentials;
  readonly complete: Issuances['complete'];
  readonly answer: AnswerCredentials;
  readonly answerPromise: AnswerPromise;
}

function readTransactionId(body: JsonObject): string {
  const transactionId = ownMember(body, 'transaction_id');
  if (typeof transactionId === 'string' && transactionId !== '') return transactionId;
  throw new OAuthError('invalid_credential_request', 'transaction_id_missing');
}

/** The keys of the promised credential; throws `invalid_transaction_id` for a promise that was not made, or was kept. */
function promisedKeys({ status, deferral }: Grant, transactionId: string): readonly PublicJwk[] {
  const { transaction } = deferral ?? {};
  const isOpen = transaction && status !== 'ISSUED' && constantTimeEqual(sha256(transactionId), transaction.digest);
  if (isOpen) return transaction.keys;
  throw new OAuthError('invalid_transaction_id', 'transaction_not_open');
}

/**
 * A wallet asks for the credential that it was promised (OpenID4VCI 1.0 §9). As long as the backend has not given the
 * claims, and when it replaces them just then, the promise is repeated; then the credential is signed for the keys of the first request, and the offer ends as
 * ISSUED. Throws an OAuthError: `invalid_transaction_id` for a promise of another token, or one that was kept;
 * `credential_request_denied` for one that cannot be kept any more.
 */
export function issueDeferredCredential(deps: IssueDeferredCredentialDeps) {
  return async function issueDeferredCredential(input: WalletMessage): Promise<CredentialAnswer> {
    const now = deps.clock();
    const grant = await deps.authorize({ ...input, endpoint: 'deferredCredential' }, now);
    const { body, encryption } = await deps.openMessage(input, now);
    const transactionId = readTransactionId(body);
    const keys = promisedKeys(grant, transactionId);
    const { claims, offerId, deferral } = grant;
    if (!claims) throw credentialDenied('offer_ended');
    if (deferral?.state === 'waiting') return deps.answerPromise(transactionId, encryption);
    const { credentials, entries, shortenedTo } = await deps.sign({ ...grant, claims }, keys, now);
    const event = issuanceEvent(offerId, 'ISSUED');
    const outcome = await deps.complete({ offer: grant, nonces: [], entries, shortenedTo, event, now });
    if (outcome === 'claims_changed') return deps.answerPromise(transactionId, encryption);
    if (outcome !== 'issued') throw new OAuthError('invalid_transaction_id', 'transaction_ended_meanwhile');
    return deps.answer({ offerId, credentials }, encryption);
  };
}
