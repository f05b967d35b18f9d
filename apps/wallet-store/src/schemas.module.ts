import { Module } from '@nestjs/common';
import { PROCESS, type Configuration, type ProcessContext, randomBytes } from '@vestibule/process';
import { SchemasController } from './adapters/nats/schemas.controller';
import type { walletStoreConfiguration } from './config';
import type { Drafts, JsonSchemas, Schemas, SearchDrafts, Tenants, Understand, Wallets } from './domain/ports';
import { StatusModule } from './status.module';
import {
  CONTEXTS,
  DRAFT_SEARCH,
  DRAFTS,
  JSON_SCHEMAS,
  SCHEMAS,
  StoresModule,
  TENANTS,
  UNDERSTAND,
  WALLETS,
} from './stores.module';
import { drawCredentialStatus, type DrawCredentialStatus } from './use-cases/draw-credential-status';
import { findWallet, type FindWallet } from './use-cases/find-wallet';
import { getClaimValues, issueTypedDraft } from './use-cases/issue-typed-draft';
import { publishSchema } from './use-cases/publish-schema';
import {
  findDefinition,
  getPublishedSchema,
  readSchema,
  searchPublishedSchemas,
  searchSchemas,
  type FindDefinition,
} from './use-cases/read-schemas';
import { readDraft, searchDrafts } from './use-cases/search-drafts';
import { signPublishedSchema, type SignPublishedSchema } from './use-cases/sign-published-schema';
import {
  draftDocuments,
  draftSources,
  type ContextsFor,
  type DraftDocuments,
  type DraftSources,
} from './use-cases/validate-credential';
import { abandonTypedDraft, createDraft, updateDraft } from './use-cases/write-draft';
import { createSchema, updateSchema } from './use-cases/write-schema';

type Process = ProcessContext<Configuration<typeof walletStoreConfiguration>>;

const clock = () => new Date();
const random = randomBytes;

type Signing = [wallets: Wallets, understand: Understand, wallet: FindWallet];
type Publishing = [schemas: Schemas, sign: SignPublishedSchema];
type Drafting = [drafts: Drafts, sources: DraftSources, wallet: FindWallet];
type Updating = [drafts: Drafts, sources: DraftSources];
type Issuing = [drafts: Drafts, wallets: Wallets, understand: Understand, documents: DraftDocuments];

