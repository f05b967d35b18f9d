import { randomBytes } from 'node:crypto';
import { Inject, Module, type OnApplicationShutdown } from '@nestjs/common';
import { CALLBACKS, CallbacksModule, type Callbacks } from '@vestibule/callbacks';
import type { Sealer } from '@vestibule/crypto';
import { createEgress, type Egress } from '@vestibule/egress';
import { BusModule } from '@vestibule/messaging';
import {
  createIdempotency,
  DATABASE,
  DatabaseModule,
  SEALER,
  type Database,
  type Idempotency,
} from '@vestibule/persistence';
import {
  createTimer,
  currentAnswerBy,
  PROCESS,
  type Configuration,
  type ProcessContext,
  type Timer,
} from '@vestibule/process';
import type { VerifiedChain } from '@vestibule/x509-trust';
import { readEgressAuthorities } from './adapters/http/egress-authorities';
import { IssuerMetadataDocuments } from './adapters/http/issuer-metadata';
import { RevocationLists } from './adapters/http/revocation-lists';
import { StatusLists } from './adapters/http/status-lists';
import { openKeys, type Keys } from './adapters/keys/open-keys';
import { VERIFIER, VerifierController } from './adapters/nats/verifier.controller';
import { VERIFIER_DATABASE } from './adapters/postgres/database';
import { PresentationRequestStore } from './adapters/postgres/presentation-request.store';
import { pause, within } from './adapters/turns';
import { composeVerifier, type Verifier } from './compose';
import type { verifierConfiguration } from './config';

type Process = ProcessContext<Configuration<typeof verifierConfiguration>>;

/** The difference of two clocks that is forgiven everywhere. */
const SKEW_SECONDS = 60;
const SWEEP_MILLISECONDS = 1_000;
const PURGE_BATCH = 1_000;
const clock = () => new Date();

const KEYS = Symbol('keys');
const EGRESS = Symbol('egress');
const REVOCATION = Symbol('revocation');
const STATUS_LISTS = Symbol('status lists');
const IDEMPOTENCY = Symbol('idempotency');
const STORE = Symbol('store');
const SWEEP = Symbol('sweep');

/** Whether a chain was revoked; undefined where that is not looked up. */
type CheckRevocation = ((chain: VerifiedChain, now: Date) => Promise<void>) | undefined;

function keys({ configuration, logger, readiness }: Process): Keys {
  const opened = openKeys({
    certificateFile: configuration.accessCertificateFile,
    keyPem: configuration.accessKey,
    folder: configuration.accessCertificatesFolder,
    allowSelfSigned: configuration.allowSelfSigned,
    trustFile: configuration.trustFile,
    reloadSeconds: configuration.reloadSeconds,
    skewSeconds: SKEW_SECONDS,
    clock,
    logger,
  });
  readiness.require('accessCertificate', () => opened.certificate.isValidAt(clock()));
  readiness.showExpiry('accessCertificate', () => opened.certificate.validUntil(clock()));
  return opened;
}

function egress({ configuration: { egressDevelopmentHosts = [], egressCaFile } }: Process): Egress {
  const authorities = egressCaFile === undefined ? [] : readEgressAuthorities(egressCaFile);
  return createEgress({ allowDevelopmentHosts: egressDevelopmentHosts, authorities });
}

function revocation({ configuration }: Process, fetcher: Egress): CheckRevocation {
  const mode = configuration.certificateRevocation;
  if (mode === 'off') return undefined;
  const lists = new RevocationLists({ egress: fetcher, clock, mode });
  return (chain, now) => lists.check(chain, now);
}

function statusLists({ configuration }: Process, fetcher: Egress, { trust }: Keys, checkRevocation: CheckRevocation) {
  const { statusListGraceSeconds: graceSeconds } = configuration;
  return new StatusLists({ egress: fetcher, trust, clock, skewSeconds: SKEW_SECONDS, graceSeconds, checkRevocation });
}

const idempotency = (database: Database, sealer: Sealer): Idempotency =>
  createIdempotency({ database, schema: VERIFIER_DATABASE.schema, sealer, clock });

