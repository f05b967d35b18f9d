import { setTimeout } from 'node:timers/promises';
import { Inject, Module, type OnApplicationShutdown } from '@nestjs/common';
import { CALLBACKS, CallbacksModule, type Callbacks } from '@vestibule/callbacks';
import type { Sealer } from '@vestibule/crypto';
import type { Egress } from '@vestibule/egress';
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
  currentAnswerBy,
  pacedPurge,
  pauseFor,
  PROCESS,
  TRANSPORT,
  type Configuration,
  type ExpiryHold,
  type ProcessContext,
  type Timer,
  randomBytes,
} from '@vestibule/process';
import { countedInsertions, countedRequests, measuredJudgement } from './adapters/counted-ends';
import type { IssuerMetadataDocuments } from './adapters/http/issuer-metadata';
import type { StatusLists } from './adapters/http/status-lists';
import type { Keys } from './adapters/keys/open-keys';
import { VerifierController } from './adapters/nats/verifier.controller';
import { VERIFIER_DATABASE } from './adapters/postgres/database';
import { createRequestList } from './adapters/postgres/request-list';
import { createPresentationRequestStore } from './adapters/postgres/presentation-request.store';
import { pause, within } from './adapters/turns';
import { createUnregisteredReport } from './adapters/unregistered-report';
import type { verifierConfiguration } from './config';
import { presentedCredentialsEvent } from './domain/presented-credentials-event';
import type { CheckRevocation, LoadPublishedKeys, PresentationRequests } from './domain/ports';
import { egress, issuerMetadata, revocation, statusLists } from './fetch-providers';
import { pseudonymsOf } from './pseudonyms';
import { keys, SKEW_SECONDS } from './trust-providers';
import { cancelPresentationRequest } from './use-cases/cancel-presentation-request';
import { createPresentationRequest } from './use-cases/create-presentation-request';
import { expectPresentation } from './use-cases/expect-presentation';
import { expirePresentationRequests } from './use-cases/expire-presentation-requests';
import { getPresentationRequest } from './use-cases/get-presentation-request';
import { getRequestObject } from './use-cases/get-request-object';
import { judgeResponse, type JudgeResponse } from './use-cases/judge-response';
import { listPresentationRequests } from './use-cases/list-presentation-requests';
import { markUnservedWallets } from './use-cases/mark-unserved-wallets';
import { submitPresentation } from './use-cases/submit-presentation';
import { verifyTokens, type VerifyTokens } from './use-cases/verify-tokens';

type Process = ProcessContext<Configuration<typeof verifierConfiguration>>;

const SWEEP_MILLISECONDS = 1_000;
/** Between two batches of expired requests: 100,000 that expire at the same moment still take less than a minute. */
const REST_MILLISECONDS = 20;
const clock = () => new Date();

export const KEYS = Symbol('keys');
export const EGRESS = Symbol('egress');
const REVOCATION = Symbol('revocation');
const STATUS_LISTS = Symbol('status lists');
const ISSUER_METADATA = Symbol('issuer metadata');
export const STORE = Symbol('store');
const REQUESTS = Symbol('presentation requests');
const HOLD = Symbol('hold');
const SWEEP = Symbol('sweep');

function store(
  { configuration }: Process,
  database: Database,
  sealer: Sealer,
  idempotency: Idempotency,
  { commit }: Callbacks,
) {
  const { retentionSeconds, callbackLifetimeSeconds } = configuration;
  const common = { database, sealer, idempotency, random: randomBytes, commit };
  return createPresentationRequestStore({ ...common, retentionSeconds, callbackLifetimeSeconds });
}

/** The store, which also counts ends, and triggers the delivery of the events of a sweep immediately. */
function requests({ metrics }: Process, stored: PresentationRequests, { waking }: Callbacks): PresentationRequests {
  const help = 'Presentation requests that ended, by outcome and code';
  const outcomes = countOutcomes(metrics, 'presentation_requests_ended_total', help);
  return countedRequests({ ...stored, expire: waking(stored.expire, (count) => count > 0) }, outcomes);
}

const creation = (
  { configuration, logger, metrics }: Process,
  { certificate, registrations, relyingParties }: Keys,
  { insert, recall }: PresentationRequests,
  callbacks: Callbacks,
) =>
  createPresentationRequest({
    clock,
    random: randomBytes,
    baseUrl: configuration.baseUrl,
    accepted: {
      redirectUri: { appSchemes: configuration.redirectSchemes ?? [], allowHttp: configuration.allowHttpRedirect },
      callbackUrlFault: callbacks.urlFault,
      scaTypes: configuration.scaTransactionTypes,
      registrations,
      relyingParties: relyingParties.all,
    },
    frontChannel: {
      authorizationEndpoint: configuration.authorizationEndpoint,
      requestUriMethod: configuration.requestUriMethod,
    },
    currentClientId: certificate.currentClientId,
    requests: { insert: countedInsertions(insert, metrics), recall },
    reportUnregistered: createUnregisteredReport(logger),
  });

const cancellation = ({ cancel, findView }: PresentationRequests) =>
  cancelPresentationRequest({ clock, cancel, findView });

const listing = (database: Database) => listPresentationRequests({ findPage: createRequestList(database) });

const expectation = ({ isExpected }: PresentationRequests) => expectPresentation({ clock, isExpected });

const requestObject = (
  { configuration }: Process,
  { certificate, registrations, relyingParties }: Keys,
  { findPending }: PresentationRequests,
) =>
  getRequestObject({
    clock,
    baseUrl: configuration.baseUrl,
    findPending,
    random: randomBytes,
    signerOf: certificate.signerOf,
    registrations,
    relyingParties: relyingParties.all,
  });