/** Claims schemas and drafts: the schema and draft API. */
@Module({
  imports: [StoresModule, StatusModule],
  controllers: [SchemasController],
  providers: [
    {
      provide: createSchema,
      inject: [PROCESS, TENANTS, SCHEMAS],
      useFactory: ({ configuration: { baseUrl } }: Process, { findTenant }: Tenants, { insertSchema }: Schemas) =>
        createSchema({ clock, random, baseUrl, findTenant, insertSchema }),
    },
    {
      provide: updateSchema,
      inject: [PROCESS, TENANTS, SCHEMAS],
      useFactory({ configuration: { baseUrl } }: Process, { findTenant }: Tenants, schemas: Schemas) {
        const { findSchema, replaceSchema } = schemas;
        return updateSchema({ clock, baseUrl, findTenant, findSchema, replaceSchema });
      },
    },
    {
      provide: signPublishedSchema,
      inject: [PROCESS, WALLETS, UNDERSTAND, findWallet],
      useFactory: ({ configuration: { baseUrl } }: Process, ...[{ findEntityKey }, understand, wallet]: Signing) =>
        signPublishedSchema({ baseUrl, findEntityKey, understand, findWallet: wallet }),
    },
    {
      provide: publishSchema,
      inject: [PROCESS, TENANTS, SCHEMAS, signPublishedSchema],
      useFactory({ configuration: { baseUrl } }: Process, { findTenant }: Tenants, ...[schemas, sign]: Publishing) {
        const { findSchema, findPublished, publishSchema: publish } = schemas;
        return publishSchema({ clock, baseUrl, findTenant, findSchema, findPublished, publishSchema: publish, sign });
      },
    },
    {
      provide: searchSchemas,
      inject: [PROCESS, TENANTS, SCHEMAS],
      useFactory: ({ configuration: { baseUrl } }: Process, { findTenant }: Tenants, schemas: Schemas) =>
        searchSchemas({ baseUrl, findTenant, searchSchemas: schemas.searchSchemas }),
    },
    {
      provide: searchPublishedSchemas,
      inject: [PROCESS, TENANTS, SCHEMAS],
      useFactory: ({ configuration: { baseUrl } }: Process, { findTenant }: Tenants, { searchPublished }: Schemas) =>
        searchPublishedSchemas({ baseUrl, findTenant, searchPublished }),
    },
    {
      provide: getPublishedSchema,
      inject: [PROCESS, SCHEMAS],
      useFactory: ({ configuration: { baseUrl } }: Process, { findPublished }: Schemas) =>
        getPublishedSchema({ baseUrl, findPublished }),
    },
    {
      provide: findDefinition,
      inject: [PROCESS, SCHEMAS],
      useFactory: ({ configuration: { baseUrl } }: Process, { findPublished }: Schemas) =>
        findDefinition({ baseUrl, findPublished }),
    },
    {
      provide: draftSources,
      inject: [findDefinition, CONTEXTS, JSON_SCHEMAS],
      useFactory: (definition: FindDefinition, contextsFor: ContextsFor, jsonSchemas: JsonSchemas) =>
        draftSources({ findDefinition: definition, contextsFor, jsonSchemas }),
    },
    {
      provide: draftDocuments,
      inject: [PROCESS, JSON_SCHEMAS, drawCredentialStatus],
      useFactory: ({ configuration: { baseUrl } }: Process, jsonSchemas: JsonSchemas, draw: DrawCredentialStatus) =>
        draftDocuments({ baseUrl, jsonSchemas, drawCredentialStatus: draw }),
    },
    {
      provide: createDraft,
      inject: [PROCESS, TENANTS, DRAFTS, draftSources, findWallet],
      useFactory({ configuration: { baseUrl } }: Process, { findTenant }: Tenants, ...parts: Drafting) {
        const [drafts, sources, wallet] = parts;
        return createDraft({ clock, random, baseUrl, findTenant, drafts, sources, findWallet: wallet });
      },
    },
    {
      provide: updateDraft,
      inject: [PROCESS, TENANTS, DRAFTS, draftSources],
      useFactory({ configuration: { baseUrl } }: Process, { findTenant }: Tenants, ...[drafts, sources]: Updating) {
        const { findDraft, replaceDraft } = drafts;
        return updateDraft({ clock, baseUrl, findTenant, findDraft, replaceDraft, sources });
      },
    },
    {
      provide: readDraft,
      inject: [TENANTS, DRAFTS],
      useFactory: ({ findTenant }: Tenants, { findDraft }: Drafts) => readDraft({ findTenant, findDraft }),
    },
    {
      provide: readSchema,
      inject: [PROCESS, TENANTS, SCHEMAS],
      useFactory: ({ configuration: { baseUrl } }: Process, { findTenant }: Tenants, { findSchema }: Schemas) =>
        readSchema({ baseUrl, findTenant, findSchema }),
    },
    {
      provide: searchDrafts,
      inject: [TENANTS, DRAFT_SEARCH],
      useFactory: ({ findTenant }: Tenants, search: SearchDrafts) => searchDrafts({ findTenant, searchDrafts: search }),
    },
    {
      provide: issueTypedDraft,
      inject: [TENANTS, DRAFTS, WALLETS, UNDERSTAND, draftDocuments],
      useFactory({ findTenant }: Tenants, ...parts: Issuing) {
        const [{ findDraft, replaceDraft }, { findEntityKey }, understand, documents] = parts;
        const changing = { clock, findDraft, replaceDraft };
        return issueTypedDraft({ ...changing, findTenant, findEntityKey, understand, documents });
      },
    },
    {
      provide: abandonTypedDraft,
      inject: [TENANTS, DRAFTS],
      useFactory: ({ findTenant }: Tenants, { findDraft, replaceDraft }: Drafts) =>
        abandonTypedDraft({ clock, findTenant, findDraft, replaceDraft }),
    },
    {
      provide: getClaimValues,
      inject: [TENANTS, DRAFTS],
      useFactory: ({ findTenant }: Tenants, { findDraft }: Drafts) => getClaimValues({ findTenant, findDraft }),
    },
  ],
})
export class SchemasModule {}
