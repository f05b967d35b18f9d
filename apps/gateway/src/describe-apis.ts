import { DomainError } from '@vestibule/foundation';
import { createLogger, createMetrics, loadConfiguration } from '@vestibule/process';
import { gatewayConfiguration } from './config';
import { createManagementListener } from './gateway';
import { API_DOCUMENTS } from './http/openapi';

/** Nothing in a description depends on it: the listener never opens, and no question leaves. */
const ENVIRONMENT = { NATS_URL: 'nats://127.0.0.1:4222', BASE_URL: 'https://wallets.example' };

/** Every API description by its name, made from the routes themselves. */
export async function describeApis(version: string): Promise<Readonly<Record<string, object>>> {
  const app = await createManagementListener({
    configuration: loadConfiguration(gatewayConfiguration, ENVIRONMENT),
    version,
    logger: createLogger({ name: 'gateway', level: 'silent' }),
    metrics: createMetrics('gateway'),
    ask: () => Promise.reject(new DomainError({ kind: 'unavailable', code: 'service_unavailable', detail: 'no bus' })),
  });
  try {
    await app.init();
    return Object.fromEntries(API_DOCUMENTS.map(({ name, describe }) => [name, describe(app, version)]));
  } finally {
    await app.close();
  }
}
