import { Inject, Module, type OnApplicationShutdown } from '@nestjs/common';
import { CALLBACKS, CallbacksModule, type Callbacks } from '@vestibule/callbacks';
import type { Sealer } from '@vestibule/crypto';
import { countedUses, type Egress } from '@vestibule/egress';
import { KEYRING, KeyringModule } from '@vestibule/keys';
import { BusModule } from '@vestibule/messaging';
import {
  AGREED_TIME,
  DATABASE,
  DatabaseModule,
  IDEMPOTENCY,
  SEALER,
  type AgreedTime,
  type Database,
  type Idempotency,
} from '@vestibule/persistence';
import {
  countOutcomes,
  createExpiryHold,
  createSweep,
  inBatches,
  LONG_PAUSE,
  pacedPurge,
  pauseFor,
  PROCESS,
  TRANSPORT,
  type Configuration,
  type ExpiryHold,
  type Outcomes,
  type ProcessContext,
  type Purge,
  type Timer,
  randomBytes,
} from '@vestibule/process';
import { countedChanges, countedIssuances, countedOffers, countedRedemptions } from './adapters/counted-ends';
import { reportTypes } from './adapters/files/report-types';
import { readTypeMetadataFolder, type LoadedTypes } from './adapters/files/type-metadata-folder';
import { createAttestationStatus } from './adapters/http/attestation-status';
import type { AccessKey } from './adapters/keys/access-key';
import type { AttesterTrust } from './adapters/keys/attester-trust';
import type { FollowedIssuerKeys } from './adapters/keys/follow-issuer-keys';
import { leadingChain, type IssuerKeys } from './adapters/keys/issuer-keys';
import { createLossReport } from './adapters/loss-report';
import { createUnreadReport } from './adapters/keys/unread-attestations';
import { createShorteningReport, watchIssuerKeys } from './adapters/keys/watch-issuer-keys';
import { IssuerController } from './adapters/nats/issuer.controller';
import { createCredentialOfferStore } from './adapters/postgres/credential-offer.store';
import { createOfferList } from './adapters/postgres/offer-list';
import { ISSUER_DATABASE } from './adapters/postgres/database';
import { createIssuanceStore } from './adapters/postgres/issuance.store';
import { createOfferChangeStore } from './adapters/postgres/offer-change.store';
import type { OfferStoreOptions } from './adapters/postgres/offer-row';
import { createRedemptionStore } from './adapters/postgres/redemption.store';
import { createStatusListStore, type StatusListStore } from './adapters/postgres/status-list.store';
import type { issuerConfiguration } from './config';
import type { CredentialOffers, Issuances, OfferChanges, Redemptions, Reports } from './domain/ports';
import type { Completion } from './domain/issuance';
import { createUnkeptBy } from './domain/kept-claims';
import { createOlderReplicas } from './domain/older-replicas';
import { issuerSettings, issuerUrlOf } from './issuer-settings';
import {
  ACCESS_KEY,
  ATTESTATION_STATUS,
  ATTESTERS,
  CHANGES,
  EGRESS,
  HOLD,
  ISSUANCES,
  ISSUER_KEYS,
  KEYS,
  OFFER_LIST,
  OFFERS,
  REDEMPTIONS,
  REPORTS,
  SETTINGS,
  STATUS_LISTS,
  SWEEP,
  TYPES,
  WATCH,
} from './tokens';
import { USE_CASES } from './use-case-providers';
import { attesters, egress } from './attester-providers';
import { accessKey, issuerKeys, keys } from './key-providers';
import { expireCredentialOffers } from './use-cases/expire-credential-offers';

type Process = ProcessContext<Configuration<typeof issuerConfiguration>>;

const SWEEP_MILLISECONDS = 1_000;
const clock = () => new Date();

const OUTCOMES = Symbol('how offers end');
const STORING = Symbol('what stores of offers have in common');
const PURGES = Symbol('what deletes what is no longer needed');

function types({ configuration, logger }: Process): LoadedTypes {
  const loaded = readTypeMetadataFolder(configuration.typeMetadataFolder, issuerUrlOf(configuration));
  reportTypes(loaded, logger);
  return loaded;
}

const attestationStatus = (
  { configuration, metrics }: Process,
  fetcher: Egress,
  { walletStatus, keyStatus }: AttesterTrust,
) =>
  createAttestationStatus({
    egress: fetcher,
    maxAgeSeconds: configuration.statusListMaxAgeSeconds,
    signers: { wallet: walletStatus, key: keyStatus },
    clock,
    onUse: countedUses(metrics, 'status-lists'),
  });

