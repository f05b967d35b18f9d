import type { CredentialAnswer } from '@vestibule/contracts';
import type { Clock } from '@vestibule/foundation';
import type { HandOut } from './answer-credential';
import type { AuthorizeWallet } from './authorize-wallet';
import type { CompleteIssuance } from './complete-issuance';
import { credentialDenied, refuse } from './credential-refusals';
import type { GlimpseMessage } from './glimpse-message';
import type { RepeatAnswer } from './kept-answers';
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

/**
 * A wallet asks for the credential (OpenID4VCI 1.0 §8). Authorization first, then the request, the key proofs and their
 * nonces, of which a used one is known since the grant was read; then it is signed, and only with the commit of ISSUED the nonces are used up and the claims are gone. Where the
 * backend has yet to give the claims, the credential is promised for the proved keys and the nonces are used up. A
 * request for the same keys that was answered before gets that answer again, whatever its nonces, and changes nothing. A
 * wallet's mistake leaves the offer open; what cannot be signed ends it as FAILED. Throws an OAuthError.
 */
export function issueCredential(deps: IssueCredentialDeps) {
  return async function issueCredential(input: WalletMessage): Promise<CredentialAnswer> {
    const now = deps.clock();
    const { open, nonces: presented } = await deps.glimpse(input, now);
    const grant = await deps.authorize({ ...input, endpoint: 'credential', nonces: presented }, now);
    const { body, encryption } = open();
    const proven = await deps.proveKeys(body, grant, now);
    const { requestDigest } = proven;
    if (proven.isRepeated) {
      const earlier = await deps.repeat({ grant, requestDigest, now });
      if (!earlier) throw credentialDenied('offer_ended');
      return deps.handOut(earlier, encryption, { offerId: grant.offerId, isRepeated: true });
    }
    const order = { ...proven, grant, encryption, isReported: input.reportsHandOver === true, now };
    if (grant.deferral?.state === 'waiting') return deps.promise(order);
    const completed = await deps.complete(order);
    if (completed.outcome !== 'issued') return refuse(completed.outcome);
    return completed.answer;
  };
}
