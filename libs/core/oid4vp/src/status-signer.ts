import type { KeyObject } from 'node:crypto';
import { ownMember, type JsonObject } from '@vestibule/foundation';
import { selectIssuerKey } from '@vestibule/sd-jwt-vc';
import { applyTrustPolicy, isAnchorNeeded, maySignStatusOf, type VerifiedChain } from '@vestibule/x509-trust';
import { presentationFailure } from './failures';
import { knowingLists, type IssuerTrust } from './issuer-trust';
import type { VerifiedPresentation } from './verify-presentation';

/**
 * Who may sign the status lists of an issuer with a certificate, besides authorities for status alone. `authority`: a
 * signer with the issuer's key or with a certificate of its authority; `issuer`: the latter only with the issuer's name.
 */
export const STATUS_SIGNERS = ['authority', 'issuer'] as const;

/** Trust, and who may sign status lists; by default those with a certificate of the issuer's authority, too. */
export type SignerTrust = IssuerTrust & { readonly statusSigners?: (typeof STATUS_SIGNERS)[number] };

/** A list may serve credentials of several types, and the anchors of one say nothing about another. */
const SIGNER = { purpose: 'status', judgesAnchorLater: true } as const;

/**
 * The key in the header of a status list token, after its chain was validated; whose list it may be is not decided, nor which
 * anchor vouches for it: see {@link authoriseStatusSigner}.
 */
export function statusSignerKey(header: JsonObject, { chains, policy, covered }: IssuerTrust, now: Date): KeyObject {
  const needsAnchor = isAnchorNeeded({ policy, anchors: chains.anchors, covered, purpose: SIGNER.purpose });
  return chains.verify(ownMember(header, 'x5c'), { ...SIGNER, now, needsAnchor }).leaf.publicKey;
}

/** Until when the chain in the header of a status list token holds: the end of the first of its certificates. */
export function statusSignerValidUntil(header: JsonObject, trust: IssuerTrust, now: Date): Date {
  const { chain } = trust.chains.verify(ownMember(header, 'x5c'), { ...SIGNER, now });
  return new Date(Math.min(...chain.map(({ notAfter }) => notAfter.getTime())));
}

/** How signers of lists are judged whose issuers lead to no anchor: as these issuers are. */
export function unvouched(trust: IssuerTrust): IssuerTrust {
  return trust.policy === 'auto' ? { ...trust, policy: 'report' } : trust;
}

/**
 * Decides whether the signer of a verified status list may sign for the issuer of a credential. If the credential leads
 * to an anchor, the signer must be trusted for status under the same policy, and have the same key or the same issuing
 * authority as the credential's (and, with `statusSigners: 'issuer'`, the same subject), or be below an anchor that the
 * operator trusts only for status. If the issuer is identified by its metadata, the signer must be one of its keys;
 * certificates are ignored. Returns the signer's chain, if it has one. Throws the failures of the chain,
 * `untrusted_issuer`, `status_signer_not_authorised`, `issuer_key_not_found` and `trusted_list_unavailable`.
 */
export function authoriseStatusSigner(
  header: JsonObject,
  presentation: Pick<VerifiedPresentation, 'signedBy' | 'vct'>,
  trust: SignerTrust,
  now: Date,
): VerifiedChain | undefined {
  const { signedBy } = presentation;
  if (signedBy.method === 'metadata') {
    selectIssuerKey(signedBy.keys, header);
    return undefined;
  }
  const scope = { purpose: 'status' as const, vct: presentation.vct };
  const signer = trust.chains.verify(ownMember(header, 'x5c'), { now, ...scope });
  const { chain } = signedBy;
  const { covered } = trust;
  const { anchors } = trust.chains;
  // If the policy accepts an untrusted issuer, its lists are untrusted as well.
  const { policy } = chain.anchor ? trust : unvouched(trust);
  knowingLists(trust, scope, () => applyTrustPolicy(signer, { policy, anchors, covered, ...scope }));
  const issued = { purpose: 'credential' as const, vct: presentation.vct };
  const needsSubject = trust.statusSigners === 'issuer';
  const isAuthorised = maySignStatusOf(chain, signer, { anchors, issued, needsSubject });
  if (!isAuthorised) throw presentationFailure('status_signer_not_authorised');
  return signer;
}