const settings = ({ configuration, logger }: Process, loaded: LoadedTypes, issued: IssuerKeys, trust: AttesterTrust) =>
  issuerSettings(configuration, { types: loaded, attesters: trust, keys: issued, clock, logger });

const reports = ({ logger, metrics }: Process): Reports => ({
  reportFailure: (error) => logger.error('a credential or a status list could not be signed', { error }),
  reportLostRevocations: createLossReport(logger, metrics),
  reportPostponed: (error) =>
    logger.warn('a deferred credential is ready but cannot be issued now: its wallet asks again', { error }),
  reportShortened: createShorteningReport(logger, clock),
  reportUnreadAttestation: createUnreadReport(logger, clock),
});

const outcomes = ({ metrics }: Process): Outcomes =>
  countOutcomes(metrics, 'credential_offers_ended_total', 'Credential offers that ended, by outcome and code');

function storing(
  { configuration }: Process,
  database: Database,
  sealer: Sealer,
  { commit }: Callbacks,
): OfferStoreOptions {
  const { callbackLifetimeSeconds } = configuration;
  const olderReplicas = createOlderReplicas(() => performance.now());
  return { database, sealer, random: randomBytes, olderReplicas, callbackLifetimeSeconds, commit };
}

function offers(
  { configuration }: Process,
  common: OfferStoreOptions,
  idempotency: Idempotency,
  { waking }: Callbacks,
  ended: Outcomes,
): CredentialOffers {
  const { retentionSeconds, redeliverySeconds, keepClaimsUntilExpiry } = configuration;
  const unkeptBy = createUnkeptBy(keepClaimsUntilExpiry, () => performance.now());
  const kept = { retentionSeconds, redeliverySeconds, unkeptBy };
  const stored = createCredentialOfferStore({ ...common, idempotency, ...kept });
  return countedOffers({ ...stored, expire: waking(stored.expire, (count) => count > 0) }, ended);
}

function changes(common: OfferStoreOptions, { waking }: Callbacks, ended: Outcomes): OfferChanges {
  const stored = createOfferChangeStore(common);
  const { fail, deny, cancel } = stored;
  return countedChanges({ ...stored, fail: waking(fail), deny: waking(deny), cancel: waking(cancel) }, ended);
}

function redemptions(common: OfferStoreOptions, { waking }: Callbacks, ended: Outcomes): Redemptions {
  const stored = createRedemptionStore(common);
  return countedRedemptions({ ...stored, redeem: waking(stored.redeem, (outcome) => outcome === 'ended') }, ended);
}

function issuances(
  { configuration }: Process,
  common: OfferStoreOptions,
  { waking }: Callbacks,
  ended: Outcomes,
): Issuances {
  const stored = createIssuanceStore({ ...common, keepsClaims: configuration.keepClaimsUntilExpiry });
  const completing = waking(stored.complete);
  const issuing = {
    ...stored,
    // A held event is not due: its release wakes the delivery.
    complete: (completion: Completion) =>
      completion.holdSeconds > 0 ? stored.complete(completion) : completing(completion),
    recordNotification: waking(stored.recordNotification, (released) => released),
  };
  return countedIssuances(issuing, ended);
}

async function statusLists(database: Database, own: IssuerKeys): Promise<StatusListStore> {
  const lists = createStatusListStore(database);
  await lists.adopt(leadingChain(own), clock());
  return lists;
}

const hold = (bus: { readonly isConnected: () => boolean }): ExpiryHold =>
  createExpiryHold({ stopwatch: () => performance.now(), isReachable: () => bus.isConnected() });

type Expire = ReturnType<typeof expireCredentialOffers>;

/** Deletes what is no longer needed: remains of offers, idempotency keys, status lists, dead callbacks. */
function purges(
  stored: CredentialOffers,
  calls: Idempotency,
  lists: StatusListStore,
  own: IssuerKeys,
  callbacks: Callbacks,
  agreedTime: AgreedTime,
): readonly Purge[] {
  return [
    inBatches(async (limit) => ((await stored.hasRemains(clock())) ? stored.purge(await agreedTime(), limit) : 0)),
    pacedPurge(
      inBatches((limit) => calls.purge(limit)),
      LONG_PAUSE,
    ),
    pacedPurge(inBatches(async (limit) => lists.purge(await agreedTime(), limit, leadingChain(own)))),
    inBatches((limit) => callbacks.giveUp(limit)),
    pacedPurge(
      inBatches((limit) => callbacks.purge(limit)),
      pauseFor(callbacks.retentionSeconds),
    ),
  ];
}

