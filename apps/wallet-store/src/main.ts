import { randomBytes } from 'node:crypto';
import {
  AbandonDraft,
  AbandonPresentation,
  CheckWalletStoreHealth,
  CreateDraft,
  CreateEntity,
  CreateSchema,
  CreatePresentation,
  CreateWallet,
  FindApiKeys,
  GetClaimValues,
  GetCredential,
  GetPresentation,
  GetPublishedSchema,
  IssueDraft,
  PublishSchema,
  SearchDrafts,
  SearchPublishedSchemas,
  SearchSchemas,
  UpdateDraft,
  UpdateSchema,
  ImportCredential,
  IssuePresentation,
  ListCredentials,
  ListPresentations,
  PresentPresentation,
  SignGivenCredential,
  VerifyGivenCredential,
  VerifyGivenPresentation,
} from '@vestibule/contracts';
import { sha256 } from '@vestibule/crypto';
import type { NatsServer } from '@vestibule/messaging';
import { runMicroservice } from '@vestibule/microservice';
import { createIdempotency, type Idempotency } from '@vestibule/persistence';
import { createTimer, type Logger } from '@vestibule/process';
import { readContextFile } from './adapters/files/context-file';
import { ContentStore } from './adapters/postgres/content.store';
import { draftSearch } from './adapters/postgres/draft-search';
import { DraftStore } from './adapters/postgres/draft.store';
import { IssuedStore } from './adapters/postgres/issued.store';
import { MIGRATIONS, SCHEMA } from './adapters/postgres/migrations';
import { SchemaStore } from './adapters/postgres/schema.store';
import { SEALED } from './adapters/postgres/sealed-columns';
import { TenantStore } from './adapters/postgres/tenant.store';
import { WalletStore } from './adapters/postgres/wallet.store';
import { createCanonicalizer, type Canonicalizer } from './adapters/threads/canonicalizer';
import { composeWalletStore } from './compose';
import { composeSchemas } from './compose-schemas';
import { composeVcApi } from './compose-vc-api';
import { walletStoreConfiguration } from './config';
import { manageApiKeys } from './use-cases/manage-api-keys';

const PURGE_MILLISECONDS = 60_000;
const PURGE_BATCH = 1_000;
const clock = () => new Date();
const outside = { clock, random: randomBytes };

function answerContent(server: NatsServer, store: ReturnType<typeof composeWalletStore>): void {
  server
    .answer(CreateEntity, store.createEntity)
    .answer(CreateWallet, store.createWallet)
    .answer(GetCredential, store.getCredential)
    .answer(ListCredentials, store.listCredentials)
    .answer(GetPresentation, store.getPresentation)
    .answer(ListPresentations, store.listPresentations)
    .answer(ImportCredential, store.importCredential)
    .answer(CreatePresentation, store.createPresentation)
    .answer(IssuePresentation, store.issuePresentation)
    .answer(AbandonPresentation, store.abandonPresentation)
    .answer(PresentPresentation, store.presentPresentation);
}

function answerSchemas(server: NatsServer, schemas: ReturnType<typeof composeSchemas>): void {
  server
    .answer(CreateSchema, schemas.createSchema)
    .answer(UpdateSchema, schemas.updateSchema)
    .answer(PublishSchema, schemas.publishSchema)
    .answer(SearchSchemas, schemas.searchSchemas)
    .answer(SearchPublishedSchemas, schemas.searchPublishedSchemas)
    .answer(GetPublishedSchema, schemas.getPublishedSchema)
    .answer(CreateDraft, schemas.createDraft)
    .answer(UpdateDraft, schemas.updateDraft)
    .answer(SearchDrafts, schemas.searchDrafts)
    .answer(IssueDraft, schemas.issueDraft)
    .answer(AbandonDraft, schemas.abandonDraft)
    .answer(GetClaimValues, schemas.getClaimValues);
}

function answerVcApi(server: NatsServer, vcApi: ReturnType<typeof composeVcApi>): void {
  server
    .answer(SignGivenCredential, vcApi.signCredential)
    .answer(VerifyGivenCredential, vcApi.verifyCredential)
    .answer(VerifyGivenPresentation, vcApi.verifyPresentation);
}

type OnClose = (name: string, close: () => Promise<void>) => void;

function startPurge(idempotency: Idempotency, logger: Logger, onClose: OnClose): void {
  const run = async () => void (await idempotency.purge(PURGE_BATCH));
  const timer = createTimer({ name: 'purge', everyMilliseconds: PURGE_MILLISECONDS, logger, run });
  onClose('purge', () => timer.stop());
}

/** The threads that canonicalize; they end after the bus, so that what was taken is still answered. */
async function startCanonicalizer(logger: Logger, onClose: OnClose): Promise<Canonicalizer['canonicalizeFor']> {
  const canonicalizer = createCanonicalizer({ logger });
  onClose('canonicalizer', () => canonicalizer.close());
  await canonicalizer.start();
  return (tenant) => canonicalizer.canonicalizeFor(tenant);
}

void runMicroservice({
  name: 'wallet-store',
  schema: SCHEMA,
  configuration: walletStoreConfiguration,
  migrations: MIGRATIONS,
  sealed: SEALED,
  publicUrl: ({ baseUrl }) => ({ variable: 'BASE_URL', url: baseUrl }),
  health: CheckWalletStoreHealth,
  commands: {
    async 'api-keys'({ database }) {
      const tenants = new TenantStore(database);
      const manage = manageApiKeys({
        random: randomBytes,
        install: (tenant, keyDigest) => tenants.install(tenant, keyDigest),
        list: (tenant) => tenants.list(tenant),
        revoke: (id) => tenants.revoke(id),
      });
      const lines = await manage(process.argv.slice(3));
      process.stdout.write(lines.map((line) => `${line}\n`).join(''));
    },
  },
  async open({ configuration, database, sealer, logger, onClose }) {
    const tenants = new TenantStore(database);
    if (configuration.firstApiKey !== undefined) await tenants.install('default', sha256(configuration.firstApiKey));
    const idempotency = createIdempotency({ database, schema: SCHEMA, sealer, clock });
    startPurge(idempotency, logger, onClose);
    const connection = { database, sealer, idempotency };
    const wallets = new WalletStore(database, sealer, idempotency);
    const allowedContexts = await readContextFile(configuration.contextFile);
    const canonicalizeFor = await startCanonicalizer(logger, onClose);
    const schemas = composeSchemas({
      ...outside,
      baseUrl: configuration.baseUrl,
      tenants,
      wallets,
      drafts: new DraftStore(connection, 'credential'),
      schemas: new SchemaStore(database, idempotency, configuration.baseUrl),
      searchDrafts: draftSearch(database, sealer),
      findContext: (url) => Promise.resolve(allowedContexts.get(url)),
      canonicalizeFor,
    });
    const store = composeWalletStore({
      ...outside,
      tenants,
      wallets,
      credentials: new ContentStore(database, sealer, 'credential'),
      presentations: new ContentStore(database, sealer, 'presentation'),
      presentationDrafts: new DraftStore(connection, 'presentation'),
      issued: new IssuedStore(database, sealer, idempotency),
      contexts: schemas.contexts,
      canonicalizeFor,
    });
    return {
      checks: {},
      answer(server) {
        server.answer(FindApiKeys, async ({ apiKeyDigests }) => ({
          known: [...(await tenants.findKnown(apiKeyDigests))],
        }));
        answerContent(server, store);
        answerSchemas(server, schemas);
        answerVcApi(server, composeVcApi({ clock, tenants, wallets, contexts: schemas.contexts, canonicalizeFor }));
      },
    };
  },
});
