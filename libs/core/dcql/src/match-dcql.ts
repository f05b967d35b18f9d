import type { CredentialQuery, DcqlQuery } from './dcql-query';
import { dcqlFailure } from './failures';
import { createMatching, matchCredential, type Matching } from './match-credential';
import type { PresentedCredential } from './presented-credential';
import { NO_SUBTYPES, type VctSubtypes } from './vct-subtypes';

/** What a satisfied query leaves to say. */
export interface DcqlMatch {
  /** Credentials that were presented although no satisfied set names them: to be accepted, and worth a log line. */
  readonly surplusCredentialIds: readonly string[];
}

type Presented = ReadonlyMap<string, readonly PresentedCredential[]>;

function matchEntry(query: CredentialQuery, credentials: readonly PresentedCredential[], matching: Matching): void {
  if (credentials.length === 0) {
    throw dcqlFailure('presentations_malformed', `no presentation was sent for credential "${query.id}"`);
  }
  if (credentials.length > 1 && !query.multiple) {
    throw dcqlFailure('too_many_presentations', `several presentations were sent for credential "${query.id}"`);
  }
  for (const credential of credentials) matchCredential(query, credential, matching);
}

function requireAll(query: DcqlQuery, presented: Presented): void {
  const missing = query.credentials.find((credential) => !presented.has(credential.id));
  if (missing) throw dcqlFailure('credential_missing', `credential "${missing.id}" was not presented`);
}

/** Every required set needs one option as a whole; a credential that no set names is not asked for (§6.4.2). */
function matchSets(query: DcqlQuery, presented: Presented): DcqlMatch {
  if (query.credentialSets === undefined) {
    requireAll(query, presented);
    return { surplusCredentialIds: [] };
  }
  const useful = new Set<string>();
  for (const [index, set] of query.credentialSets.entries()) {
    const satisfied = set.options.filter((option) => option.every((id) => presented.has(id)));
    if (set.required && satisfied.length === 0) {
      throw dcqlFailure(
        'credential_set_unsatisfied',
        `no option of credential_sets[${index}] was presented completely`,
      );
    }
    for (const id of satisfied.flat()) useful.add(id);
  }
  return { surplusCredentialIds: [...presented.keys()].filter((id) => !useful.has(id)) };
}

/**
 * Decides whether verified presentations satisfy the query that was signed (OpenID4VP 1.0 §6.4, §8.6): the wallet's
 * own selection has no effect. Every presentation must match its credential query, the surplus ones too. Holder
 * binding and the issuer's trust are decided elsewhere. Types match exactly unless `subtypes` says otherwise.
 * Throws the codes of {@link matchCredential}, and `credential_not_requested`, `presentations_malformed`,
 * `too_many_presentations`, `credential_missing` or `credential_set_unsatisfied`.
 */
export function matchDcql(query: DcqlQuery, presented: Presented, subtypes: VctSubtypes = NO_SUBTYPES): DcqlMatch {
  const known = new Set(query.credentials.map((credential) => credential.id));
  for (const id of presented.keys()) {
    if (!known.has(id)) throw dcqlFailure('credential_not_requested');
  }
  const matching = createMatching(subtypes);
  for (const credential of query.credentials) {
    const credentials = presented.get(credential.id);
    if (credentials) matchEntry(credential, credentials, matching);
  }
  return matchSets(query, presented);
}
