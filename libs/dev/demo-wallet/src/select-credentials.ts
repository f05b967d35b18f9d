import { DcqlQuery, type DcqlQueryResult } from 'dcql';
import type { StoredCredential } from './credential-store';
import { isJsonObject, stringsAt, type JsonObject } from './json';
import type { PresentationOptions } from './presentation-options';
import { insist, WalletRefusal } from './refusal';

/** A path of OpenID4VP 1.0 §7: names, indexes, and null for all elements. */
export type ClaimPath = readonly (string | number | null)[];

/** One credential to present, and which parts of it. */
export interface Selection {
  readonly queryId: string;
  readonly credential: StoredCredential;
  readonly paths: readonly ClaimPath[];
  readonly holderBinding: boolean;
}

type CredentialQuery = DcqlQuery['credentials'][number];

// The library accepts a query without `meta` and one with repeated claim ids; OpenID4VP 1.0 §6.1 and B.3.5 do not.
function checkQuery(query: JsonObject): void {
  const entries: unknown = query['credentials'];
  insist(Array.isArray(entries) && entries.length > 0, 'dcql_invalid', 'the query requests no credential');
  for (const entry of entries as readonly unknown[]) {
    insist(isJsonObject(entry), 'dcql_invalid', 'a credential query is not an object');
    const { meta, claims } = entry;
    const typed = isJsonObject(meta) && stringsAt(meta, 'vct_values').length > 0;
    insist(entry['format'] === 'dc+sd-jwt' && typed, 'dcql_invalid', 'a query is not for dc+sd-jwt with vct_values');
    const all: readonly unknown[] = Array.isArray(claims) ? claims : [];
    const ids = all.flatMap((claim) => (isJsonObject(claim) && 'id' in claim ? [claim['id']] : []));
    insist(new Set(ids).size === ids.length, 'dcql_invalid', 'a claim id occurs twice');
  }
}

function parseQuery(query: JsonObject): DcqlQuery {
  checkQuery(query);
  try {
    const parsed = DcqlQuery.parse(query as DcqlQuery.Input);
    DcqlQuery.validate(parsed);
    return parsed;
  } catch (error) {
    throw new WalletRefusal('dcql_invalid', 'the DCQL query is not valid', error);
  }
}

function evaluate(query: DcqlQuery, held: readonly StoredCredential[]): DcqlQueryResult {
  const candidates = held.map(({ vct, claims, authorities, holderKey }) => ({
    credential_format: 'dc+sd-jwt' as const,
    vct,
    claims: JSON.parse(JSON.stringify(claims)),
    cryptographic_holder_binding: holderKey !== undefined,
    ...(authorities[0]
      ? {
          authority: {
            type: 'aki' as const,
            values: [authorities[0], ...authorities.slice(1)] as [string, ...string[]],
          },
        }
      : {}),
  }));
  return DcqlQuery.query(query, candidates);
}

function pathsOf(query: CredentialQuery, indexes: readonly number[] | undefined): ClaimPath[] {
  const claims = query.claims ?? [];
  const firstSet = query.claim_sets?.[0];
  const chosen = indexes
    ? claims.filter((_, index) => indexes.includes(index))
    : claims.filter((claim) => !firstSet || (claim.id !== undefined && firstSet.includes(claim.id)));
  return chosen.map((claim) => ('path' in claim ? (claim.path as ClaimPath) : []));
}

/** The ids to answer: all, or for each required credential set its first option that can be satisfied. */
function wantedIds(query: DcqlQuery, result: DcqlQueryResult, forced: ReadonlySet<string>): readonly string[] {
  const met = (id: string) => forced.has(id) || result.credential_matches[id]?.success === true;
  if (!query.credential_sets) return query.credentials.map(({ id }) => id);
  const options = query.credential_sets
    .filter((set) => set.required)
    .map((set) => set.options.find((option) => option.every(met)));
  const complete = options.every((option) => option !== undefined);
  insist(complete, 'no_matching_credential', 'a required credential set cannot be satisfied');
  return [...new Set(options.flatMap((option) => option ?? []))];
}

function matches(query: CredentialQuery, result: DcqlQueryResult, held: readonly StoredCredential[]): Selection[] {
  const match = result.credential_matches[query.id];
  insist(match?.success === true, 'no_matching_credential', 'the wallet holds no requested credential');
  const usable = query.multiple ? match.valid_credentials : match.valid_credentials.slice(0, 1);
  return usable.flatMap(({ input_credential_index, claims }) => {
    const credential = held[input_credential_index];
    if (!credential) return [];
    const paths = pathsOf(query, claims.valid_claim_sets[0]?.valid_claim_indexes ?? []);
    return [{ queryId: query.id, credential, paths, holderBinding: query.require_cryptographic_holder_binding }];
  });
}

/**
 * Chooses what to present (OpenID4VP 1.0 §6.4): the newest matching credential for each query, all matching ones if
 * `multiple` allows it, nothing for optional sets. Throws `dcql_invalid`, `no_matching_credential`,
 * `credential_not_held`.
 */
export function selectCredentials(
  dcqlQuery: JsonObject,
  stored: readonly StoredCredential[],
  options: PresentationOptions,
): Selection[] {
  const query = parseQuery(dcqlQuery);
  const held = [...stored].reverse();
  const result = evaluate(query, held);
  const forced = new Map(Object.entries(options.credentials ?? {}));
  const ids = wantedIds(query, result, new Set(forced.keys()));
  return query.credentials
    .filter(({ id }) => ids.includes(id))
    .flatMap((entry) => {
      const chosen = forced.get(entry.id);
      if (!chosen) return matches(entry, result, held);
      return chosen.map((credentialId) => {
        const credential = held.find(({ id }) => id === credentialId);
        insist(credential !== undefined, 'credential_not_held', 'there is no such credential');
        const holderBinding = entry.require_cryptographic_holder_binding;
        return { queryId: entry.id, credential, paths: pathsOf(entry, undefined), holderBinding };
      });
    });
}

const escaped = (text: string) => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');

/** The disclosures that a query needs: for each path those of its parents, of its end, and below it. */
export function requestedKeys(available: readonly string[], paths: readonly ClaimPath[]): string[] {
  const patterns = paths.map((path) => {
    const parts = path.map((part) => (part === null ? '\\d+' : escaped(String(part))));
    const parents = parts.map((_, index) => `(?:${parts.slice(0, index + 1).join('\\.')})`);
    return new RegExp(`^(?:${parents.join('|')}|${parts.join('\\.')}\\..*)$`);
  });
  return available.filter((key) => patterns.some((pattern) => pattern.test(key)));
}
