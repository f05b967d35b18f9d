import { randomBytes } from 'node:crypto';
import {
  AbandonDraft,
  CheckWalletStoreHealth,
  CreateDraft,
  CreateEntity,
  CreateSchema,
  CreateWallet,
  GetClaimValues,
  GetCredential,
  GetPresentation,
  GetPublishedSchema,
  IssueDraft,
  ListCredentials,
  ListPresentations,
  PublishSchema,
  SearchDrafts,
  SearchPublishedSchemas,
  SearchSchemas,
  UpdateDraft,
  UpdateSchema,
} from '@vestibule/contracts';
import { sha256 } from '@vestibule/crypto';
import { runMicroservice } from '@vestibule/microservice';
import { createIdempotency } from '@vestibule/persistence';
import { createTimer } from '@vestibule/service';
import { ContentStore } from './adapters/postgres/content.store';
import { draftSearch } from './adapters/postgres/draft-search';
import { DraftStore } from './adapters/postgres/draft.store';
import { MIGRATIONS, SCHEMA } from './adapters/postgres/migrations';
import { SchemaStore } from './adapters/postgres/schema.store';
import { TenantStore } from './adapters/postgres/tenant.store';
import { WalletStore } from './adapters/postgres/wallet.store';
import { composeWalletStore } from './compose';
import { composeSchemas } from './compose-schemas';
import { walletStoreConfiguration } from './config';

const PURGE_MILLISECONDS = 60_000;
const PURGE_BATCH = 1_000;
const clock = () => new Date();

void runMicroservice({
  name: 'wallet-store',
  schema: SCHEMA,
  configuration: walletStoreConfiguration,
  migrations: MIGRATIONS,
  health: CheckWalletStoreHealth,
  async open({ configuration, database, sealer, logger, onClose }) {
    const tenants = new TenantStore(database);
    if (configuration.firstApiKey !== undefined) await tenants.install('default', sha256(configuration.firstApiKey));
    const idempotency = createIdempotency({ database, schema: SCHEMA, sealer, clock });
    const purge = async () => void (await idempotency.purge(PURGE_BATCH));
    const timer = createTimer({ name: 'purge', everyMilliseconds: PURGE_MILLISECONDS, logger, run: purge });
    onClose('purge', () => timer.stop());
    const wallets = new WalletStore(database, sealer, idempotency);
    const { baseUrl } = configuration;
    const schemas = composeSchemas({
      clock,
      random: randomBytes,
      baseUrl,
      tenants,
      wallets,
      drafts: new DraftStore(database, sealer, idempotency),
      schemas: new SchemaStore(database, idempotency, baseUrl),
      searchDrafts: draftSearch(database, sealer),
      findContext: () => Promise.resolve(undefined),
    });
    const store = composeWalletStore({
      clock,
      random: randomBytes,
      tenants,
      wallets,
      credentials: new ContentStore(database, sealer, 'credential'),
      presentations: new ContentStore(database, sealer, 'presentation'),
    });
    return {
      checks: {},
      answer(server) {
        server
          .answer(CreateEntity, store.createEntity)
          .answer(CreateWallet, store.createWallet)
          .answer(GetCredential, store.getCredential)
          .answer(ListCredentials, store.listCredentials)
          .answer(GetPresentation, store.getPresentation)
          .answer(ListPresentations, store.listPresentations)
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
      },
    };
  },
});
