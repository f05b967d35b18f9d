import 'reflect-metadata';
import { X509Certificate } from 'node:crypto';
import rateLimit from '@fastify/rate-limit';
import { Module, type DynamicModule, type INestApplication, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { FastifyAdapter, NestFastifyApplication } from '@nestjs/platform-fastify';
import { createNestLogger, noteActor, type Configuration, type Logger, type Metrics } from '@vestibule/process';
import type { FastifyInstance } from 'fastify';
import { API_DOCUMENTS, describedApis } from './api-documents';
import type { Ask } from './ask';
import { BACKEND_CONTROLLERS, BackendModule } from './backend/backend.module';
import { BearerKeyGuard } from './backend/bearer-key.guard';
import { refuseForeignPages } from './backend/foreign-pages';
import { watchHostNames } from './backend/host-names';
import { managementGuards } from './backend/management-guards';
import { operationsControllers, OperationsModule } from './backend/operations.module';
import { managementTls, type MutualTls } from './backend/tls';
import type { gatewayConfiguration } from './config';
import type { VersionPolicy } from './content/api-version.guard';
import { ContentModule } from './content/content.module';
import { Addresses, describedAddresses, pathOf } from './http/addresses';
import { parseBodies } from './http/body-parsing';
import { measureAnswers } from './http/durations';
import { askAll, guardEveryRequest, guardRoutes } from './http/early-guard';
import { inviteBodies } from './http/expectations';
import { HttpModule } from './http/http.module';
import { BACKEND_BODY_BYTES } from './http/json-bodies';
import { refuseUnreadInput } from './http/json-api';
import { createListener } from './http/listener';
import { serveApiDocuments } from './http/openapi';
import { holdPositions, rewriteBy } from './http/positions';
import { OtherListener } from './http/other-listener';
import { ProblemDetailsFilter } from './http/problem-details.filter';
import { RequestCounts } from './http/request-counts';
import { endConnectionsOf, Retirement } from './http/retirement';
import { RoutedErrorFilter } from './http/routed-error.filter';
import { RouteTable } from './http/routes';
import { watchUntrustedProxies } from './http/untrusted-proxies';
import { HandOvers } from './wallet/hand-overs';
import { OAuthErrorFilter } from './wallet/oauth-error.filter';
import { renderSecurityText, securityTextOf } from './wallet/security-text';
import type { RenderAt } from './wallet/security-text.controller';
import { refuseUnknownStates } from './wallet/unknown-states';
import { watchUnservedWallets, type UnservedWallets } from './wallet/unserved-wallets';
import { WALLET_CONTROLLERS, WalletModule } from './wallet/wallet.module';

export interface GatewayOptions {
  readonly configuration: Configuration<typeof gatewayConfiguration>;
  readonly version: string;
  readonly logger: Logger;
  readonly ask: Ask;
  /** The metrics of this process, served by the management listener. */
  readonly metrics: Metrics;
  /** Once retired, the gateway is not ready; absent: never retired. */
  readonly retirement?: Retirement | undefined;
  /** Reports to the issuer which responses were handed over; by default one that is never closed, for tests. */
  readonly handOvers?: HandOvers | undefined;
  /** Reports to services which wallets could not be served; by default nothing is reported. */
  readonly unserved?: UnservedWallets | undefined;
  /** The clock that client certificates are checked against. */
  readonly clock?: (() => Date) | undefined;
}

const WALLET_BODY_BYTES = 1_048_576;
const MINUTE_MILLISECONDS = 60_000;
const PREFLIGHT_SECONDS = 600;

@Module({})
class ListenerModule {}

function instanceOf(adapter: FastifyAdapter): FastifyInstance {
  return adapter.getInstance() as unknown as FastifyInstance;
}

async function nestApplication(
  imports: readonly (DynamicModule | Type)[],
  adapter: FastifyAdapter,
  logger: Logger,
): Promise<NestFastifyApplication> {
  const module: DynamicModule = { module: ListenerModule, imports: [...imports] };
  return NestFactory.create<NestFastifyApplication>(module, adapter, {
    logger: createNestLogger(logger),
    bodyParser: false,
    abortOnError: false,
  });
}

/** How long the previous version of the schema and draft API is supported, as configured. */
function versionPolicy({ configuration }: GatewayOptions): VersionPolicy {
  return { deprecatedAt: configuration.previousDeprecatedAt, endsAt: configuration.previousEndsAt };
}

/** The security.txt as of each request. That it has expired is logged only at startup: nothing monitors it later. */
function securityText({ configuration, logger }: GatewayOptions): RenderAt {
  const text = securityTextOf(configuration);
  if (text === undefined) return () => undefined;
  const render: RenderAt = (path) => renderSecurityText(text, new URL(path, configuration.baseUrl), new Date());
  if (render('') === undefined) logger.warn('SECURITY_EXPIRES has passed: security.txt is not served');
  return render;
}

/** The audit trail says so where nobody is asked who they are. */
function nameNobody(instance: FastifyInstance): void {
  instance.addHook('onRequest', async () => noteActor('anonymous', ''));
}

function showManagementCertificate({ cert }: MutualTls, metrics: Metrics): void {
  const end = Date.parse(new X509Certificate(cert).validTo) / 1000;
  metrics.gauge('management_certificate_expiry_timestamp_seconds', 'End of validity in seconds since 1970', () => end);
}

type Settings = GatewayOptions['configuration'];

/** Told at an address that the other listener serves. */
const FOR_WALLETS = 'this is for wallets, on the public listener, below BASE_URL';
const FOR_BACKENDS = 'this is for backends, on the management listener';

/** What addresses of wallets begin with. */
const walletPathsOf = ({ configuration: { baseUrl, issuerUrl = baseUrl } }: GatewayOptions): readonly string[] =>
  [baseUrl, issuerUrl].map(pathOf);

const vcApiTenantOf = ({ vcApiKeyDigest: digest }: Settings) =>
  digest === undefined ? undefined : { apiKeyDigest: digest };

function managementRoutes(configuration: Settings): RouteTable {
  const content = ContentModule.onManagement(vcApiTenantOf(configuration));
  return new RouteTable([...BACKEND_CONTROLLERS, ...content, ...operationsControllers(configuration)]);
}

/** The management listener: the backend's API, health and the API description. Not listening yet. */
export async function createManagementListener(options: GatewayOptions): Promise<NestFastifyApplication> {
  const { configuration, logger, metrics, ask, retirement = new Retirement() } = options;
  const { services } = configuration;
  const vcApiTenant = vcApiTenantOf(configuration);
  const content = ContentModule.onManagement(vcApiTenant);
  const operations = operationsControllers(configuration);
  const table = managementRoutes(configuration);
  const prefixes = { base: '', 'schema-prefix': configuration.schemaPrefix ?? '' };
  const addresses = new Addresses(table.all, prefixes);
  const other = new OtherListener(
    publicRoutes({ servesContent: false }).all,
    walletPathsOf(options),
    FOR_WALLETS,
    table.all,
  );
  const errors = new ProblemDetailsFilter(logger, table, other);
  const tls = managementTls(configuration);
  if (tls) showManagementCertificate(tls, metrics);
  const { clock = () => new Date() } = options;
  const { callers, routes } = managementGuards({ configuration, table, tls, clock });
  const guards = [...callers, ...routes];
  const adapter = createListener({
    name: 'management',
    logger,
    maxBodyBytes: BACKEND_BODY_BYTES,
    observe: measureAnswers(metrics),
    continuesTraces: true,
    trustedProxies: [],
    rewriteUrl: rewriteBy((url) => addresses.rewriteAddressed(url)),
    tls,
    errors,
    admit: (request, reply) => askAll(callers, request, reply),
  });
  const instance = instanceOf(adapter);
  endConnectionsOf(instance, retirement);
  if (guards.length === 0) {
    nameNobody(instance);
    watchHostNames(instance, { allowed: configuration.managementHosts ?? [], logger, metrics });
  }
  if (!callers.some((guard) => guard instanceof BearerKeyGuard)) refuseForeignPages(instance);
  parseBodies(instance, table);
  const rooms = [
    HttpModule.register({ ask, logger, table, other, retirement }),
    BackendModule,
    ContentModule.register({ versionPolicy: versionPolicy(options), controllers: content, vcApiTenant }),
    OperationsModule.register({ metrics, services, controllers: operations, apis: describedApis() }),
  ];
  const app = await nestApplication(rooms, adapter, logger);
  guardEveryRequest(instance, guards);
  holdPositions(instance, table, addresses);
  app.useGlobalGuards(...guards);
  guardRoutes(app, instance, table);
  refuseUnreadInput(instance, table);
  inviteBodies(instance, BACKEND_BODY_BYTES);
  app.useGlobalFilters(errors);
  const described = { version: options.version, addresses: describedAddresses(table.all, prefixes) };
  serveApiDocuments(app, API_DOCUMENTS, described);
  return app;
}

/** Counts every request of a client address, with or without a route; CORS preflights are answered earlier. */
async function limitRates(instance: FastifyInstance, perMinute: number): Promise<void> {
  if (perMinute === 0) return;
  await instance.register(rateLimit, {
    global: false,
    max: perMinute,
    timeWindow: MINUTE_MILLISECONDS,
    enableDraftSpec: true,
    store: RequestCounts,
  });
  instance.addHook('onRequest', instance.rateLimit());
}

function allowWebWallets(app: INestApplication): void {
  app.enableCors({
    origin: '*',
    strictPreflight: false,
    maxAge: PREFLIGHT_SECONDS,
    methods: ['GET', 'POST'],
    allowedHeaders: [
      'Authorization',
      'DPoP',
      'Content-Type',
      'OAuth-Client-Attestation',
      'OAuth-Client-Attestation-PoP',
    ],
    exposedHeaders: ['DPoP-Nonce', 'WWW-Authenticate', 'OAuth-Client-Attestation-Challenge', 'Retry-After'],
  });
}

/** The routes of the public listener, with or without those of tenants. */
export function publicRoutes({ servesContent }: { readonly servesContent: boolean }): RouteTable {
  return new RouteTable([...WALLET_CONTROLLERS, ...ContentModule.onPublic(servesContent)]);
}

/** Maps each route of the public listener to the paths of the configured URLs. */
function publicAddresses({ configuration }: GatewayOptions, table: RouteTable): Addresses {
  const base = pathOf(configuration.baseUrl);
  const issuer = pathOf(configuration.issuerUrl ?? configuration.baseUrl);
  const prefix = `${base}${configuration.schemaPrefix ?? ''}`;
  return new Addresses(table.all, { base, issuer, 'schema-prefix': prefix, host: '', 'well-known': issuer });
}

const handOversOf = ({ handOvers, ask, logger }: GatewayOptions): HandOvers =>
  handOvers ?? new HandOvers({ ask, logger, stopwatch: () => performance.now() });

/** The public listener: what wallets need, rate limited, and nothing of the management API. Not listening yet. */
export async function createPublicListener(options: GatewayOptions): Promise<NestFastifyApplication> {
  const { configuration, logger, metrics, ask, retirement = new Retirement() } = options;
  const table = publicRoutes(configuration);
  // An address for backends that is not served here is still answered in their format.
  const possible = publicRoutes({ servesContent: true });
  const addresses = publicAddresses(options, possible);
  const other = new OtherListener(managementRoutes(configuration).all, walletPathsOf(options), FOR_BACKENDS);
  const forWallets = new OAuthErrorFilter(logger, table, other);
  const formats = [forWallets, new ProblemDetailsFilter(logger, table, other)];
  const errors = new RoutedErrorFilter({ table: possible, addresses, formats, otherwise: forWallets });
  const adapter = createListener({
    name: 'public',
    logger,
    maxBodyBytes: WALLET_BODY_BYTES,
    observe: measureAnswers(metrics),
    trustedProxies: configuration.trustedProxies ?? [],
    rewriteUrl: rewriteBy((url) => addresses.rewrite(url)),
    errors,
  });
  const instance = instanceOf(adapter);
  endConnectionsOf(instance, retirement);
  const trusted = configuration.trustedProxies ?? [];
  watchUntrustedProxies(instance, { trusted, logger, now: () => performance.now() });
  parseBodies(instance, table);
  await limitRates(instance, configuration.rateLimitPerMinute);
  const content = ContentModule.onPublic(configuration.servesContent);
  const rooms = [
    HttpModule.register({ ask, logger, table, other, retirement }),
    WalletModule.register({ securityText: securityText(options), handOvers: handOversOf(options) }),
    ContentModule.register({ versionPolicy: versionPolicy(options), controllers: content }),
  ];
  const app = await nestApplication(rooms, adapter, logger);
  holdPositions(instance, table, addresses);
  guardRoutes(app, instance, table);
  refuseUnreadInput(instance, table);
  if (options.unserved) watchUnservedWallets(instance, table, options.unserved);
  refuseUnknownStates(instance, { ask, table, maxBodyBytes: WALLET_BODY_BYTES });
  inviteBodies(instance, WALLET_BODY_BYTES);
  app.useGlobalFilters(errors);
  allowWebWallets(app);
  return app;
}
