import { egressProxyCheck } from '@vestibule/egress';
import { isLoopback } from '@vestibule/foundation';
import { BUS_SUBJECTS } from '@vestibule/contracts';
import { busCheck } from '@vestibule/messaging';
import { databaseCheck } from '@vestibule/persistence';
import { finding, type Check, type Configuration } from '@vestibule/process';
import { readContextFile } from './adapters/files/context-file';
import { readJsonSchemaFile } from './adapters/files/json-schema-file';
import { WALLET_STORE_DATABASE } from './adapters/postgres/database';
import type { walletStoreConfiguration } from './config';

type Values = Configuration<typeof walletStoreConfiguration>;

const documents: Check<Values> = {
  name: 'contexts and schemas',
  async run({ configuration: { contextFile, jsonSchemaFile } }) {
    if (contextFile !== undefined) await readContextFile(contextFile);
    if (jsonSchemaFile !== undefined) await readJsonSchemaFile(jsonSchemaFile);
    return [];
  },
};

const settings: Check<Values> = {
  name: 'settings',
  run({ configuration: { baseUrl, egressDevelopmentHosts = [] } }) {
    if (isLoopback(new URL(baseUrl)) || egressDevelopmentHosts.length === 0) return [];
    return [finding('development_setting', `EGRESS_DEVELOPMENT_HOSTS, and BASE_URL is ${baseUrl}`)];
  },
};

/** What `vestibule doctor wallet-store` checks. */
export const WALLET_STORE_CHECKS: readonly Check<Values>[] = [
  settings,
  documents,
  databaseCheck<Values>({ service: WALLET_STORE_DATABASE }),
  busCheck({ name: 'wallet-store', answered: BUS_SUBJECTS['wallet-store'] }),
  egressProxyCheck<Values>(() => []),
];