const sweep = ({ logger }: Process, expire: Expire, purging: readonly Purge[], { during }: ExpiryHold): Timer =>
  createSweep({
    everyMilliseconds: SWEEP_MILLISECONDS,
    expire: (goesOn) => during(() => expire(goesOn)),
    purges: purging,
    logger,
  });

const watch = (
  { logger }: Process,
  loaded: LoadedTypes,
  watched: IssuerKeys,
  { reportShortened }: Reports,
  { findOwners }: StatusListStore,
  access: AccessKey | undefined,
) => watchIssuerKeys({ keys: watched, access, types: loaded, reportShortened, findOwners, clock, logger });

const PARTS = [DatabaseModule.forRoot(ISSUER_DATABASE), CallbacksModule.forRoot('issuer'), BusModule.forRoot()];

/** The issuer: its adapters, its use cases over them, and its requests over the bus. */
@Module({
  imports: [...PARTS, KeyringModule],
  controllers: [IssuerController],
  providers: [
    { provide: TYPES, inject: [PROCESS], useFactory: types },
    { provide: ISSUER_KEYS, inject: [PROCESS, KEYRING, TYPES], useFactory: issuerKeys },
    { provide: ACCESS_KEY, inject: [PROCESS, TYPES, ISSUER_KEYS, KEYRING], useFactory: accessKey },
    { provide: KEYS, inject: [ISSUER_KEYS, ACCESS_KEY], useFactory: keys },
    { provide: ATTESTERS, inject: [PROCESS, EGRESS], useFactory: attesters },
    { provide: EGRESS, inject: [PROCESS], useFactory: egress },
    { provide: ATTESTATION_STATUS, inject: [PROCESS, EGRESS, ATTESTERS], useFactory: attestationStatus },
    { provide: SETTINGS, inject: [PROCESS, TYPES, ISSUER_KEYS, ATTESTERS], useFactory: settings },
    { provide: REPORTS, inject: [PROCESS], useFactory: reports },
    { provide: OUTCOMES, inject: [PROCESS], useFactory: outcomes },
    { provide: STORING, inject: [PROCESS, DATABASE, SEALER, CALLBACKS], useFactory: storing },
    { provide: OFFERS, inject: [PROCESS, STORING, IDEMPOTENCY, CALLBACKS, OUTCOMES], useFactory: offers },
    { provide: OFFER_LIST, inject: [DATABASE], useFactory: createOfferList },
    { provide: CHANGES, inject: [STORING, CALLBACKS, OUTCOMES], useFactory: changes },
    { provide: REDEMPTIONS, inject: [STORING, CALLBACKS, OUTCOMES], useFactory: redemptions },
    { provide: ISSUANCES, inject: [PROCESS, STORING, CALLBACKS, OUTCOMES], useFactory: issuances },
    { provide: STATUS_LISTS, inject: [DATABASE, ISSUER_KEYS], useFactory: statusLists },
    { provide: HOLD, inject: [TRANSPORT], useFactory: hold },
    ...USE_CASES,
    {
      provide: PURGES,
      inject: [OFFERS, IDEMPOTENCY, STATUS_LISTS, ISSUER_KEYS, CALLBACKS, AGREED_TIME],
      useFactory: purges,
    },
    { provide: SWEEP, inject: [PROCESS, expireCredentialOffers, PURGES, HOLD], useFactory: sweep },
    { provide: WATCH, inject: [PROCESS, TYPES, ISSUER_KEYS, REPORTS, STATUS_LISTS, ACCESS_KEY], useFactory: watch },
  ],
})
export class IssuerModule implements OnApplicationShutdown {
  constructor(
    @Inject(SWEEP) private readonly sweeping: Timer,
    @Inject(WATCH) private readonly watching: Timer,
    @Inject(EGRESS) private readonly fetcher: Egress,
    @Inject(ATTESTERS) private readonly trusted: AttesterTrust,
    @Inject(ISSUER_KEYS) private readonly followed: FollowedIssuerKeys,
  ) {}

  async onApplicationShutdown(): Promise<void> {
    await this.sweeping.stop();
    await this.watching.stop();
    await this.followed.close();
    await this.trusted.lists?.close();
    await this.fetcher.close();
  }
}
