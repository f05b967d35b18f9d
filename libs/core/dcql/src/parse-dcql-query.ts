import {
  holdsObject,
  memberOf,
  readFlag,
  refuse,
  warn,
  type Fault,
  type Findings,
  type JsonObject,
  type Place,
} from '@vestibule/foundation';
import { DEFAULT_DCQL_LIMITS, type DcqlLimits } from './dcql-limits';
import type { CredentialQuery, CredentialSetQuery, DcqlQuery } from './dcql-query';
import { objectsOf, readIdLists, refuseRepeats, textsAmong } from './findings';
import { freezeJson } from './freeze-json';
import { checkMemberNames, MEMBERS } from './member-names';
import { readCredentialQuery } from './parse-credential-query';

/** The query and what may surprise its author, or everything that is wrong with it. */
export type DcqlParseResult =
  | { readonly ok: true; readonly query: DcqlQuery; readonly warnings: readonly Fault[] }
  | { readonly ok: false; readonly faults: readonly Fault[] };

/** The ids of `credentials` with their places; repeated ones are faults. */
function readIds(credentials: readonly Place<JsonObject>[]): ReadonlySet<string> {
  const ids = credentials.map((place) => memberOf(place, 'id'));
  refuseRepeats(
    ids.map((place) => ({ place, key: typeof place.value === 'string' ? place.value : undefined })),
    'must be unique among the credentials',
  );
  return textsAmong(ids.map((place) => place.value));
}

function readCredentialSet(place: Place<JsonObject>, known: ReadonlySet<string>): CredentialSetQuery {
  checkMemberNames(place, MEMBERS.credentialSet);
  return {
    required: readFlag(memberOf(place, 'required')) ?? true,
    options: readIdLists(memberOf(place, 'options'), known, 'must be the id of a credential of this query'),
  };
}

function readCredentialSets(place: Place, known: ReadonlySet<string>): CredentialSetQuery[] | undefined {
  if (place.value === undefined) return undefined;
  const sets = objectsOf(place).map((item) => readCredentialSet(item, known));
  const named = new Set(sets.flatMap((set) => set.options.flat()));
  for (const id of known) {
    if (!named.has(id)) warn(place, `does not contain the credential "${id}", so it is not requested`);
  }
  return sets;
}

function readQuery(root: Place<JsonObject>, limits: DcqlLimits): DcqlQuery {
  checkMemberNames(root, MEMBERS.query);
  const credentialsPlace = memberOf(root, 'credentials');
  const places = objectsOf(credentialsPlace);
  if (places.length > limits.maxCredentials) {
    refuse(credentialsPlace, `must not have more than ${limits.maxCredentials} entries`);
  }
  const credentials: CredentialQuery[] = places.map((place) => readCredentialQuery(place, limits));
  const credentialSets = readCredentialSets(memberOf(root, 'credential_sets'), readIds(places));
  return { source: root.value, credentials, credentialSets };
}

/**
 * Reads a DCQL query (OpenID4VP 1.0 §6, §7, appendix B.3.5) from a backend: the query, or every fault with its path
 * below `at` (`credentials[0].claims[2].path[1]`). Never throws on plain data. Accepted are all of DCQL for the format `dc+sd-jwt`,
 * `trusted_authorities` of type `aki`, and unknown members that cannot be a slip (see {@link checkMemberNames}).
 * Warnings point at what a wallet would ignore or not need.
 */
export function parseDcqlQuery(
  value: unknown,
  limits: DcqlLimits = DEFAULT_DCQL_LIMITS,
  at: string = '',
): DcqlParseResult {
  const frozen = freezeJson(value, limits, at);
  if (frozen.faults.length > 0) return { ok: false, faults: frozen.faults };
  const findings: Findings = { faults: [], warnings: [] };
  const root: Place = { value: frozen.value, path: at, findings };
  if (!holdsObject(root)) return { ok: false, faults: findings.faults };
  const query = readQuery(root, limits);
  return findings.faults.length > 0
    ? { ok: false, faults: findings.faults }
    : { ok: true, query, warnings: findings.warnings };
}