function verification({ configuration }: Process, { trust }: Keys, issuers: IssuerMetadataDocuments): VerifyTokens {
  const { surplusClaims, scaEvidence } = configuration;
  const loadPublishedKeys: LoadPublishedKeys = (iss, kids) => issuers.getKeys(iss, kids);
  return verifyTokens({ trust, skewSeconds: SKEW_SECONDS, loadPublishedKeys, surplusClaims, scaEvidence, pause });
}

const judgement = (
  { logger, metrics }: Process,
  verify: VerifyTokens,
  lists: StatusLists,
  checkRevocation: CheckRevocation | undefined,
): JudgeResponse =>
  measuredJudgement(
    judgeResponse({
      within,
      verifyTokens: verify,
      checkStatus: (presentation, now, lookup) => lists.check(presentation, now, lookup),
      checkRevocation,
      reportSurplus: (credentialIds) =>
        logger.warn('a wallet presented more than was requested', { credentials: credentialIds.join() }),
      reportUnexpected: (error) => logger.error('a response could not be judged', { error }),
    }),
    metrics,
  );

function submission({ configuration }: Process, requests: PresentationRequests, judge: JudgeResponse) {
  const pseudonyms = pseudonymsOf(configuration);
  return submitPresentation({
    clock,
    random: randomBytes,
    stopwatch: () => performance.now(),
    awaitedMilliseconds: () => (currentAnswerBy()?.getTime() ?? Infinity) - clock().getTime(),
    requests,
    judge,
    eventOf: ({ state, relyingParty }, outcome) => presentedCredentialsEvent(state, outcome, pseudonyms(relyingParty)),
  });
}

const marking = ({ markUnserved }: PresentationRequests) => markUnservedWallets({ clock, markUnserved });

const expiry = ({ findOverdue, expire }: PresentationRequests, { held }: ExpiryHold, agreedTime: AgreedTime) =>
  expirePresentationRequests({
    clock,
    agreedTime,
    findOverdue: held(findOverdue),
    expire,
    rest: () => setTimeout(REST_MILLISECONDS),
  });

const hold = (bus: { readonly isConnected: () => boolean }): ExpiryHold =>
  createExpiryHold({ stopwatch: () => performance.now(), isReachable: () => bus.isConnected() });

type Expire = ReturnType<typeof expirePresentationRequests>;

function sweep(
  { logger }: Process,
  expire: Expire,
  { purge }: PresentationRequests,
  calls: Idempotency,
  callbacks: Callbacks,
  { during }: ExpiryHold,
  agreedTime: AgreedTime,
): Timer {
  const purges = [
    pacedPurge(inBatches(async (limit) => purge(await agreedTime(), limit))),
    pacedPurge(
      inBatches((limit) => calls.purge(limit)),
      LONG_PAUSE,
    ),
    inBatches((limit) => callbacks.giveUp(limit)),
    pacedPurge(
      inBatches((limit) => callbacks.purge(limit)),
      pauseFor(callbacks.retentionSeconds),
    ),
  ];
  return createSweep({
    everyMilliseconds: SWEEP_MILLISECONDS,
    expire: (goesOn) => during(() => expire(goesOn)),
    purges,
    logger,
  });
}

const PARTS = [DatabaseModule.forRoot(VERIFIER_DATABASE), CallbacksModule.forRoot('verifier'), BusModule.forRoot()];

/** The verifier: its adapters, its use cases over them, and its requests over the bus. The only wiring there is. */
@Module({
  imports: [...PARTS, KeyringModule],
  controllers: [VerifierController],
  providers: [
    { provide: KEYS, inject: [PROCESS, EGRESS, KEYRING], useFactory: keys },
    { provide: EGRESS, inject: [PROCESS], useFactory: egress },
    { provide: REVOCATION, inject: [PROCESS, EGRESS], useFactory: revocation },
    { provide: STATUS_LISTS, inject: [PROCESS, EGRESS, KEYS, REVOCATION], useFactory: statusLists },
    { provide: ISSUER_METADATA, inject: [PROCESS, EGRESS], useFactory: issuerMetadata },
    { provide: STORE, inject: [PROCESS, DATABASE, SEALER, IDEMPOTENCY, CALLBACKS], useFactory: store },
    { provide: REQUESTS, inject: [PROCESS, STORE, CALLBACKS], useFactory: requests },
    { provide: createPresentationRequest, inject: [PROCESS, KEYS, REQUESTS, CALLBACKS], useFactory: creation },
    { provide: getPresentationRequest, inject: [REQUESTS], useFactory: getPresentationRequest },
    { provide: cancelPresentationRequest, inject: [REQUESTS], useFactory: cancellation },
    { provide: listPresentationRequests, inject: [DATABASE], useFactory: listing },
    { provide: getRequestObject, inject: [PROCESS, KEYS, REQUESTS], useFactory: requestObject },
    { provide: expectPresentation, inject: [REQUESTS], useFactory: expectation },
    { provide: verifyTokens, inject: [PROCESS, KEYS, ISSUER_METADATA], useFactory: verification },
    { provide: judgeResponse, inject: [PROCESS, verifyTokens, STATUS_LISTS, REVOCATION], useFactory: judgement },
    { provide: submitPresentation, inject: [PROCESS, REQUESTS, judgeResponse], useFactory: submission },
    { provide: markUnservedWallets, inject: [REQUESTS], useFactory: marking },
    { provide: HOLD, inject: [TRANSPORT], useFactory: hold },
    { provide: expirePresentationRequests, inject: [REQUESTS, HOLD, AGREED_TIME], useFactory: expiry },
    {
      provide: SWEEP,
      inject: [PROCESS, expirePresentationRequests, REQUESTS, IDEMPOTENCY, CALLBACKS, HOLD, AGREED_TIME],
      useFactory: sweep,
    },
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
