import type { Clock, RandomBytes } from '@vestibule/foundation';
import type { FindContext, KnownContexts } from '@vestibule/vcdm';
import type { Schemas } from './domain/claims-schemas';
import type { Drafts } from './domain/drafts';
import { isOwnContext } from './domain/own-contexts';
import type { AuthenticateDeps } from './use-cases/authenticate';
import { findWallet, type FindWalletDeps } from './use-cases/find-wallet';
import type { SigningDeps } from './use-cases/issue-draft';
import { getClaimValues, issueTypedDraft } from './use-cases/issue-typed-draft';
import { publishSchema } from './use-cases/publish-schema';
import {
  findDefinition,
  findPublishedContext,
  getPublishedSchema,
  searchPublishedSchemas,
  searchSchemas,
} from './use-cases/read-schemas';
import { searchDrafts, type SearchDraftsDeps } from './use-cases/search-drafts';
import type { UnderstandingDeps } from './use-cases/understanding';
import { abandonTypedDraft, createDraft, updateDraft } from './use-cases/write-draft';
import { createSchema, updateSchema } from './use-cases/write-schema';

/** The outside world as schemas and drafts need it. */
export interface SchemaAdapters {
  readonly clock: Clock;
  readonly random: RandomBytes;
  /** Where the public documents are; every address is built from it. */
  readonly baseUrl: string;
  readonly tenants: AuthenticateDeps;
  readonly wallets: Omit<FindWalletDeps, 'clock' | 'random'> & Pick<SigningDeps, 'findEntityKey'>;
  readonly drafts: Drafts;
  readonly schemas: Schemas;
  readonly searchDrafts: SearchDraftsDeps['searchDrafts'];
  /** Contexts beyond the bundled ones and those of published schemas. */
  readonly findContext: FindContext;
  readonly canonicalizeFor: UnderstandingDeps['canonicalizeFor'];
}

/** The stores' functions as the use cases name them. */
function boundStores({ tenants, wallets, drafts, schemas }: SchemaAdapters) {
  return {
    findTenant: tenants.findTenant.bind(tenants),
    ownsWallet: wallets.ownsWallet.bind(wallets),
    findDefaultWallet: wallets.findDefaultWallet.bind(wallets),
    insertDefaultWallet: wallets.insertDefaultWallet.bind(wallets),
    findEntityKey: wallets.findEntityKey.bind(wallets),
    insertDraft: drafts.insertDraft.bind(drafts) as Drafts['insertDraft'],
    findDraft: drafts.findDraft.bind(drafts),
    replaceDraft: drafts.replaceDraft.bind(drafts),
    insertSchema: schemas.insertSchema.bind(schemas) as Schemas['insertSchema'],
    findSchema: schemas.findSchema.bind(schemas),
    replaceSchema: schemas.replaceSchema.bind(schemas),
    publishSchema: schemas.publishSchema.bind(schemas),
    searchSchemas: schemas.searchSchemas.bind(schemas),
    searchPublished: schemas.searchPublished.bind(schemas),
    findPublished: schemas.findPublished.bind(schemas),
  };
}

/** The use cases of schemas and drafts over the given adapters. */
export function composeSchemas(adapters: SchemaAdapters) {
  const { clock, random, baseUrl, searchDrafts: search, canonicalizeFor } = adapters;
  const stores = { ...boundStores(adapters), clock, random, baseUrl };
  const publishedContext = findPublishedContext(stores);
  const contexts: KnownContexts = {
    find: async (url) => (await publishedContext(url)) ?? adapters.findContext(url),
    isOwn: isOwnContext(baseUrl),
  };
  const deps = {
    ...stores,
    searchDrafts: search,
    findWallet: findWallet(stores),
    findDefaultEntity: async (tenant: string) => (await findWallet(stores)(tenant, {})).entityDid,
    findDefinition: findDefinition(stores),
    contexts,
    canonicalizeFor,
  };
  return {
    contexts,
    createSchema: createSchema(deps),
    updateSchema: updateSchema(deps),
    publishSchema: publishSchema(deps),
    searchSchemas: searchSchemas(deps),
    searchPublishedSchemas: searchPublishedSchemas(deps),
    getPublishedSchema: getPublishedSchema(deps),
    createDraft: createDraft(deps),
    updateDraft: updateDraft(deps),
    searchDrafts: searchDrafts(deps),
    issueDraft: issueTypedDraft(deps),
    abandonDraft: abandonTypedDraft(deps),
    getClaimValues: getClaimValues(deps),
  };
}
