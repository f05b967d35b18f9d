import { randomBytes } from 'node:crypto';
import { openCallbacks } from '@vestibule/callbacks';
import {
  AcceptNotification,
  CancelCredentialOffer,
  ChangeCredentialOffer,
  ChangeCredentialStatus,
  CheckIssuerHealth,
  CreateCredentialOffer,
  ExchangePreAuthorizedCode,
  GetCredentialOffer,
  GetIssuerDocument,
  GetOfferObject,
  GetSignedMetadata,
  GetStatusList,
  GetTypeMetadata,
  IssueChallenge,
  IssueCredential,
  IssueDeferredCredential,
  IssueNonce,
  ListCallbacks,
  RetryCallbacks,
} from '@vestibule/contracts';
import { deriveKey } from '@vestibule/crypto';
import { runMicroservice, type MicroserviceContext } from '@vestibule/microservice';
import { parseIssuerUrl, requestEncryptionKeys, type EncryptionOffer } from '@vestibule/oid4vci';
import { createIdempotency, type Idempotency } from '@vestibule/persistence';
import { createTimer, type Configuration } from '@vestibule/process';
import { readTypeMetadataFolder } from './adapters/files/type-metadata-folder';
import { readIssuerKey } from './adapters/keys/issuer-key';
import { issuerKeysOf, readRetiredIssuerKeys, type IssuerKeys } from './adapters/keys/issuer-keys';
import { CredentialOfferStore } from './adapters/postgres/credential-offer.store';
import { MIGRATIONS, SCHEMA } from './adapters/postgres/migrations';
import { OfferChangeStore } from './adapters/postgres/offer-change.store';
import { SEALED } from './adapters/postgres/sealed-columns';
import { StatusListStore } from './adapters/postgres/status-list.store';
import { composeIssuer, type Issuer } from './compose';
import { createShorteningReport, watchIssuerKeys } from './adapters/keys/watch-issuer-keys';
import { issuerConfiguration } from './config';
import { STATUS_LIST_SIZE } from './domain/credential-status';
import { issuerDocuments } from './issuer-documents';
import { readWalletDemands } from './wallet-demands';

type Context = MicroserviceContext<Configuration<typeof issuerConfiguration>>;

const SWEEP_MILLISECONDS = 1_000;
const PURGE_BATCH = 1_000;
const clock = () => new Date();

function startSweeping(
  { logger, onClose }: Context,
  issuer: Issuer,
  purgeOthers: (limit: number) => Promise<void>,
): void {
  const timer = createTimer({
    name: 'expiry',
    everyMilliseconds: SWEEP_MILLISECONDS,
    logger,
    async run() {
      const { expired, purged } = await issuer.expireCredentialOffers();
      if (expired > 0) logger.info('swept', { expired, purged });
      await purgeOthers(PURGE_BATCH);
    },
  });
  onClose('expiry', () => timer.stop());
}

function openKeys({ configuration, logger }: Context, issuerUrl: string): IssuerKeys {
  const key = readIssuerKey({
    certificateFile: configuration.certificateFile,
    keyPem: configuration.key,
    now: clock(),
    issuerUrl,
  });
  if (!key.namesIssuer)
    logger.warn(
      'the issuer certificate does not name ISSUER_URL: verifiers that look for iss in it refuse its credentials',
    );
  const folder = configuration.retiredCertificatesFolder;
  return issuerKeysOf(key, folder === undefined ? [] : readRetiredIssuerKeys(folder, issuerUrl));
}

function openStores({ configuration, database, sealer }: Context, idempotency: Idempotency) {
  const { retentionSeconds, callbackLifetimeSeconds, keepClaimsUntilExpiry: keepsClaims } = configuration;
  const common = { database, sealer, random: randomBytes, callbackLifetimeSeconds };
  return {
    store: new CredentialOfferStore({ ...common, idempotency, retentionSeconds, keepsClaims }),
    changes: new OfferChangeStore(common),
  };
}

