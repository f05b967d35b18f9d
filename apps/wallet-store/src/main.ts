import { randomBytes } from 'node:crypto';
import {
  AbandonPresentation,
  CheckWalletStoreHealth,
  CreateEntity,
  CreatePresentation,
  CreateWallet,
  GetCredential,
  GetPresentation,
  ImportCredential,
  IssuePresentation,
  ListCredentials,
  ListPresentations,
  PresentPresentation,
} from '@vestibule/contracts';
import { sha256 } from '@vestibule/crypto';
import { runMicroservice } from '@vestibule/microservice';
import { createIdempotency } from '@vestibule/persistence';
import { createTimer } from '@vestibule/service';
import { readContextFile } from './adapters/files/context-file';
import { ContentStore } from './adapters/postgres/content.store';
import { DraftStore } from './adapters/postgres/draft.store';
import { IssuedStore } from './adapters/postgres/issued.store';
import { MIGRATIONS, SCHEMA } from './adapters/postgres/migrations';
import { SEALED } from './adapters/postgres/sealed-columns';
import { TenantStore } from './adapters/postgres/tenant.store';
import { WalletStore } from './adapters/postgres/wallet.store';
import { composeWalletStore } from './compose';
import { walletStoreConfiguration } from './config';
import { manageApiKeys } from './use-cases/manage-api-keys';

const PURGE_MILLISECONDS = 60_000;
const PURGE_BATCH = 1_000;
const clock = () => new Date();

void runMicroservice({
  name: 'wallet-store',
  schema: SCHEMA,
  configuration: walletStoreConfiguration,
  migrations: MIGRATIONS,
  sealed: SEALED,
  publicUrl: ({ baseUrl }) => (baseUrl === undefined ? undefined : { variable: 'BASE_URL', url: baseUrl }),
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
    const purge = async () => void (await idempotency.purge(PURGE_BATCH));
    const timer = createTimer({ name: 'purge', everyMilliseconds: PURGE_MILLISECONDS, logger, run: purge });
    onClose('purge', () => timer.stop());
    const connection = { database, sealer, idempotency };
    const contexts = await readContextFile(configuration.contextFile);
    const store = composeWalletStore({
      clock,
      random: randomBytes,
      tenants,
      wallets: new WalletStore(database, sealer, idempotency),
      credentials: new ContentStore(database, sealer, 'credential'),
      presentations: new ContentStore(database, sealer, 'presentation'),
      presentationDrafts: new DraftStore(connection, 'presentation'),
      issued: new IssuedStore(database, sealer, idempotency),
      findContext: (url) => Promise.resolve(contexts.get(url)),
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
          .answer(ImportCredential, store.importCredential)
          .answer(CreatePresentation, store.createPresentation)
          .answer(IssuePresentation, store.issuePresentation)
          .answer(AbandonPresentation, store.abandonPresentation)
          .answer(PresentPresentation, store.presentPresentation);
      },
    };
  },
});
