import type { CredentialAnswer } from '@vestibule/contracts';
import { constantTimeEqual, sha256, type PublicJwk } from '@vestibule/crypto';
import { ownMember, type JsonObject } from '@vestibule/foundation';
import { OAuthError } from '@vestibule/oauth';
import { issuerEndpoints } from '@vestibule/oid4vci';
import { issuanceEvent } from '../domain/issuance-event';
import { answerCredentials, answerPromise, openMessage, type CredentialAnswerDeps } from './answer-credential';
import { authorizeWallet, type Grant } from './authorize-wallet';
import type { IssueCredentialDeps, WalletMessage } from './issue-credential';
import { credentialDenied, signOrFail } from './sign-credentials';

export type IssueDeferredCredentialDeps = IssueCredentialDeps & CredentialAnswerDeps;

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
export const issueDeferredCredential =
  (deps: IssueDeferredCredentialDeps) =>
  async (input: WalletMessage): Promise<CredentialAnswer> => {
    const now = deps.clock();
    const url = issuerEndpoints(deps.issuerUrl).deferredCredential;
    const grant = await authorizeWallet(deps, { ...input, url }, now);
    const { body, encryption } = await openMessage(deps, input, now);
    const transactionId = readTransactionId(body);
    const keys = promisedKeys(grant, transactionId);
    const { claims, offerId, deferral } = grant;
    if (!claims) throw credentialDenied('offer_ended');
    if (deferral?.state === 'waiting') return answerPromise(deps, transactionId, encryption);
    const { credentials, entries, shortenedTo } = await signOrFail(deps, { ...grant, claims }, keys, now);
    const event = issuanceEvent(offerId, 'ISSUED');
    const outcome = await deps.complete({ offer: grant, nonces: [], entries, shortenedTo, event, now });
    if (outcome === 'claims_changed') return answerPromise(deps, transactionId, encryption);
    if (outcome !== 'issued') throw new OAuthError('invalid_transaction_id', 'transaction_ended_meanwhile');
    return answerCredentials(deps, { offerId, credentials }, encryption);
  };
