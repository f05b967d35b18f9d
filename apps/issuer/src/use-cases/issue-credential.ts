import type { CredentialAnswer } from '@vestibule/contracts';
import type { Clock } from '@vestibule/foundation';
import { issuanceEvent } from '../domain/issuance-event';
import type { Issuances } from '../domain/ports';
import type { AnswerCredentials } from './answer-credential';
import type { AuthorizeWallet } from './authorize-wallet';
import { refuseUnless } from './credential-refusals';
import type { GlimpseMessage } from './glimpse-message';
import type { WalletMessage } from './open-message';
import type { PromiseCredential } from './promise-credential';
import type { ProveKeys } from './prove-keys';
import type { SignCredentials } from './sign-credentials';

export interface IssueCredentialDeps {
  readonly clock: Clock;
  readonly glimpse: GlimpseMessage;
  readonly authorize: AuthorizeWallet;
  readonly proveKeys: ProveKeys;
  readonly promise: PromiseCredential;
  readonly sign: SignCredentials;
  readonly complete: Issuances['complete'];
  readonly answer: AnswerCredentials;
}

/**
 * A wallet asks for the credential (OpenID4VCI 1.0 §8). Authorization first, then the request, the key proofs and their
 * nonces, of which a used one is known since the grant was read; then it is signed, and only with the commit of ISSUED the nonces are used up and the claims are gone. Where the
 * backend has yet to give the claims, the credential is promised for the proved keys and the nonces are used up. A
 * wallet's mistake leaves the offer open; what cannot be signed ends it as FAILED. Throws an OAuthError.
 */
export function issueCredential(deps: IssueCredentialDeps) {
  return async function issueCredential(input: WalletMessage): Promise<CredentialAnswer> {
    const now = deps.clock();
    const { open, nonces: presented } = await deps.glimpse(input, now);
    const grant = await deps.authorize({ ...input, endpoint: 'credential', nonces: presented }, now);
    const { body, encryption } = open();
    const { claims, keys, nonces } = await deps.proveKeys(body, grant, now);
    const { offerId, deferral } = grant;
    if (deferral?.state === 'waiting') return deps.promise({ offerId, keys, nonces, encryption, now });
    const { credentials, entries, shortenedTo } = await deps.sign({ ...grant, claims }, keys, now);
    const event = issuanceEvent(offerId, 'ISSUED');
    refuseUnless('issued', await deps.complete({ offer: grant, nonces, entries, shortenedTo, event, now }));
    return deps.answer({ offerId, credentials }, encryption);
  };
}
