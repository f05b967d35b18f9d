import type { JsonObject } from '@vestibule/foundation';
import { memberOf, refuse, warn, type Place } from './findings';

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

function foldName(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, '');
}

const HOME_BY_FOLDED_NAME: ReadonlyMap<string, string> = new Map(
  HOMES.map(([name, home]) => [foldName(name), `"${name}" is a member of ${home}`]),
);

const FOLDED_MEMBERS: ReadonlyMap<string, string> = new Map(
  Object.values(MEMBERS)
    .flat()
    .map((name) => [name, foldName(name)]),
);

/** Short names differ by little from anything, so they allow fewer slips. */
function allowedSlips(length: number): number {
  if (length < 4) return 0;
  if (length < 6) return 1;
  return length < 12 ? 2 : 3;
}

/** Insertions, deletions and replacements that turn one text into the other; Infinity beyond what is allowed. */
function countSlips(left: string, right: string, allowed: number): number {
  let start = 0;
  while (start < left.length && left[start] === right[start]) start += 1;
  const [a, b] = [left.slice(start), right.slice(start)];
  if (a.length === 0 || b.length === 0) return a.length + b.length;
  if (Math.abs(a.length - b.length) > allowed || allowed === 0) return Infinity;
  const inserted = countSlips(a, b.slice(1), allowed - 1);
  const removed = countSlips(a.slice(1), b, allowed - 1);
  return 1 + Math.min(inserted, removed, countSlips(a.slice(1), b.slice(1), allowed - 1));
}

/**
 * The known name that `name` was probably meant to be: the same but for case and punctuation, or a few slips away
 * (none below four letters, one below six, two below twelve, then three, which covers `trusted_authority`).
 */
export function findNearMiss(name: string, known: readonly string[]): string | undefined {
  const folded = foldName(name);
  let best: { candidate: string; distance: number } | undefined;
  for (const candidate of known) {
    const target = FOLDED_MEMBERS.get(candidate) ?? foldName(candidate);
    const slips = allowedSlips(target.length);
    if (Math.abs(target.length - folded.length) > slips) continue;
    const distance = countSlips(folded, target, slips);
    if (distance <= slips && distance < (best?.distance ?? Infinity)) best = { candidate, distance };
  }
  return best?.candidate;
}

/**
 * Looks at the members that this object is not known to have. A near miss of a known one, or a constraint that belongs
 * elsewhere, is a fault: the wallet would ignore it and nobody would enforce it. Every other one is forwarded, as
 * OpenID4VP 1.0 §6 has unknown properties ignored, with a warning.
 */
export function checkMemberNames(place: Place<JsonObject>, known: readonly string[]): void {
  for (const name of Object.keys(place.value)) {
    if (known.includes(name)) continue;
    const member = memberOf(place, name);
    const meant = findNearMiss(name, known);
    const home = HOME_BY_FOLDED_NAME.get(foldName(name));
    if (meant !== undefined) refuse(member, `is not a member of DCQL; did you mean "${meant}"?`);
    else if (home !== undefined) refuse(member, `has no effect here; ${home}`);
    else warn(member, 'is not a member of DCQL; it is forwarded to the wallet and has no effect here');
  }
}
