import { Module, type Provider } from '@nestjs/common';
import { sha256, type Sealer } from '@vestibule/crypto';
import { countedUses, createEgress, measuredFetches, type Egress } from '@vestibule/egress';
import { DATABASE, IDEMPOTENCY, SEALER, type Database, type Idempotency } from '@vestibule/persistence';
import {
  createRequestId,
  createTimer,
  PROCESS,
  type Configuration,
  type ProcessContext,
  type Timer,
  randomBytes,
  withRequestContext,
} from '@vestibule/process';
import type { FindTexts, KnownContexts } from '@vestibule/vcdm';
import { readContextFile } from './adapters/files/context-file';
import { textsOf } from './adapters/files/document-file';
import { readJsonSchemaFile } from './adapters/files/json-schema-file';
import { StatusListCredentials } from './adapters/http/status-list-credentials';
import { createValidator } from './adapters/json-schemas/validate-document';
import { TENANTS } from './adapters/nats/keys.controller';
import { createContentStore } from './adapters/postgres/content.store';
import { draftSearch } from './adapters/postgres/draft-search';
import { createDraftStore } from './adapters/postgres/draft.store';
import { createIssuedStore } from './adapters/postgres/issued.store';
import { createSchemaStore } from './adapters/postgres/schema.store';
import { createStatusListStore } from './adapters/postgres/status-list.store';
import { shareAmongTenants } from './adapters/postgres/tenant-scope';
import { createTenantStore } from './adapters/postgres/tenant.store';
import { createWalletStore } from './adapters/postgres/wallet.store';
import { createCanonicalizer, type Canonicalizer } from './adapters/threads/canonicalizer';
import type { walletStoreConfiguration } from './config';
import { isOwnContext } from './domain/own-contexts';
import type { CredentialStatuses, JsonSchemas, Schemas, Tenants, Understand, Wallets } from './domain/ports';
import type { Asker, TenantId } from './domain/records';
import { findWallet } from './use-cases/find-wallet';
import { SKEW_SECONDS } from './use-cases/import-credential';
import { withOwnStatusLists } from './use-cases/status-list-credential';
import type { ContextsFor } from './use-cases/validate-credential';
import { findPublishedContext, findPublishedJsonSchema, findPublishedText } from './use-cases/read-schemas';

type Process = ProcessContext<Configuration<typeof walletStoreConfiguration>>;

const PURGE_MILLISECONDS = 60_000;
const PURGE_BATCH = 1_000;
const clock = () => new Date();

export { TENANTS };
export const WALLETS = Symbol('wallets');
export const CREDENTIALS = Symbol('credentials');
export const PRESENTATIONS = Symbol('presentations');
export const DRAFTS = Symbol('drafts');
export const PRESENTATION_DRAFTS = Symbol('drafts of presentations');
export const DRAFT_SEARCH = Symbol('search for drafts');
export const ISSUED = Symbol('issued documents');
export const SCHEMAS = Symbol('schemas');
export const CREDENTIAL_STATUSES = Symbol('credential statuses');
export const CANONICALIZER = Symbol('canonicalizer');
export const CONTEXTS = Symbol('contexts');
export const JSON_SCHEMAS = Symbol('JSON Schemas');
export const EGRESS = Symbol('egress');
export const UNDERSTAND = Symbol('understand');
export const PURGE = Symbol('purge');

async function tenants({ configuration }: Process, database: Database): Promise<Tenants> {
  shareAmongTenants(database, configuration.databasePoolSize);
  const store = createTenantStore(database);
  const { firstApiKey } = configuration;
  if (firstApiKey !== undefined) {
    const context = { requestId: createRequestId(), actor: 'configuration' };
    await withRequestContext(context, () => store.install('default', sha256(firstApiKey)));
  }
  return store;
}

/**
 * The canonicalization threads; they end after the bus, so that requests already accepted are still answered. One is started now,
 * since a service whose documents would all fail must not start.
 */
async function canonicalizer({ logger, readiness }: Process): Promise<Canonicalizer> {
  const threads = createCanonicalizer({ logger });
  await threads.start();
  readiness.require('threads', () => threads.isReady());
  return threads;
}

/** The contexts that documents may have: those of published schemas, and those that the operator allows. */
async function contexts({ configuration }: Process, { findPublished }: Schemas): Promise<ContextsFor> {
  const { baseUrl, contextFile } = configuration;
  const allowed = await readContextFile(contextFile);
  const isOwn = isOwnContext(baseUrl);
  return (asker) => {
    const published = findPublishedContext({ baseUrl, findPublished }, asker);
    const publishedText = findPublishedText({ baseUrl, findPublished }, asker);
    return {
      find: async (url) => (await published(url)) ?? allowed.get(url),
      isOwn,
      async findTexts(url) {
        const [served, listed] = [await publishedText(url), allowed.get(url)];
        return served === undefined ? (listed ? textsOf(listed) : []) : [served];
      },
    };
  };
}

/** The JSON Schemas of published schemas, and those that the operator lists. */
async function jsonSchemas({ configuration }: Process, { findPublished }: Schemas): Promise<JsonSchemas> {
  const { baseUrl, jsonSchemaFile, unknownJsonSchemas } = configuration;
  const listed = await readJsonSchemaFile(jsonSchemaFile);
  const published = findPublishedJsonSchema({ baseUrl, findPublished });
  return {
    find: async (asker, url) => listed.get(url) ?? (await published(asker, url)),
    acceptsUnknown: unknownJsonSchemas === 'accept',
    validate: createValidator(),
  };
}

