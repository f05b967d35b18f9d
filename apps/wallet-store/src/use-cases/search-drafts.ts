import { draftSearchBody, type ResourceView } from '@vestibule/contracts';
import type { SearchDrafts } from '../domain/ports';
import { pageOf, parseSearch, type Condition, type Search } from '../domain/search';
import { authenticate, type AuthenticateDeps } from './authenticate';
import { pageAnswer, type ResourcePage, type SearchInput } from './read-schemas';
import { getDraft, type FindDraftDeps } from './change-draft';
import { draftView } from './write-draft';
import type { Caller } from './write-schema';

const STILL_DRAFT: Condition = { field: 'state', negated: false, values: ['draft'] };

/** Issued and abandoned ones are found only by an entry with a condition on the state. */
function onlyDrafts({ entries = [[]], ...search }: Search): Search {
  const asks = (entry: readonly Condition[]) => entry.some(({ field }) => field === 'state');
  return { ...search, entries: entries.map((entry) => (asks(entry) ? entry : [...entry, STILL_DRAFT])) };
}

export interface SearchDraftsDeps extends AuthenticateDeps {
  readonly searchDrafts: SearchDrafts;
}

/** The tenant's drafts. Throws `invalid_request`. */
export function searchDrafts(deps: SearchDraftsDeps) {
  return async function searchDrafts({ apiKeyDigest, version, body }: SearchInput): Promise<ResourcePage> {
    const tenant = await authenticate(deps, apiKeyDigest);
    const search = onlyDrafts(parseSearch('drafts', draftSearchBody, body));
    const { items, nextCursor } = pageOf(search, await deps.searchDrafts(tenant, search));
    return pageAnswer(
      items.map((item) => draftView(item, version)),
      nextCursor,
    );
  };
}

export interface ReadDraftDeps extends AuthenticateDeps, FindDraftDeps {}

/** One draft of the tenant in its latest revision, in any state. Throws `draft_not_found`. */
export function readDraft(deps: ReadDraftDeps) {
  return async function readDraft({
    apiKeyDigest,
    version,
    id,
  }: Caller & { readonly id: string }): Promise<ResourceView> {
    const tenant = await authenticate(deps, apiKeyDigest);
    return draftView(await getDraft(deps)(tenant, id), version);
  };
}
