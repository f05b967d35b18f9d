import type { CredentialAnswer } from '@vestibule/contracts';
import { constantTimeEqual } from '@vestibule/crypto';
import type { Clock } from '@vestibule/foundation';
import type { AuthorizedGrant } from '../domain/issuance';
import { digestOfTransaction, isKept } from '../domain/kept-answer';
import type { HandOut } from './answer-credential';
import type { AuthorizeWallet } from './authorize-wallet';
import type { CompleteIssuance } from './complete-issuance';
import { refuse } from './credential-refusals';
import type { GlimpseMessage } from './glimpse-message';
import type { PlainAnswer, RepeatAnswer } from './kept-answers';
import type { WalletMessage } from './open-message';
import type { PromiseCredential } from './promise-credential';
import type { ProveKeys } from './prove-keys';

export interface IssueCredentialDeps {
  readonly clock: Clock;
  readonly glimpse: GlimpseMessage;
  readonly authorize: AuthorizeWallet;
  readonly proveKeys: ProveKeys;
  readonly repeat: RepeatAnswer;
  readonly promise: PromiseCredential;
  readonly complete: CompleteIssuance;
  readonly handOut: HandOut;
}

/** Is it a promise that nothing can be collected for, because the offer was issued for the keys of another request? */
const leadsNowhere = (answer: PlainAnswer, { status, keptRequests }: AuthorizedGrant): boolean =>
  status === 'ISSUED' &&
  'transaction_id' in answer &&
  !isKept(keptRequests, digestOfTransaction(answer.transaction_id));

/** The grant as if no answer to this request were kept. */
const forgetting = (grant: AuthorizedGrant, requestDigest: Uint8Array): AuthorizedGrant => ({
  ...grant,
  keptRequests: grant.keptRequests.filter((kept) => !constantTimeEqual(kept, requestDigest)),
});

/**
 * A wallet requests the credential (OpenID4VCI 1.0 §8). Authorization comes first, then the request, the key proofs and
 * their nonces; used nonces are known since the grant was read. Then the credential is signed; the nonces are used up
 * and the claims deleted only with the commit of ISSUED. If the backend has not supplied the claims yet, the credential
 * is deferred for the proved keys and the nonces are used up. A repeated request for the same keys gets the same
 * answer, whatever its nonces, and changes nothing; so does one that comes at the same moment. If that answer is a promise
 * that leads nowhere, it is a new request. A wallet's mistake leaves the offer open; a failed signature ends it as FAILED.
 * Throws an OAuthError.
 */
export function issueCredential(deps: IssueCredentialDeps) {
  return async function issueCredential(input: WalletMessage): Promise<CredentialAnswer> {
    const now = deps.clock();
    const { open, nonces: presented } = await deps.glimpse(input, now);
    const grant = await deps.authorize({ ...input, endpoint: 'credential', nonces: presented }, now);
    const { body, encryption } = open();
    let proven = await deps.proveKeys(body, grant, now);
    let replaced: Uint8Array | undefined;
    if (proven.isRepeated) {
      const { requestDigest } = proven;
      const earlier = await deps.repeat({ grant, requestDigest, now });
      if (!earlier) return refuse(grant.claims ? 'answer_gone' : 'ended');
      if (!leadsNowhere(earlier.plain, grant))
        return deps.handOut(earlier.plain, encryption, { offerId: grant.offerId, isRepeated: true });
      proven = await deps.proveKeys(body, forgetting(grant, requestDigest), now);
      if (proven.isRepeated) return refuse('ended');
      replaced = earlier.sealedDigest;
    }
    const isReported = input.reportsHandOver === true;
    const order = { ...proven, grant, encryption, isDeferred: false, replaced, isReported, now };
    if (grant.deferral?.state === 'waiting') return deps.promise(order);
    const completed = await deps.complete(order);
    if (completed.outcome !== 'issued') return refuse(completed.outcome);
    return completed.answer;
  };
}
