import { randomBytes } from 'node:crypto';
import {
  acceptCallbackUrl,
  callbackLimitsOf,
  callbackTargetOf,
  createDeliverer,
  purgeDeadCallbacks,
} from '@vestibule/callbacks';
import {
  ChangeCredentialStatus,
  CheckIssuerHealth,
  CreateCredentialOffer,
  ExchangePreAuthorizedCode,
  GetCredentialOffer,
  GetIssuerDocument,
  GetOfferObject,
  GetStatusList,
  GetTypeMetadata,
  IssueCredential,
  IssueNonce,
} from '@vestibule/contracts';
import { deriveKey } from '@vestibule/crypto';
import { runMicroservice, type MicroserviceContext } from '@vestibule/microservice';
import { buildAuthorizationServerMetadata, buildIssuerMetadata, parseIssuerUrl } from '@vestibule/oid4vci';
import { createIdempotency } from '@vestibule/persistence';
import { createTimer, type Configuration } from '@vestibule/service';
import { readTypeMetadataFolder, type LoadedTypes } from './adapters/files/type-metadata-folder';
import { readIssuerKey } from './adapters/keys/issuer-key';
import { CredentialOfferStore } from './adapters/postgres/credential-offer.store';
import { MIGRATIONS, SCHEMA } from './adapters/postgres/migrations';
import { SEALED } from './adapters/postgres/sealed-columns';
import { StatusListStore } from './adapters/postgres/status-list.store';
import { composeIssuer, type Issuer } from './compose';
import { issuerConfiguration } from './config';
import { STATUS_LIST_SIZE } from './domain/credential-status';

type Context = MicroserviceContext<Configuration<typeof issuerConfiguration>>;

const SWEEP_MILLISECONDS = 1_000;
const PURGE_BATCH = 1_000;
const clock = () => new Date();

function openDeliverer({ configuration, database, sealer, logger, onClose }: Context) {
  const deliverer = createDeliverer({
    database,
    schema: SCHEMA,
    sealer,
    target: callbackTargetOf(configuration),
    clock,
    random: randomBytes,
    logger,
    limits: callbackLimitsOf(configuration),
  });
  onClose('callback delivery', () => deliverer.stop());
  return deliverer;
}

function startSweeping(context: Context, issuer: Issuer, purgeOthers: (limit: number) => Promise<void>): void {
  const { database, logger, configuration } = context;
  const timer = createTimer({
    name: 'expiry',
    everyMilliseconds: SWEEP_MILLISECONDS,
    logger,
    async run() {
      const { expired, purged } = await issuer.expireCredentialOffers();
      if (expired > 0) logger.info('swept', { expired, purged });
      await purgeOthers(PURGE_BATCH);
      await purgeDeadCallbacks(database, {
        schema: SCHEMA,
        olderThanSeconds: configuration.retentionSeconds,
        limit: PURGE_BATCH,
      });
    },
  });
  context.onClose('expiry', () => timer.stop());
}

function documentsOf(issuerUrl: string, { types, display }: LoadedTypes, batchSize: number | undefined) {
  return {
    'openid-credential-issuer': JSON.stringify(
      buildIssuerMetadata({ issuerUrl, types: [...types.values()], batchSize, display }),
    ),
    'oauth-authorization-server': JSON.stringify(buildAuthorizationServerMetadata(issuerUrl)),
  };
}

function openKey({ configuration, logger }: Context, issuerUrl: string) {
  const key = readIssuerKey({
    certificateFile: configuration.certificateFile,
    keyPem: configuration.key,
    now: clock(),
    issuerUrl,
  });
  if (!key.namesIssuer)
    logger.warn('the issuer certificate does not name ISSUER_URL: older verifiers refuse its credentials');
  return key;
}

function open(context: Context) {
  const { configuration, database, sealer, logger } = context;
  const issuerUrl = parseIssuerUrl(configuration.issuerUrl, { allowHttpLoopback: true });
  const loaded = readTypeMetadataFolder(configuration.typeMetadataFolder, issuerUrl);
  const batchSize = configuration.batchSize > 1 ? configuration.batchSize : undefined;
  const key = openKey(context, issuerUrl);
  const idempotency = createIdempotency({ database, schema: SCHEMA, sealer, clock });
  const { sealingKeys: keys, retentionSeconds, callbackLifetimeSeconds } = configuration;
  const store = new CredentialOfferStore({
    database,
    sealer,
    keys,
    idempotency,
    random: randomBytes,
    retentionSeconds,
    callbackLifetimeSeconds,
  });
  const statusLists = new StatusListStore(database);
  const deliverer = openDeliverer(context);
  const issuer = composeIssuer({
    clock,
    random: randomBytes,
    issuerUrl,
    types: loaded.types,
    batchSize,
    nonceKeys: keys.map((sealingKey) => deriveKey(sealingKey, 'nonce')),
    signerAt: (now) => key.signerAt(now),
    reportFailure: (error) => logger.error('a credential or a status list could not be signed', { error }),
    statusListSize: STATUS_LIST_SIZE,
    statusListTtlSeconds: configuration.statusListTtlSeconds,
    acceptCallbackUrl: (url) => acceptCallbackUrl(url, configuration.callbackOrigins ?? []),
    documents: documentsOf(issuerUrl, loaded, batchSize),
    store,
    statusLists,
    wakeDelivery: () => deliverer.wake(),
  });
  startSweeping(context, issuer, async (limit) => {
    await idempotency.purge(limit);
    await statusLists.purge(clock(), limit);
  });
  return { issuer, key };
}

void runMicroservice({
  name: 'issuer',
  schema: SCHEMA,
  configuration: issuerConfiguration,
  migrations: MIGRATIONS,
  sealed: SEALED,
  publicUrl: ({ issuerUrl }) => ({ variable: 'ISSUER_URL', url: issuerUrl }),
  health: CheckIssuerHealth,
  open(context) {
    const { issuer, key } = open(context);
    return {
      checks: { issuerCertificate: () => key.isValidAt(clock()) },
      expires: { issuerCertificate: () => key.notAfter },
      answer(server) {
        server
          .answer(CreateCredentialOffer, issuer.createCredentialOffer)
          .answer(GetCredentialOffer, issuer.getCredentialOffer)
          .answer(GetOfferObject, issuer.getOfferObject)
          .answer(ChangeCredentialStatus, issuer.changeCredentialStatus)
          .answer(GetStatusList, issuer.getStatusList)
          .answer(GetIssuerDocument, issuer.getIssuerDocument)
          .answer(GetTypeMetadata, issuer.getTypeMetadata)
          .answer(ExchangePreAuthorizedCode, issuer.exchangePreAuthorizedCode)
          .answer(IssueNonce, issuer.issueNonce)
          .answer(IssueCredential, issuer.issueCredential);
      },
    };
  },
});
