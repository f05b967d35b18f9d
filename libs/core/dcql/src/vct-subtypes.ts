import {
  elementsOf,
  isJsonObject,
  memberPath,
  refuse,
  type Fault,
  type Findings,
  type JsonValue,
  type Place,
} from '@vestibule/foundation';
import { readText } from './findings';

/** For each locally configured type, every type that it inherits from, directly or not. */
export type VctSubtypes = ReadonlyMap<string, ReadonlySet<string>>;

/** The default: a credential must have exactly the type that was asked for. */
export const NO_SUBTYPES: VctSubtypes = new Map();

/** The types that can be reached from `vct` over parents; contains `vct` itself only if the parents form a cycle. */
function reachableFrom(vct: string, parents: ReadonlyMap<string, readonly string[]>): ReadonlySet<string> {
  const reached = new Set<string>(parents.get(vct));
  for (const type of reached) {
    for (const parent of parents.get(type) ?? []) reached.add(parent);
  }
  return reached;
}

/** How many types one type may inherit from: bounds the length of a chain too. */
const MAX_SUPERTYPES = 16;

function readParents(place: Place): readonly string[] {
  return typeof place.value === 'string' ? [readText(place)] : elementsOf(place).map(readText);
}

/**
 * Reads an operator's map from a type to the type, or the types, that it extends:
 * `{"urn:child": "urn:parent", "urn:other": ["urn:parent"]}`. A cycle is a fault, and so are more than
 * {@link MAX_SUPERTYPES} types above one. The map determines which types satisfy a query, not who may issue them
 * (OpenID4VP 1.0 appendix B.3.5).
 */
export function parseVctSubtypes(
  value: unknown,
  at = '',
): { readonly ok: true; readonly subtypes: VctSubtypes } | { readonly ok: false; readonly faults: readonly Fault[] } {
  const findings: Findings = { faults: [], warnings: [] };
  if (!isJsonObject(value)) return { ok: false, faults: [{ path: at, message: 'must be an object' }] };
  const placeOf = (vct: string) => ({ value: value[vct] as JsonValue, path: memberPath(at, vct), findings });
  const parents = new Map(Object.keys(value).map((vct) => [vct, readParents(placeOf(vct))]));
  const subtypes = new Map([...parents.keys()].map((vct) => [vct, reachableFrom(vct, parents)]));
  for (const [vct, reached] of subtypes) {
    if (reached.has(vct)) refuse(placeOf(vct), 'must not inherit from itself, directly or indirectly');
    else if (reached.size > MAX_SUPERTYPES) {
      refuse(placeOf(vct), `must not inherit from more than ${MAX_SUPERTYPES} types, directly or indirectly`);
    }
  }
  return findings.faults.length > 0 ? { ok: false, faults: findings.faults } : { ok: true, subtypes };
}

/** True when `vct` is `wanted` or inherits from it according to the map. */
export function isSubtypeOf(subtypes: VctSubtypes, vct: string, wanted: string): boolean {
  return vct === wanted || (subtypes.get(vct)?.has(wanted) ?? false);
}