function store({ configuration }: Process, database: Database, sealer: Sealer, calls: Idempotency) {
  const { retentionSeconds, callbackLifetimeSeconds } = configuration;
  const common = { database, sealer, idempotency: calls, random: randomBytes };
  return new PresentationRequestStore({ ...common, retentionSeconds, callbackLifetimeSeconds });
}

/** The outside world of the use cases, as it was opened. */
type Opened = [
  keys: Keys,
  egress: Egress,
  checkRevocation: CheckRevocation,
  statusLists: StatusLists,
  store: PresentationRequestStore,
  callbacks: Callbacks,
];

function verifier({ configuration, logger }: Process, ...opened: Opened): Verifier {
  const [{ certificate, trust }, fetcher, checkRevocation, lists, requests, callbacks] = opened;
  const issuerMetadata = new IssuerMetadataDocuments({ egress: fetcher, clock });
  return composeVerifier({
    clock,
    random: randomBytes,
    stopwatch: () => performance.now(),
    awaitedMilliseconds: () => (currentAnswerBy()?.getTime() ?? Infinity) - clock().getTime(),
    baseUrl: configuration.baseUrl,
    redirectUriRules: { appSchemes: configuration.redirectSchemes ?? [], allowHttp: configuration.allowHttpRedirect },
    callbackUrlFault: (url) => callbacks.urlFault(url),
    certificate,
    trust,
    skewSeconds: SKEW_SECONDS,
    surplusClaims: configuration.surplusClaims,
    loadPublishedKeys: (iss, kids) => issuerMetadata.getKeys(iss, kids),
    checkStatus: (presentation, now, lookup) => lists.check(presentation, now, lookup),
    pause,
    within,
    checkRevocation,
    reportSurplus: (credentialIds) =>
      logger.warn('a wallet showed more credentials than were asked for', { credentials: credentialIds.join() }),
    reportUnexpected: (error) => logger.error('a response could not be judged', { error }),
    store: requests,
    wakeDelivery: () => callbacks.wake(),
  });
}

function sweep({ logger }: Process, swept: Verifier, calls: Idempotency, callbacks: Callbacks): Timer {
  return createTimer({
    name: 'expiry',
    everyMilliseconds: SWEEP_MILLISECONDS,
    logger,
    async run() {
      const { expired, purged } = await swept.expirePresentationRequests();
      if (expired + purged > 0) logger.info('swept', { expired, purged });
      await calls.purge(PURGE_BATCH);
      await callbacks.purge(PURGE_BATCH);
    },
  });
}

/** The verifier: its adapters, its use cases over them, and what it is asked over the bus. The only wiring there is. */
@Module({
  imports: [DatabaseModule.forRoot(VERIFIER_DATABASE), CallbacksModule.forRoot('verifier'), BusModule.forRoot()],
  controllers: [VerifierController],
  providers: [
    { provide: KEYS, inject: [PROCESS], useFactory: keys },
    { provide: EGRESS, inject: [PROCESS], useFactory: egress },
    { provide: REVOCATION, inject: [PROCESS, EGRESS], useFactory: revocation },
    { provide: STATUS_LISTS, inject: [PROCESS, EGRESS, KEYS, REVOCATION], useFactory: statusLists },
    { provide: IDEMPOTENCY, inject: [DATABASE, SEALER], useFactory: idempotency },
    { provide: STORE, inject: [PROCESS, DATABASE, SEALER, IDEMPOTENCY], useFactory: store },
    {
      provide: VERIFIER,
      inject: [PROCESS, KEYS, EGRESS, REVOCATION, STATUS_LISTS, STORE, CALLBACKS],
      useFactory: verifier,
    },
    { provide: SWEEP, inject: [PROCESS, VERIFIER, IDEMPOTENCY, CALLBACKS], useFactory: sweep },
  ],
})
export class VerifierModule implements OnApplicationShutdown {
  constructor(
    @Inject(SWEEP) private readonly timer: Timer,
    @Inject(KEYS) private readonly opened: Keys,
    @Inject(EGRESS) private readonly fetcher: Egress,
  ) {}

  async onApplicationShutdown(): Promise<void> {
    await this.timer.stop();
    await this.opened.close();
    await this.fetcher.close();
  }
}