async function open(context: Context) {
  const { configuration, database, sealer, logger } = context;
  const issuerUrl = parseIssuerUrl(configuration.issuerUrl, { allowHttpLoopback: true });
  const loaded = readTypeMetadataFolder(configuration.typeMetadataFolder, issuerUrl);
  const batchSize = configuration.batchSize > 1 ? configuration.batchSize : undefined;
  const demands = readWalletDemands(configuration, loaded.types.values(), logger);
  const keys = openKeys(context, issuerUrl);
  const key = keys.current;
  const idempotency = createIdempotency({ database, schema: SCHEMA, sealer, clock });
  const { sealingKeys } = configuration;
  const { store, changes } = openStores(context, idempotency);
  const requestEncryptionSecrets = sealingKeys.map((sealingKey) => deriveKey(sealingKey, 'request encryption'));
  const encryptionRequired = configuration.credentialEncryption === 'required';
  const encryption = (): EncryptionOffer => ({
    key: requestEncryptionKeys(requestEncryptionSecrets, clock()).published,
    required: encryptionRequired,
  });
  const statusLists = new StatusListStore(database);
  const { x5c } = key.signerAt(clock());
  await statusLists.adopt(x5c, clock());
  const reportShortened = createShorteningReport(logger, clock);
  const callbacks = openCallbacks(context, { service: SCHEMA, clock, random: randomBytes });
  const issuer = composeIssuer({
    clock,
    random: randomBytes,
    issuerUrl,
    types: loaded.types,
    batchSize,
    nonceKeys: sealingKeys.map((sealingKey) => deriveKey(sealingKey, 'nonce')),
    signerAt: (now) => key.signerAt(now),
    listSignerAt: (x5c, now) => keys.listSignerAt(x5c, now),
    chainEndsAt: () => key.chainEndsAt,
    reportShortened,
    reportFailure: (error) => logger.error('a credential or a status list could not be signed', { error }),
    statusListSize: STATUS_LIST_SIZE,
    statusListTtlSeconds: configuration.statusListTtlSeconds,
    callbackUrlFault: (url) => callbacks.urlFault(url),
    ...demands,
    signsMetadata: configuration.signedMetadata,
    documents: issuerDocuments({ issuerUrl, loaded, batchSize, demands, encryption, x5c }),
    requestEncryptionSecrets,
    encryptionRequired,
    notificationKeys: sealingKeys.map((sealingKey) => deriveKey(sealingKey, 'notification')),
    deferredSeconds: configuration.deferredSeconds,
    deferredIntervalSeconds: configuration.deferredIntervalSeconds,
    store,
    changes,
    statusLists,
    wakeDelivery: () => callbacks.wake(),
  });
  startSweeping(context, issuer, async (limit) => {
    await idempotency.purge(limit);
    await statusLists.purge(clock(), limit, x5c);
    await callbacks.purge(limit);
  });
  const { types } = loaded;
  const findOwners = (now: Date) => statusLists.findOwners(now);
  await watchIssuerKeys({ keys, types, reportShortened, findOwners, clock, ...context });
  return { issuer, key, overview: callbacks.overview };
}

void runMicroservice({
  name: 'issuer',
  schema: SCHEMA,
  configuration: issuerConfiguration,
  migrations: MIGRATIONS,
  sealed: SEALED,
  publicUrl: ({ issuerUrl }) => ({ variable: 'ISSUER_URL', url: issuerUrl }),
  health: CheckIssuerHealth,
  async open(context) {
    const { issuer, key, overview } = await open(context);
    return {
      checks: { issuerCertificate: () => key.mayIssueAt(clock()) },
      expires: { issuerCertificate: () => key.chainEndsAt },
      answer(server) {
        server
          .answer(CreateCredentialOffer, issuer.createCredentialOffer)
          .answer(GetCredentialOffer, issuer.getCredentialOffer)
          .answer(ChangeCredentialOffer, issuer.changeCredentialOffer)
          .answer(CancelCredentialOffer, issuer.cancelCredentialOffer)
          .answer(GetOfferObject, issuer.getOfferObject)
          .answer(ChangeCredentialStatus, issuer.changeCredentialStatus)
          .answer(GetStatusList, issuer.getStatusList)
          .answer(GetIssuerDocument, issuer.getIssuerDocument)
          .answer(GetTypeMetadata, issuer.getTypeMetadata)
          .answer(ExchangePreAuthorizedCode, issuer.exchangePreAuthorizedCode)
          .answer(GetSignedMetadata, issuer.getSignedMetadata)
          .answer(IssueChallenge, issuer.issueChallenge)
          .answer(IssueNonce, issuer.issueNonce)
          .answer(IssueCredential, issuer.issueCredential)
          .answer(IssueDeferredCredential, issuer.issueDeferredCredential)
          .answer(AcceptNotification, issuer.acceptNotification)
          .answer(ListCallbacks.issuer, overview.list)
          .answer(RetryCallbacks.issuer, overview.retry);
      },
    };
  },
});
