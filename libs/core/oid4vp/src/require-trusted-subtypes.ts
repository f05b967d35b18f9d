import { isSubtypeOf, NO_SUBTYPES, type DcqlQuery } from '@vestibule/dcql';
import { ownMember } from '@vestibule/foundation';
import { matchesIntegrity } from '@vestibule/sd-jwt-vc';
import { presentationFailure } from './failures';
import type { IssuerTrust } from './issuer-trust';
import type { PresentationExpectation, VerifiedPresentation } from './verify-presentation';

function isTakenForSupertype(
  { credentialId, vct }: VerifiedPresentation,
  query: DcqlQuery,
  subtypes = NO_SUBTYPES,
): boolean {
  const wanted = query.credentials.find(({ id }) => id === credentialId)?.meta.vctValues ?? [];
  return !wanted.includes(vct) && wanted.some((type) => isSubtypeOf(subtypes, vct, type));
}

/** A credential that names no hash, or a type of which no document is kept, is of any. */
function isOfKeptMetadata({ vct, claims }: VerifiedPresentation, kept: IssuerTrust['typeDocuments']): boolean {
  const [integrity, document] = [ownMember(claims, 'vct#integrity'), kept?.get(vct)];
  return typeof integrity !== 'string' || document === undefined || matchesIntegrity(integrity, document);
}

/**
 * A credential of a subtype counts for a query of its supertype only if its issuer is trusted for the subtype, whatever the
 * trust policy reports: otherwise a chain that no anchor of the requested type certified would satisfy the query
 * (OpenID4VP 1.0 appendix B.3.5, SD-JWT VC §10.6). Only these credentials have an
 * entry of their own in the decision record. If it names the hash of its Type Metadata, and the operator keeps them, these
 * must be the same. Throws `subtype_issuer_untrusted` and `subtype_metadata_mismatch`.
 */
export function requireTrustedSubtypes(
  verified: readonly VerifiedPresentation[],
  { query, trust: { subtypes, typeDocuments }, checks }: PresentationExpectation,
): void {
  for (const presentation of verified) {
    if (!isTakenForSupertype(presentation, query, subtypes)) continue;
    const { credentialId: credential, trust } = presentation;
    checks.run({ check: 'vct_subtype', section: 'OpenID4VP 1.0 §B.3.5', credential }, () => {
      if (trust.supported && !trust.trusted) throw presentationFailure('subtype_issuer_untrusted');
      if (!isOfKeptMetadata(presentation, typeDocuments)) throw presentationFailure('subtype_metadata_mismatch');
    });
  }
}
