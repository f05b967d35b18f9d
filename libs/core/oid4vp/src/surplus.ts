import { findCredentialQuery, findRequestedClaims } from '@vestibule/dcql';
import { compactClaims, deliveredClaims } from '@vestibule/sd-jwt-vc';
import type { Counts } from './checks';
import { presentationFailure } from './failures';
import { keepRequestedClaims, type RequestedClaims } from './requested-claims';
import type { PresentationExpectation, VerifiedPresentation } from './verify-presentation';

type Expected = Pick<PresentationExpectation, 'query' | 'surplusClaims'>;

/** An answer after its surplus was treated as the policy says. */
export interface Minimised {
  /** All presentations, with the claims that the backend may see. */
  readonly presentations: readonly VerifiedPresentation[];
  /** Those that the backend gets. */
  readonly delivered: readonly VerifiedPresentation[];
  readonly counts: Counts;
}

function requestedOf(presentation: VerifiedPresentation, { query }: Expected): RequestedClaims {
  const { credentialId, vct, issued, disclosed, authorityKeyIdentifiers } = presentation;
  if (disclosed.size === 0) return { issued, surplus: 0 };
  const credentialQuery = findCredentialQuery(query, credentialId);
  const credential = { vct, claims: issued, authorityKeyIdentifiers };
  const claims = credentialQuery ? findRequestedClaims(credentialQuery, credential) : [];
  const paths = claims.map(({ path }) => path);
  return keepRequestedClaims(issued, disclosed, paths);
}

function withClaims(presentation: VerifiedPresentation, issued: RequestedClaims['issued']): VerifiedPresentation {
  const claims = compactClaims(issued);
  return { ...presentation, issued, claims, deliveredClaims: deliveredClaims(claims) };
}

/**
 * Treats claims and credentials that were not requested as the policy says; the presentations satisfy the query. What was
 * plain stays, and what was disclosed and asked for. A credential that no satisfied set names was not asked for, unless it
 * confirms transaction data: then its key binding was.
 * Throws `surplus_claims` where the policy says `refuse` and there is any.
 */
export function minimise(
  verified: readonly VerifiedPresentation[],
  surplusCredentialIds: readonly string[],
  expected: Expected,
): Minimised {
  const policy = expected.surplusClaims ?? 'drop';
  const isSurplus = ({ credentialId, confirmed }: VerifiedPresentation) =>
    surplusCredentialIds.includes(credentialId) && confirmed.length === 0;
  const surplusCredentials = verified.filter(isSurplus).length;
  let surplusClaims = 0;
  const presentations = verified.map((presentation) => {
    const { issued, surplus } = requestedOf(presentation, expected);
    if (surplus === 0) return presentation;
    if (!isSurplus(presentation)) surplusClaims += surplus;
    return policy === 'deliver' ? presentation : withClaims(presentation, issued);
  });
  if (policy === 'refuse' && surplusClaims + surplusCredentials > 0) {
    const detail = `${surplusClaims} disclosures and ${surplusCredentials} presentations were not requested`;
    throw presentationFailure('surplus_claims', detail);
  }
  return {
    presentations,
    delivered: policy === 'deliver' ? presentations : presentations.filter((one) => !isSurplus(one)),
    counts: {
      ...(surplusClaims > 0 ? { surplusClaims } : {}),
      ...(surplusCredentials > 0 ? { surplusCredentials } : {}),
    },
  };
}
