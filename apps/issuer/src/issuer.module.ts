import { randomBytes } from 'node:crypto';
import { Inject, Module, type OnApplicationShutdown } from '@nestjs/common';
import { CALLBACKS, CallbacksModule, type Callbacks } from '@vestibule/callbacks';
import { deriveKey, type Sealer } from '@vestibule/crypto';
import { BusModule } from '@vestibule/messaging';
import { parseIssuerUrl, requestEncryptionKeys, type EncryptionOffer } from '@vestibule/oid4vci';
import {
  createIdempotency,
  DATABASE,
  DatabaseModule,
  SEALER,
  type Database,
  type Idempotency,
} from '@vestibule/persistence';
import { createTimer, PROCESS, type Configuration, type ProcessContext, type Timer } from '@vestibule/process';
import { readTypeMetadataFolder, type LoadedTypes } from './adapters/files/type-metadata-folder';
import { readIssuerKey } from './adapters/keys/issuer-key';
import { issuerKeysOf, readRetiredIssuerKeys, type IssuerKeys } from './adapters/keys/issuer-keys';
import { createShorteningReport, watchIssuerKeys } from './adapters/keys/watch-issuer-keys';
import { ISSUER, IssuerController } from './adapters/nats/issuer.controller';
import { CredentialOfferStore } from './adapters/postgres/credential-offer.store';
import { ISSUER_DATABASE } from './adapters/postgres/database';
import { OfferChangeStore } from './adapters/postgres/offer-change.store';
import { StatusListStore } from './adapters/postgres/status-list.store';
import { composeIssuer, type Issuer } from './compose';
import type { issuerConfiguration } from './config';
import { STATUS_LIST_SIZE } from './domain/credential-status';
import { issuerDocuments } from './issuer-documents';
import { readWalletDemands } from './wallet-demands';

type Process = ProcessContext<Configuration<typeof issuerConfiguration>>;

const SWEEP_MILLISECONDS = 1_000;
const PURGE_BATCH = 1_000;
const clock = () => new Date();

const TYPES = Symbol('types');
const KEYS = Symbol('keys');
const SHORTENING_REPORT = Symbol('shortening report');
const IDEMPOTENCY = Symbol('idempotency');
const STORES = Symbol('stores');
const STATUS_LISTS = Symbol('status lists');
const SWEEP = Symbol('sweep');
const WATCH = Symbol('watch');

const issuerUrlOf = ({ configuration }: Process) =>
  parseIssuerUrl(configuration.issuerUrl, { allowHttpLoopback: true });

const types = (process: Process): LoadedTypes =>
  readTypeMetadataFolder(process.configuration.typeMetadataFolder, issuerUrlOf(process));

function keys(process: Process): IssuerKeys {
  const { configuration, logger, readiness } = process;
  const issuerUrl = issuerUrlOf(process);
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
  readiness.require('issuerCertificate', () => key.mayIssueAt(clock()));
  readiness.showExpiry('issuerCertificate', () => key.chainEndsAt);
  const folder = configuration.retiredCertificatesFolder;
  return issuerKeysOf(key, folder === undefined ? [] : readRetiredIssuerKeys(folder, issuerUrl));
}

type ShorteningReport = ReturnType<typeof createShorteningReport>;
const shorteningReport = ({ logger }: Process): ShorteningReport => createShorteningReport(logger, clock);

const idempotency = (database: Database, sealer: Sealer): Idempotency =>
  createIdempotency({ database, schema: ISSUER_DATABASE.schema, sealer, clock });

interface Stores {
  readonly store: CredentialOfferStore;
  readonly changes: OfferChangeStore;
}

function stores({ configuration }: Process, database: Database, sealer: Sealer, calls: Idempotency): Stores {
  const { retentionSeconds, callbackLifetimeSeconds, keepClaimsUntilExpiry: keepsClaims } = configuration;
  const common = { database, sealer, random: randomBytes, callbackLifetimeSeconds };
  return {
    store: new CredentialOfferStore({ ...common, idempotency: calls, retentionSeconds, keepsClaims }),
    changes: new OfferChangeStore(common),
  };
}

async function statusLists(database: Database, { current }: IssuerKeys): Promise<StatusListStore> {
  const lists = new StatusListStore(database);
  await lists.adopt(current.signerAt(clock()).x5c, clock());
  return lists;
}

/** The outside world of the use cases, as it was opened. */
type Opened = [
  types: LoadedTypes,
  keys: IssuerKeys,
  reportShortened: ShorteningReport,
  stores: Stores,
  statusLists: StatusListStore,
  callbacks: Callbacks,
];

/** What the configuration says about keys that encrypt requests and answers. */
function encryptionOf({ sealingKeys, credentialEncryption }: Process['configuration']) {
  const requestEncryptionSecrets = sealingKeys.map((sealingKey) => deriveKey(sealingKey, 'request encryption'));
  const encryptionRequired = credentialEncryption === 'required';
  const encryption = (): EncryptionOffer => ({
    key: requestEncryptionKeys(requestEncryptionSecrets, clock()).published,
    required: encryptionRequired,
  });
  return { requestEncryptionSecrets, encryptionRequired, encryption };
}

