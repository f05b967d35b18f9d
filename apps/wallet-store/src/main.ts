import { randomBytes } from 'node:crypto';
import {
  CheckWalletStoreHealth,
  CreateEntity,
  CreateWallet,
  GetCredential,
  GetPresentation,
  ListCredentials,
  ListPresentations,
} from '@vestibule/contracts';
import { sha256 } from '@vestibule/crypto';
import { runMicroservice } from '@vestibule/microservice';
import { createIdempotency } from '@vestibule/persistence';
import { createTimer } from '@vestibule/service';
import { ContentStore } from './adapters/postgres/content.store';
import { MIGRATIONS, SCHEMA } from './adapters/postgres/migrations';
import { SEALED } from './adapters/postgres/sealed-columns';
import { TenantStore } from './adapters/postgres/tenant.store';
import { WalletStore } from './adapters/postgres/wallet.store';
import { composeWalletStore } from './compose';
import { walletStoreConfiguration } from './config';

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
  async open({ configuration, database, sealer, logger, onClose }) {
    const tenants = new TenantStore(database);
    if (configuration.firstApiKey !== undefined) await tenants.install('default', sha256(configuration.firstApiKey));
    const idempotency = createIdempotency({ database, schema: SCHEMA, sealer, clock });
    const purge = async () => void (await idempotency.purge(PURGE_BATCH));
    const timer = createTimer({ name: 'purge', everyMilliseconds: PURGE_MILLISECONDS, logger, run: purge });
    onClose('purge', () => timer.stop());
    const store = composeWalletStore({
      clock,
      random: randomBytes,
      tenants,
      wallets: new WalletStore(database, sealer, idempotency),
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
          .answer(ListPresentations, store.listPresentations);
      },
    };
  },
});
