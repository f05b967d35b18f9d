import { createSelection, resolveClaimPath, showClaimPath, type Selection } from './claim-path';
import { CREDENTIAL_FORMATS } from './credential-formats';
import type { ClaimQuery, CredentialQuery } from './dcql-query';
import { dcqlFailure } from './failures';
import type { PresentedCredential } from './presented-credential';
import { NO_SUBTYPES, type VctSubtypes } from './vct-subtypes';

type ClaimVerdict = 'satisfied' | 'claim_missing' | 'claim_value_not_accepted';

/** What matching one answer shares between its credentials: how much work is left, and sets that are made only once. */
export interface Matching {
  readonly selection: Selection;
  readonly subtypes: VctSubtypes;
  /** The values of a claim query as a set. */
  readonly accepted: Map<ClaimQuery, ReadonlySet<unknown>>;
  /** The key identifiers of a credential query as a set. */
  readonly authorities: Map<CredentialQuery, ReadonlySet<string>>;
}

/** For one answer, and thrown away with it. */
export const createMatching = (subtypes: VctSubtypes): Matching => ({
  selection: createSelection(),
  subtypes,
  accepted: new Map(),
  authorities: new Map(),
});

function remembered<Key, Value>(made: Map<Key, Value>, key: Key, make: () => Value): Value {
  const known = made.get(key) ?? make();
  made.set(key, known);
  return known;
}

/**
 * The specification is silent on `values` with a path that selects several elements: one of them must match. Sets
 * compare by type and value: 1 is neither "1" nor true.
 */
function judgeClaim(claim: ClaimQuery, credential: PresentedCredential, matching: Matching): ClaimVerdict {
  const selected = resolveClaimPath(credential.claims, claim.path, matching.selection);
  if (selected.length === 0) return 'claim_missing';
  const { values } = claim;
  if (values === undefined) return 'satisfied';
  const accepted = remembered(matching.accepted, claim, () => new Set<unknown>(values));
  return selected.some((value) => accepted.has(value)) ? 'satisfied' : 'claim_value_not_accepted';
}

/**
 * What a credential query asks of a credential that matches it: its `claims`, or with `claim_sets` the first combination
 * that is there as a whole, which is the preferred one; the query asks for one of them and not for several
 * (OpenID4VP 1.0 §6.4.1). What is not in it was not asked for.
 */
export function findRequestedClaims(query: CredentialQuery, credential: PresentedCredential): readonly ClaimQuery[] {
  const [only, ...others] = query.claimOptions;
  if (only && others.length === 0) return only;
  const matching = createMatching(NO_SUBTYPES);
  const verdicts = new Map<ClaimQuery, ClaimVerdict>();
  const isSatisfied = (claim: ClaimQuery) =>
    remembered(verdicts, claim, () => judgeClaim(claim, credential, matching)) === 'satisfied';
  return query.claimOptions.find((option) => option.every(isSatisfied)) ?? [];
}

/**
 * One whole option of `claim_sets` must be there: halves of two options do not add up (OpenID4VP 1.0 §6.4.1). Each claim
 * is looked up once at most, and none behind the first of an option that is not there.
 */
function matchClaims(query: CredentialQuery, credential: PresentedCredential, matching: Matching): void {
  const verdicts = new Map<ClaimQuery, ClaimVerdict>();
  const verdictOf = (claim: ClaimQuery) => remembered(verdicts, claim, () => judgeClaim(claim, credential, matching));
  const isSatisfied = (claim: ClaimQuery) => verdictOf(claim) === 'satisfied';
  if (query.claimOptions.some((option) => option.every(isSatisfied))) return;
  if (query.claimOptions.length !== 1) {
    throw dcqlFailure('claim_set_unsatisfied', `credential "${query.id}" satisfies none of its claim_sets`);
  }
  const failed = query.claimOptions[0]?.find((claim) => !isSatisfied(claim));
  const at = `claim ${showClaimPath(failed?.path ?? [])} of credential "${query.id}"`;
  const hasOtherValue = failed && verdictOf(failed) === 'claim_value_not_accepted';
  if (hasOtherValue) throw dcqlFailure('claim_value_not_accepted', `${at} has none of the requested values`);
  throw dcqlFailure('claim_missing', `${at} was not disclosed`);
}

/** Some certificate of the chain must name some requested key: alternatives within an entry and among entries. */
function matchAuthorities(query: CredentialQuery, credential: PresentedCredential, { authorities }: Matching): void {
  if (query.trustedAuthorities.length === 0) return;
  const make = () => new Set(query.trustedAuthorities.flatMap((authority) => authority.values));
  const trusted = remembered(authorities, query, make);
  if (credential.authorityKeyIdentifiers.some((identifier) => trusted.has(identifier))) return;
  throw dcqlFailure('authority_not_trusted', `credential "${query.id}" is from none of the requested authorities`);
}

/**
 * Checks one verified presentation against its credential query: type, authority, claims, values. Claims that were
 * not asked for are no failure. Throws `vct_not_requested`, `authority_not_trusted`, `claim_missing`,
 * `claim_value_not_accepted` or `claim_set_unsatisfied` (OpenID4VP 1.0 §6.1.1, §6.4.1, §8.6, appendix B.3.5), and
 * `selection_too_large` where the credentials of an answer together make the paths too expensive.
 */
export function matchCredential(query: CredentialQuery, credential: PresentedCredential, matching: Matching): void {
  const format = CREDENTIAL_FORMATS.get(query.format);
  if (!format?.matchesMeta(query, credential, matching.subtypes)) {
    throw dcqlFailure('vct_not_requested', `credential "${query.id}" is of a type that was not requested`);
  }
  matchAuthorities(query, credential, matching);
  matchClaims(query, credential, matching);
}