/** Related resources of documents may be JSON Schemas, too. */
function resourcesOf(contextsFor: ContextsFor, schemas: JsonSchemas, asker: Asker): KnownContexts {
  const known = contextsFor(asker);
  const findTexts: FindTexts = async (url) => {
    const texts = await known.findTexts(url);
    const schema = texts.length === 0 ? await schemas.find(asker, url) : undefined;
    return schema ? textsOf(schema) : texts;
  };
  return { ...known, findTexts };
}

/** Status lists of others are canonicalized and understood as those of one tenant, so that they cannot occupy everything. */
const LISTS = 'status lists';

function understanding(
  ...[{ configuration, metrics }, contextsFor, schemas, threads, egress, statuses]: Understanding
): Understand {
  const understand = (tenant: TenantId) => ({
    contexts: resourcesOf(contextsFor, schemas, tenant),
    canonicalize: threads.canonicalizeFor(tenant),
  });
  const lists = new StatusListCredentials({
    egress,
    clock,
    onUse: countedUses(metrics, 'status-lists'),
    skewSeconds: SKEW_SECONDS,
    hosts: configuration.credentialStatusHosts ?? [],
    issuers: configuration.credentialStatusIssuers ?? [],
    understand: () => understand(LISTS),
  });
  const own = { baseUrl: configuration.baseUrl, clock, findList: statuses.findList };
  return (tenant) => ({ ...understand(tenant), statusLists: withOwnStatusLists(own, tenant, lists.forCall()) });
}

function egress({ configuration, metrics }: Process): Egress {
  const { egressDevelopmentHosts = [], egressProxies: proxies } = configuration;
  return createEgress({
    allowDevelopmentHosts: egressDevelopmentHosts,
    proxies,
    observe: measuredFetches(metrics),
  });
}

function purge({ logger }: Process, calls: Idempotency): Timer {
  const run = async () => void (await calls.purge(PURGE_BATCH));
  return createTimer({ name: 'purge', everyMilliseconds: PURGE_MILLISECONDS, logger, run });
}

type Understanding = [
  process: Process,
  contextsFor: ContextsFor,
  schemas: JsonSchemas,
  threads: Canonicalizer,
  egress: Egress,
  statuses: CredentialStatuses,
];
type Stored = [database: Database, sealer: Sealer, idempotency: Idempotency];
const STORED = [DATABASE, SEALER, IDEMPOTENCY];

const contentStore = (kind: 'credential' | 'presentation') => (database: Database, sealer: Sealer) =>
  createContentStore(database, sealer, kind);

const draftStore =
  (kind: 'credential' | 'presentation') =>
  (...[database, sealer, idempotency]: Stored) =>
    createDraftStore({ database, idempotency }, sealer, kind);

const ADAPTERS: Provider[] = [
  { provide: TENANTS, inject: [PROCESS, DATABASE], useFactory: tenants },
  {
    provide: WALLETS,
    inject: STORED,
    useFactory: (...[database, sealer, idempotency]: Stored) => createWalletStore({ database, idempotency }, sealer),
  },
  { provide: CREDENTIALS, inject: [DATABASE, SEALER], useFactory: contentStore('credential') },
  { provide: PRESENTATIONS, inject: [DATABASE, SEALER], useFactory: contentStore('presentation') },
  { provide: DRAFTS, inject: STORED, useFactory: draftStore('credential') },
  { provide: PRESENTATION_DRAFTS, inject: STORED, useFactory: draftStore('presentation') },
  { provide: DRAFT_SEARCH, inject: [DATABASE, SEALER], useFactory: draftSearch },
  {
    provide: ISSUED,
    inject: STORED,
    useFactory: (...[database, sealer, idempotency]: Stored) => createIssuedStore({ database, idempotency }, sealer),
  },
  {
    provide: SCHEMAS,
    inject: [PROCESS, DATABASE, IDEMPOTENCY],
    useFactory: ({ configuration }: Process, database: Database, idempotency: Idempotency) =>
      createSchemaStore({ database, idempotency }, configuration.baseUrl),
  },
  { provide: CANONICALIZER, inject: [PROCESS], useFactory: canonicalizer },
  { provide: CONTEXTS, inject: [PROCESS, SCHEMAS], useFactory: contexts },
  { provide: JSON_SCHEMAS, inject: [PROCESS, SCHEMAS], useFactory: jsonSchemas },
  { provide: EGRESS, inject: [PROCESS], useFactory: egress },
  { provide: CREDENTIAL_STATUSES, inject: [DATABASE], useFactory: createStatusListStore },
  {
    provide: UNDERSTAND,
    inject: [PROCESS, CONTEXTS, JSON_SCHEMAS, CANONICALIZER, EGRESS, CREDENTIAL_STATUSES],
    useFactory: understanding,
  },
  { provide: PURGE, inject: [PROCESS, IDEMPOTENCY], useFactory: purge },
  {
    provide: findWallet,
    inject: [WALLETS],
    useFactory: ({ ownsWallet, findDefaultWallet, insertDefaultWallet }: Wallets) =>
      findWallet({ clock, random: randomBytes, ownsWallet, findDefaultWallet, insertDefaultWallet }),
  },
];

/** What the use cases of the wallet store depend on: its stores, its threads, and the lookup of wallets. */
@Module({ providers: ADAPTERS, exports: ADAPTERS })
export class StoresModule {}
