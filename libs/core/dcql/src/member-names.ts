import { findProbableName, foldName, memberOf, refuse, warn, type JsonObject, type Place } from '@vestibule/foundation';

/** The members of each object of DCQL (OpenID4VP 1.0 §6, appendix B.3.5). */
export const MEMBERS = {
  query: ['credentials', 'credential_sets'],
  credential: [
    'id',
    'format',
    'multiple',
    'meta',
    'trusted_authorities',
    'require_cryptographic_holder_binding',
    'claims',
    'claim_sets',
  ],
  sdJwtVcMeta: ['vct_values'],
  claim: ['id', 'path', 'values'],
  authority: ['type', 'values'],
  credentialSet: ['options', 'required'],
} as const;

/** What each constraint is a member of: anywhere else it would silently constrain nothing. */
const HOMES: readonly (readonly [name: string, home: string])[] = [
  ['credentials', 'the query'],
  ['credential_sets', 'the query'],
  ['multiple', 'an entry of credentials'],
  ['trusted_authorities', 'an entry of credentials'],
  ['require_cryptographic_holder_binding', 'an entry of credentials'],
  ['claims', 'an entry of credentials'],
  ['claim_sets', 'an entry of credentials'],
  ['vct_values', 'meta of an entry of credentials'],
  ['values', 'an entry of claims'],
  ['options', 'an entry of credential_sets'],
  ['required', 'an entry of credential_sets'],
];

const HOME_BY_FOLDED_NAME: ReadonlyMap<string, string> = new Map(
  HOMES.map(([name, home]) => [foldName(name), `"${name}" is a member of ${home}`]),
);

/**
 * Checks the unknown members of this object. A near miss of a known name, or a constraint that belongs elsewhere, is a
 * fault: the wallet would ignore it, and it would not be enforced. Every other one is forwarded with a warning, as
 * OpenID4VP 1.0 §6 has unknown properties ignored.
 */
export function checkMemberNames(place: Place<JsonObject>, known: readonly string[]): void {
  for (const name of Object.keys(place.value)) {
    if (known.includes(name)) continue;
    const member = memberOf(place, name);
    const meant = findProbableName(name, known);
    const home = HOME_BY_FOLDED_NAME.get(foldName(name));
    if (meant !== undefined) refuse(member, `is not a member of DCQL; did you mean "${meant}"?`);
    else if (home !== undefined) refuse(member, `has no effect here; ${home}`);
    else warn(member, 'is not a member of DCQL; it is forwarded to the wallet and has no effect here');
  }
}
