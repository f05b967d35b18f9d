import { resolveClaimPath, showClaimPath } from './claim-path';
import { CREDENTIAL_FORMATS } from './credential-formats';
import type { ClaimQuery, CredentialQuery } from './dcql-query';
import { dcqlFailure } from './failures';
import type { PresentedCredential } from './presented-credential';
import type { VctSubtypes } from './vct-subtypes';

type ClaimVerdict = 'satisfied' | 'claim_missing' | 'claim_value_not_accepted';

/**
 * The specification is silent on `values` with a path that selects several elements: one of them must match. Sets
 * compare by type and value: 1 is neither "1" nor true.
 */
function judgeClaim(claim: ClaimQuery, credential: PresentedCredential): ClaimVerdict {
  const selected = resolveClaimPath(credential.claims, claim.path);
  if (selected.length === 0) return 'claim_missing';
  if (claim.values === undefined) return 'satisfied';
  const accepted = new Set<unknown>(claim.values);
  return selected.some((value) => accepted.has(value)) ? 'satisfied' : 'claim_value_not_accepted';
}

/** One whole option of `claim_sets` must be there: halves of two options do not add up (OpenID4VP 1.0 §6.4.1). */
function matchClaims(query: CredentialQuery, credential: PresentedCredential): void {
  const verdicts = new Map(query.claims.map((claim) => [claim, judgeClaim(claim, credential)]));
  const isSatisfied = (claim: ClaimQuery) => verdicts.get(claim) === 'satisfied';
  if (query.claimOptions.some((option) => option.every(isSatisfied))) return;
  if (query.claimOptions.length !== 1) {
    throw dcqlFailure('claim_set_unsatisfied', `credential "${query.id}" satisfies none of its claim_sets`);
  }
  const failed = query.claimOptions[0]?.find((claim) => !isSatisfied(claim));
  const at = `claim ${showClaimPath(failed?.path ?? [])} of credential "${query.id}"`;
  const hasOtherValue = failed && verdicts.get(failed) === 'claim_value_not_accepted';
  if (hasOtherValue) throw dcqlFailure('claim_value_not_accepted', `${at} has none of the requested values`);
  throw dcqlFailure('claim_missing', `${at} was not disclosed`);
}

/** Some certificate of the chain must name some requested key: alternatives within an entry and among entries. */
function matchAuthorities(query: CredentialQuery, credential: PresentedCredential): void {
  if (query.trustedAuthorities.length === 0) return;
  const trusted = new Set(query.trustedAuthorities.flatMap((authority) => authority.values));
  if (credential.authorityKeyIdentifiers.some((identifier) => trusted.has(identifier))) return;
  throw dcqlFailure('authority_not_trusted', `credential "${query.id}" is from none of the requested authorities`);
}

/**
 * Checks one verified presentation against its credential query: type, authority, claims, values. Claims that were
 * not asked for are no failure. Throws `vct_not_requested`, `authority_not_trusted`, `claim_missing`,
 * `claim_value_not_accepted` or `claim_set_unsatisfied` (OpenID4VP 1.0 §6.1.1, §6.4.1, §8.6, appendix B.3.5).
 */
export function matchCredential(query: CredentialQuery, credential: PresentedCredential, subtypes: VctSubtypes): void {
  const format = CREDENTIAL_FORMATS.get(query.format);
  if (!format?.matchesMeta(query, credential, subtypes)) {
    throw dcqlFailure('vct_not_requested', `credential "${query.id}" is of a type that was not requested`);
  }
  matchAuthorities(query, credential);
  matchClaims(query, credential);
}