function issuer(process: Process, ...opened: Opened): Issuer {
  const { configuration, logger } = process;
  const [loaded, issuerKeys, reportShortened, { store, changes }, lists, callbacks] = opened;
  const { sealingKeys } = configuration;
  const issuerUrl = issuerUrlOf(process);
  const key = issuerKeys.current;
  const batchSize = configuration.batchSize > 1 ? configuration.batchSize : undefined;
  const demands = readWalletDemands(configuration, loaded.types.values(), logger);
  const { encryption, ...encryptionKeys } = encryptionOf(configuration);
  const { x5c } = key.signerAt(clock());
  return composeIssuer({
    clock,
    random: randomBytes,
    issuerUrl,
    types: loaded.types,
    batchSize,
    nonceKeys: sealingKeys.map((sealingKey) => deriveKey(sealingKey, 'nonce')),
    signerAt: (now) => key.signerAt(now),
    listSignerAt: (chain, now) => issuerKeys.listSignerAt(chain, now),
    chainEndsAt: () => key.chainEndsAt,
    reportShortened,
    reportFailure: (error) => logger.error('a credential or a status list could not be signed', { error }),
    statusListSize: STATUS_LIST_SIZE,
    statusListTtlSeconds: configuration.statusListTtlSeconds,
    callbackUrlFault: (url) => callbacks.urlFault(url),
    ...demands,
    signsMetadata: configuration.signedMetadata,
    documents: issuerDocuments({ issuerUrl, loaded, batchSize, demands, encryption, x5c }),
    ...encryptionKeys,
    notificationKeys: sealingKeys.map((sealingKey) => deriveKey(sealingKey, 'notification')),
    deferredSeconds: configuration.deferredSeconds,
    deferredIntervalSeconds: configuration.deferredIntervalSeconds,
    store,
    changes,
    statusLists: lists,
    wakeDelivery: () => callbacks.wake(),
  });
}

/** Expires offers and removes what is past its time: calls, lists of the current certificate, dead callbacks. */
function sweep(
  { logger }: Process,
  ...[swept, calls, lists, issuerKeys, callbacks]: [Issuer, Idempotency, StatusListStore, IssuerKeys, Callbacks]
): Timer {
  const { x5c } = issuerKeys.current.signerAt(clock());
  return createTimer({
    name: 'expiry',
    everyMilliseconds: SWEEP_MILLISECONDS,
    logger,
    async run() {
      const { expired, purged } = await swept.expireCredentialOffers();
      if (expired > 0) logger.info('swept', { expired, purged });
      await calls.purge(PURGE_BATCH);
      await lists.purge(clock(), PURGE_BATCH, x5c);
      await callbacks.purge(PURGE_BATCH);
    },
  });
}

function watch(
  { logger }: Process,
  ...[loaded, issuerKeys, reportShortened, lists]: [LoadedTypes, IssuerKeys, ShorteningReport, StatusListStore]
): Promise<Timer> {
  const findOwners = (now: Date) => lists.findOwners(now);
  return watchIssuerKeys({ keys: issuerKeys, types: loaded.types, reportShortened, findOwners, clock, logger });
}

/** The issuer: its adapters, its use cases over them, and what it is asked over the bus. The only wiring there is. */
@Module({
  imports: [DatabaseModule.forRoot(ISSUER_DATABASE), CallbacksModule.forRoot('issuer'), BusModule.forRoot()],
  controllers: [IssuerController],
  providers: [
    { provide: TYPES, inject: [PROCESS], useFactory: types },
    { provide: KEYS, inject: [PROCESS], useFactory: keys },
    { provide: SHORTENING_REPORT, inject: [PROCESS], useFactory: shorteningReport },
    { provide: IDEMPOTENCY, inject: [DATABASE, SEALER], useFactory: idempotency },
    { provide: STORES, inject: [PROCESS, DATABASE, SEALER, IDEMPOTENCY], useFactory: stores },
    { provide: STATUS_LISTS, inject: [DATABASE, KEYS], useFactory: statusLists },
    {
      provide: ISSUER,
      inject: [PROCESS, TYPES, KEYS, SHORTENING_REPORT, STORES, STATUS_LISTS, CALLBACKS],
      useFactory: issuer,
    },
    { provide: SWEEP, inject: [PROCESS, ISSUER, IDEMPOTENCY, STATUS_LISTS, KEYS, CALLBACKS], useFactory: sweep },
    { provide: WATCH, inject: [PROCESS, TYPES, KEYS, SHORTENING_REPORT, STATUS_LISTS], useFactory: watch },
  ],
})
export class IssuerModule implements OnApplicationShutdown {
  constructor(
    @Inject(SWEEP) private readonly sweeping: Timer,
    @Inject(WATCH) private readonly watching: Timer,
  ) {}

  async onApplicationShutdown(): Promise<void> {
    await this.sweeping.stop();
    await this.watching.stop();
  }
}
