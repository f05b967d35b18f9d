import { createSealingKeyDevices } from '@vestibule/keys';
import { createIdempotency, databaseCommand, databaseCommands } from '@vestibule/persistence';
import { runMicroservice, randomBytes } from '@vestibule/process';
import { WALLET_STORE_DATABASE } from './adapters/postgres/database';
import { createWalletEraser } from './adapters/postgres/erasure.store';
import { SCHEMA } from './adapters/postgres/migrations';
import { createTenantStore } from './adapters/postgres/tenant.store';
import { WALLET_STORE_CHECKS } from './checks';
import { walletStoreConfiguration } from './config';
import { eraseWallet } from './use-cases/erase-wallet';
import { manageApiKeys } from './use-cases/manage-api-keys';
import { WalletStoreModule } from './wallet-store.module';

const print = (lines: readonly string[]) => void process.stdout.write(lines.map((line) => `${line}\n`).join(''));

const apiKeys = databaseCommand(WALLET_STORE_DATABASE, async ({ database }) => {
  const { install, list, revoke } = createTenantStore(database);
  const manage = manageApiKeys({ random: randomBytes, install, list, revoke });
  print(await manage(process.argv.slice(3)));
});

const erase = databaseCommand(WALLET_STORE_DATABASE, async ({ database, sealer }) => {
  const { forget } = createIdempotency({ database, schema: SCHEMA, sealer, clock: () => new Date() });
  print(await eraseWallet({ erase: createWalletEraser({ database, forget }) })(process.argv.slice(3)));
});

void runMicroservice({
  name: 'wallet-store',
  configuration: walletStoreConfiguration,
  sealingKeyDevices: createSealingKeyDevices(),
  module: WalletStoreModule,
  publicUrl: ({ baseUrl }) => ({ variable: 'BASE_URL', url: baseUrl }),
  checks: WALLET_STORE_CHECKS,
  commands: { ...databaseCommands(WALLET_STORE_DATABASE), 'api-keys': apiKeys, erase },
});
