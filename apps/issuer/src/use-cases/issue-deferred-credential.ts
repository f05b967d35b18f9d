import type { CredentialAnswer } from '@vestibule/contracts';
import { constantTimeEqual, sha256 } from '@vestibule/crypto';
import { ownMember, type Clock, type JsonObject } from '@vestibule/foundation';
import { OAuthError } from '@vestibule/oauth';
import type { Grant, PromisedKeys } from '../domain/issuance';
import { digestOfTransaction, isKept } from '../domain/kept-answer';
import type { ComposePromise, EncryptAnswer, HandOut } from './answer-credential';
import type { AuthorizeWallet } from './authorize-wallet';
import type { CompletePromised } from './complete-promised';
import { credentialDenied } from './credential-refusals';
import type { RepeatAnswer } from './kept-answers';
import type { OpenMessage, WalletMessage } from './open-message';

export interface IssueDeferredCredentialDeps {
  readonly clock: Clock;
  readonly authorize: AuthorizeWallet;
  readonly openMessage: OpenMessage;
  readonly repeat: RepeatAnswer;
  readonly complete: CompletePromised;
  readonly composePromise: ComposePromise;
  readonly encryptAnswer: EncryptAnswer;
  readonly handOut: HandOut;
}

function readTransactionId(body: JsonObject): string {
  const transactionId = ownMember(body, 'transaction_id');
  if (typeof transactionId === 'string' && transactionId !== '') return transactionId;
  throw new OAuthError('invalid_credential_request', 'transaction_id_missing');
}

const notOpen = () => new OAuthError('invalid_transaction_id', 'transaction_not_open');

/** The keys of the deferred credential; throws `invalid_transaction_id` for an unknown deferral. */
function promisedKeys({ deferral }: Grant, transactionId: string): PromisedKeys {
  const { transaction } = deferral ?? {};
  const isPromised = transaction && constantTimeEqual(sha256(transactionId), transaction.digest);
  if (isPromised) return transaction;
  throw notOpen();
}

/**
 * A wallet requests the deferred credential (OpenID4VCI 1.0 §9). Until the backend has supplied the claims, or if it
 * replaces them at that moment, the deferral is repeated; likewise if the credential cannot be issued now for a reason
 * that may pass. Then the credential is signed for the keys of the first request, after their attestations and that of
 * the wallet were looked at again, and the offer ends as ISSUED. A repeated request gets the same answer while it is
 * kept; after that the transaction is closed. Throws an OAuthError: `invalid_transaction_id` for a deferral of another
 * token, or one that was fulfilled; `credential_request_denied` for one that cannot be fulfilled any more, or for a
 * wallet or keys that are not valid any more, which leaves the offer open.
 */
export function issueDeferredCredential(deps: IssueDeferredCredentialDeps) {
  return async function issueDeferredCredential(input: WalletMessage): Promise<CredentialAnswer> {
    const now = deps.clock();
    const grant = await deps.authorize({ ...input, endpoint: 'deferredCredential' }, now);
    const { body, encryption } = deps.openMessage(input, now);
    const transactionId = readTransactionId(body);
    const promised = promisedKeys(grant, transactionId);
    const requestDigest = digestOfTransaction(transactionId);
    if (grant.status === 'ISSUED') {
      const earlier = isKept(grant.keptRequests, requestDigest)
        ? await deps.repeat({ grant, requestDigest, now })
        : undefined;
      if (!earlier) throw notOpen();
      return deps.handOut(earlier.plain, encryption, { offerId: grant.offerId, isRepeated: true });
    }
    const { claims, deferral } = grant;
    if (!claims) throw credentialDenied('offer_ended');
    const promise = () => deps.encryptAnswer(deps.composePromise(transactionId), encryption);
    if (deferral?.state === 'waiting') return promise();
    const isReported = input.reportsHandOver === true;
    const order = {
      grant,
      claims,
      ...promised,
      nonces: [],
      requestDigest,
      encryption,
      isDeferred: true,
      isReported,
      now,
    };
    const completed = await deps.complete(order);
    if (completed.outcome === 'claims_changed' || completed.outcome === 'postponed') return promise();
    if (completed.outcome !== 'issued') throw new OAuthError('invalid_transaction_id', 'transaction_ended_meanwhile');
    return completed.answer;
  };
}
