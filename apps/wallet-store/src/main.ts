import { createSealingKeyDevices } from '@vestibule/keys';
import { databaseCommand, databaseCommands } from '@vestibule/persistence';
import { runMicroservice, randomBytes } from '@vestibule/process';
import { WALLET_STORE_DATABASE } from './adapters/postgres/database';
import { createTenantStore } from './adapters/postgres/tenant.store';
import { WALLET_STORE_CHECKS } from './checks';
import { walletStoreConfiguration } from './config';
import { manageApiKeys } from './use-cases/manage-api-keys';
import { WalletStoreModule } from './wallet-store.module';

const apiKeys = databaseCommand(WALLET_STORE_DATABASE, async ({ database }) => {
  const { install, list, revoke } = createTenantStore(database);
  const manage = manageApiKeys({ random: randomBytes, install, list, revoke });
  const lines = await manage(process.argv.slice(3));
  process.stdout.write(lines.map((line) => `${line}\n`).join(''));
});

void runMicroservice({
  name: 'wallet-store',
  configuration: walletStoreConfiguration,
  sealingKeyDevices: createSealingKeyDevices(),
  module: WalletStoreModule,
  publicUrl: ({ baseUrl }) => ({ variable: 'BASE_URL', url: baseUrl }),
  checks: WALLET_STORE_CHECKS,
  commands: { ...databaseCommands(WALLET_STORE_DATABASE), 'api-keys': apiKeys },
});
