import 'reflect-metadata';
import rateLimit from '@fastify/rate-limit';
import type { INestApplication } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { FastifyAdapter, NestFastifyApplication } from '@nestjs/platform-fastify';
import { createNestLogger, type Configuration, type Logger, type Metrics } from '@vestibule/process';
import type { FastifyInstance } from 'fastify';
import type { Ask } from './ask';
import { authenticateTenants } from './content/api-key';
import type { VersionPolicy } from './content/api-version';
import { createKnownKeys } from './content/known-keys';
import type { gatewayConfiguration } from './config';
import { parseManagementBodies, parsePublicBodies } from './http/bodies';
import { internalPath, managementPath, pathOf } from './http/internal-path';
import { createListener } from './http/listener';
import { serveApiDocuments } from './http/openapi';
import { ProblemDetailsFilter } from './http/problem-details.filter';
import { PublicErrorFilter } from './http/public-error.filter';
import { authenticateBackends } from './backend/authentication';
import { ManagementModule } from './backend/backend.module';
import { watchHostNames } from './backend/host-names';
import { managementTls } from './backend/tls';
import { refuseUnknownStates } from './wallet/unknown-states';
import { renderSecurityText, securityTextOf } from './wallet/security-text';
import { WalletFacingModule } from './wallet/wallet.module';

export interface GatewayOptions {
  readonly configuration: Configuration<typeof gatewayConfiguration>;
  readonly version: string;
  readonly logger: Logger;
  readonly ask: Ask;
  /** Figures of this process, served by the management listener. */
  readonly metrics: Metrics;
}

const MANAGEMENT_BODY_BYTES = 262_144;
const WALLET_BODY_BYTES = 1_048_576;
const MINUTE_MILLISECONDS = 60_000;
const PREFLIGHT_SECONDS = 600;

function instanceOf(adapter: FastifyAdapter): FastifyInstance {
  return adapter.getInstance() as unknown as FastifyInstance;
}

async function nestApplication(
  module: object,
  adapter: FastifyAdapter,
  logger: Logger,
): Promise<NestFastifyApplication> {
  return NestFactory.create<NestFastifyApplication>(module as never, adapter, {
    logger: createNestLogger(logger),
    bodyParser: false,
    abortOnError: false,
  });
}

/** Until when the previous version of the schema and draft API is answered, as configured. */
function versionPolicy({ configuration }: GatewayOptions): VersionPolicy {
  return { deprecatedAt: configuration.previousDeprecatedAt, endsAt: configuration.previousEndsAt };
}

/** The security.txt as it is at each moment. Its end is watched by nobody: it is said once, at the start. */
function securityText({ configuration, logger }: GatewayOptions): () => string | undefined {
  const text = securityTextOf(configuration);
  if (text === undefined) return () => undefined;
  const render = () => renderSecurityText(text, configuration.baseUrl, new Date());
  if (render() === undefined) logger.warn('SECURITY_EXPIRES is over: there is no security.txt');
  return render;
}

/** The management listener: the backend's API, health and the API description. Not listening yet. */
export async function createManagementListener(options: GatewayOptions): Promise<NestFastifyApplication> {
  const { configuration, logger, metrics } = options;
  const errors = new ProblemDetailsFilter(logger);
  const tls = managementTls(configuration);
  const adapter = createListener({
    name: 'management',
    logger,
    maxBodyBytes: MANAGEMENT_BODY_BYTES,
    trustedProxies: [],
    rewriteUrl: (url) => managementPath(url, configuration.schemaPrefix ?? ''),
    tls,
    errors,
  });
  const keyDigests = configuration.managementKeyDigests;
  if (keyDigests === undefined && tls === undefined) {
    watchHostNames(instanceOf(adapter), { allowed: configuration.managementHosts ?? [], logger, metrics });
  }
  authenticateBackends(instanceOf(adapter), { keyDigests, clientCertificate: tls !== undefined });
  askForApiKeys(adapter, options.ask);
  parseManagementBodies(instanceOf(adapter));
  const app = await nestApplication(
    ManagementModule.register(options.ask, {
      versionPolicy: versionPolicy(options),
      vcApiKeyDigest: configuration.vcApiKeyDigest,
      metrics,
    }),
    adapter,
    logger,
  );
  app.useGlobalFilters(errors);
  serveApiDocuments(app, options.version);
  return app;
}

/** Counts every request of an address, also those to addresses that do not exist; preflights are answered before. */
async function limitRates(adapter: FastifyAdapter, perMinute: number): Promise<void> {
  if (perMinute === 0) return;
  const instance = instanceOf(adapter);
  await instance.register(rateLimit, {
    global: false,
    max: perMinute,
    timeWindow: MINUTE_MILLISECONDS,
    enableDraftSpec: true,
  });
  instance.addHook('onRequest', instance.rateLimit());
}

/** Each listener remembers the keys that it saw: two of them are asked about at most twice as often. */
function askForApiKeys(adapter: FastifyAdapter, ask: Ask): void {
  const isKnown = createKnownKeys(ask, () => performance.now());
  authenticateTenants(instanceOf(adapter), isKnown);
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
    exposedHeaders: ['DPoP-Nonce', 'WWW-Authenticate', 'OAuth-Client-Attestation-Challenge'],
  });
}

/** The public listener: what wallets need, rate limited, nothing of the management API. Not listening yet. */
export async function createPublicListener(options: GatewayOptions): Promise<NestFastifyApplication> {
  const { configuration, logger } = options;
  const basePath = pathOf(configuration.baseUrl);
  const issuerPath = pathOf(configuration.issuerUrl ?? configuration.baseUrl);
  const schemaPrefix = configuration.schemaPrefix ?? '';
  const errors = new PublicErrorFilter(logger);
  const adapter = createListener({
    name: 'public',
    logger,
    maxBodyBytes: WALLET_BODY_BYTES,
    trustedProxies: configuration.trustedProxies ?? [],
    rewriteUrl: (url) => internalPath(url, { basePath, issuerPath, schemaPrefix }),
    errors,
  });
  askForApiKeys(adapter, options.ask);
  refuseUnknownStates(instanceOf(adapter), options.ask, WALLET_BODY_BYTES);
  parsePublicBodies(instanceOf(adapter), { maxBackendBytes: MANAGEMENT_BODY_BYTES });
  await limitRates(adapter, configuration.rateLimitPerMinute);
  const { servesContent } = configuration;
  const module = WalletFacingModule.register(options.ask, {
    servesContent,
    versionPolicy: versionPolicy(options),
    securityText: securityText(options),
  });
  const app = await nestApplication(module, adapter, logger);
  app.useGlobalFilters(errors);
  allowWebWallets(app);
  return app;
}
