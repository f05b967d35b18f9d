import { sha256Base64url } from '@vestibule/crypto';
import { DomainError } from '@vestibule/foundation';
import { OAuthError } from '@vestibule/oauth';
import type { PromisedKeys } from '../domain/issuance';
import type { CredentialOffers, Reports } from '../domain/ports';
import type { CompletedIssuance, CompleteIssuance, IssuanceOrder } from './complete-issuance';
import type { ConfirmAttestations } from './confirm-attestations';
import { credentialDenied } from './credential-refusals';
import { OTHER_TYPES } from './require-type';

export interface CompletePromisedDeps {
  readonly confirm: ConfirmAttestations;
  readonly complete: CompleteIssuance;
  readonly findView: CredentialOffers['findView'];
  readonly markUnserved: CredentialOffers['markUnserved'];
  readonly reportPostponed: Reports['reportPostponed'];
}

/** `postponed` if nothing stands against the credential but what may pass. */
export type CompletedPromise = CompletedIssuance | { readonly outcome: 'postponed' };

const POSTPONED = { outcome: 'postponed' } as const;

/** An offer that ended meanwhile: the credential is denied, unless another request has collected it. */
async function requireCollected({ findView }: CompletePromisedDeps, offerId: string): Promise<void> {
  const offer = await findView(offerId);
  if (offer?.view.status !== 'ISSUED') throw credentialDenied('offer_ended');
}

/**
 * Completes the issuance of a deferred credential, after the attestations of wallet and keys were looked at again. It is postponed while
 * that finds no final answer, while the device with the signing key is away, or while the type is not configured here as it
 * was: wallets take every error for final, also 503. If the offer expires meanwhile, its backend learns that a wallet came,
 * except where its attestation was suspended.
 * Throws `credential_request_denied` for an offer that ended without it, and as {@link CompleteIssuance} and
 * {@link ConfirmAttestations} do.
 */
export function completePromised(deps: CompletePromisedDeps) {
  const { confirm, complete, markUnserved, reportPostponed } = deps;
  return async function completePromised(order: IssuanceOrder & PromisedKeys): Promise<CompletedPromise> {
    const { grant, now } = order;
    const markCome = () =>
      markUnserved([{ by: 'token_digest', name: sha256Base64url(grant.accessToken), millisecondsAgo: 0 }], now);
    const passing = await confirm(order);
    if (passing) {
      reportPostponed(passing);
      const isSuspended = passing instanceof OAuthError && passing.reason === 'attestation_suspended';
      if (!isSuspended) await markCome();
      return POSTPONED;
    }
    try {
      const completed = await complete(order);
      if (completed.outcome === 'ended') await requireCollected(deps, grant.offerId);
      return completed;
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      const isOtherType = OTHER_TYPES.has(error.code);
      if (!isOtherType && error.code !== 'signer_unavailable') throw error;
      reportPostponed(error);
      if (isOtherType) await markCome();
      return POSTPONED;
    }
  };
}

export type CompletePromised = ReturnType<typeof completePromised>;
