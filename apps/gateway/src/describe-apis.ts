import { DomainError } from '@vestibule/foundation';
import { createLogger, createMetrics, loadConfiguration } from '@vestibule/process';
import { API_DOCUMENTS } from './api-documents';
import { gatewayConfiguration } from './config';
import { createManagementListener, publicRoutes } from './gateway';
import { proxiedPaths, type ProxiedPath } from './http/addresses';

/** Placeholders that do not affect the descriptions: the listener never opens, and no request is sent. */
const ENVIRONMENT = { NATS_URL: 'nats://127.0.0.1:4222', BASE_URL: 'https://wallets.example' };

/** Every API description by its name, generated from the routes themselves. */
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

/** What a proxy has to forward to the public listener; some of it only if backends may use that listener too. */
export function describePublicPaths(): readonly (ProxiedPath & { readonly isContent: boolean })[] {
  const always = proxiedPaths(publicRoutes({ servesContent: false }).all);
  const isAlways = ({ at, path }: ProxiedPath) => always.some((one) => one.at === at && one.path === path);
  return proxiedPaths(publicRoutes({ servesContent: true }).all).map((one) => ({ ...one, isContent: !isAlways(one) }));
}
