import { randomBytes } from 'node:crypto';
import { openCallbacks } from '@vestibule/callbacks';
import {
  CheckVerifierHealth,
  CreatePresentationRequest,
  ExpectPresentation,
  GetPresentationRequest,
  GetRequestObject,
  ListCallbacks,
  RetryCallbacks,
  SubmitPresentation,
} from '@vestibule/contracts';
import { createEgress, type Egress } from '@vestibule/egress';
import { runMicroservice, type MicroserviceContext } from '@vestibule/microservice';
import { createIdempotency } from '@vestibule/persistence';
import { createTimer, type Configuration } from '@vestibule/process';
import type { VerifiedChain } from '@vestibule/x509-trust';
import { readEgressAuthorities } from './adapters/http/egress-authorities';
import { IssuerMetadataDocuments } from './adapters/http/issuer-metadata';
import { RevocationLists } from './adapters/http/revocation-lists';
import { StatusLists } from './adapters/http/status-lists';
import { openKeys } from './adapters/keys/open-keys';
import { pause, within } from './adapters/turns';
import { MIGRATIONS, SCHEMA } from './adapters/postgres/migrations';
import { PresentationRequestStore } from './adapters/postgres/presentation-request.store';
import { SEALED } from './adapters/postgres/sealed-columns';
import { composeVerifier, type Verifier } from './compose';
import { verifierConfiguration } from './config';

type Context = MicroserviceContext<Configuration<typeof verifierConfiguration>>;

/** The difference of two clocks that is forgiven everywhere. */
const SKEW_SECONDS = 60;
const SWEEP_MILLISECONDS = 1_000;
const PURGE_BATCH = 1_000;
const clock = () => new Date();

function openEgress({ configuration, onClose }: Context) {
  const { egressDevelopmentHosts = [], egressCaFile } = configuration;
  const authorities = egressCaFile === undefined ? [] : readEgressAuthorities(egressCaFile);
  const egress = createEgress({ allowDevelopmentHosts: egressDevelopmentHosts, authorities });
  onClose('egress', () => egress.close());
  return egress;
}

function openRevocation({ configuration }: Context, egress: Egress) {
  const mode = configuration.certificateRevocation;
  if (mode === 'off') return undefined;
  const lists = new RevocationLists({ egress, clock, mode });
  return (chain: VerifiedChain, now: Date) => lists.check(chain, now);
}

function openVerifierKeys({ configuration, logger, onClose }: Context) {
  return openKeys({
    certificateFile: configuration.accessCertificateFile,
    keyPem: configuration.accessKey,
    folder: configuration.accessCertificatesFolder,
    allowSelfSigned: configuration.allowSelfSigned,
    trustFile: configuration.trustFile,
    reloadSeconds: configuration.reloadSeconds,
    skewSeconds: SKEW_SECONDS,
    clock,
    logger,
    onClose,
  });
}

function startSweeping(
  { logger, onClose }: Context,
  verifier: Verifier,
  purgeOthers: (limit: number) => Promise<void>,
): void {
  const timer = createTimer({
    name: 'expiry',
    everyMilliseconds: SWEEP_MILLISECONDS,
    logger,
    async run() {
      const { expired, purged } = await verifier.expirePresentationRequests();
      if (expired + purged > 0) logger.info('swept', { expired, purged });
      await purgeOthers(PURGE_BATCH);
    },
  });
  onClose('expiry', () => timer.stop());
}

function open(context: Context) {
  const { configuration, database, sealer, logger } = context;
  const { certificate, trust } = openVerifierKeys(context);
  const egress = openEgress(context);
  const checkRevocation = openRevocation(context, egress);
  const statusLists = new StatusLists({
    egress,
    trust,
    clock,
    skewSeconds: SKEW_SECONDS,
    graceSeconds: configuration.statusListGraceSeconds,
    checkRevocation,
  });
  const issuerMetadata = new IssuerMetadataDocuments({ egress, clock });
  const idempotency = createIdempotency({ database, schema: SCHEMA, sealer, clock });
  const { retentionSeconds, callbackLifetimeSeconds } = configuration;
  const store = new PresentationRequestStore({
    database,
    sealer,
    idempotency,
    random: randomBytes,
    retentionSeconds,
    callbackLifetimeSeconds,
  });
  const callbacks = openCallbacks(context, { service: SCHEMA, clock, random: randomBytes });
  const verifier = composeVerifier({
    clock,
    random: randomBytes,
    stopwatch: () => performance.now(),
    baseUrl: configuration.baseUrl,
    redirectUriRules: { appSchemes: configuration.redirectSchemes ?? [], allowHttp: configuration.allowHttpRedirect },
    callbackUrlFault: (url) => callbacks.urlFault(url),
    certificate,
    trust,
    skewSeconds: SKEW_SECONDS,
    surplusClaims: configuration.surplusClaims,
    loadPublishedKeys: (iss, kids) => issuerMetadata.getKeys(iss, kids),
    checkStatus: (presentation, now, lookup) => statusLists.check(presentation, now, lookup),
    pause,
    within,
    checkRevocation,
    reportSurplus: (credentialIds) =>
      logger.warn('a wallet showed more credentials than were asked for', { credentials: credentialIds.join() }),
    reportUnexpected: (error) => logger.error('a response could not be judged', { error }),
    store,
    wakeDelivery: () => callbacks.wake(),
  });
  startSweeping(context, verifier, async (limit) => {
    await idempotency.purge(limit);
    await callbacks.purge(limit);
  });
  return { verifier, certificate, overview: callbacks.overview };
}

void runMicroservice({
  name: 'verifier',
  schema: SCHEMA,
  configuration: verifierConfiguration,
  migrations: MIGRATIONS,
  sealed: SEALED,
  publicUrl: ({ baseUrl }) => ({ variable: 'BASE_URL', url: baseUrl }),
  health: CheckVerifierHealth,
  open(context) {
    const { verifier, certificate, overview } = open(context);
    return {
      checks: { accessCertificate: () => certificate.isValidAt(clock()) },
      expires: { accessCertificate: () => certificate.validUntil(clock()) },
      answer(server) {
        server
          .answer(CreatePresentationRequest, verifier.createPresentationRequest)
          .answer(GetPresentationRequest, verifier.getPresentationRequest)
          .answer(GetRequestObject, verifier.getRequestObject)
          .answer(ExpectPresentation, verifier.expectPresentation)
          .answer(SubmitPresentation, verifier.submitPresentation)
          .answer(ListCallbacks.verifier, overview.list)
          .answer(RetryCallbacks.verifier, overview.retry);
      },
    };
  },
});
