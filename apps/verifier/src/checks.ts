import { callbackCheck } from '@vestibule/callbacks';
import { egressProxyCheck } from '@vestibule/egress';
import { isLoopback } from '@vestibule/foundation';
import { BUS_SUBJECTS, OUTCOME_ERRORS } from '@vestibule/contracts';
import { KEY_ERRORS, trackFiles, usingKeyring } from '@vestibule/keys';
import { busCheck } from '@vestibule/messaging';
import { databaseCheck } from '@vestibule/persistence';
import { endFindings, finding, type Check, type Configuration, type Finding } from '@vestibule/process';
import { X509_CONFIGURATION_FAULTS } from '@vestibule/x509-trust';
import { readEgressAuthorities } from './adapters/http/egress-authorities';
import { readAccessCertificates } from './adapters/keys/access-certificate-files';
import { firstEndOf } from './adapters/keys/open-keys';
import { readRegistrationFile } from './adapters/keys/registration-file';
import { readRelyingPartiesFile } from './adapters/keys/relying-parties-file';
import { readTrustFile } from './adapters/keys/trust-file';
import { VERIFIER_DATABASE } from './adapters/postgres/database';
import { findings } from './adapters/postgres/overdue';
import type { verifierConfiguration } from './config';
import { pseudonymsOf } from './pseudonyms';

type Values = Configuration<typeof verifierConfiguration>;

const SKEW_SECONDS = 60;

const accessCertificate: Check<Values> = {
  name: 'access certificate',
  errors: { ...X509_CONFIGURATION_FAULTS, ...KEY_ERRORS, ...OUTCOME_ERRORS },
  run: ({ configuration, clock, logger }) =>
    usingKeyring(logger, async ({ open: openKey }) => {
      const now = clock();
      const certificates = readAccessCertificates(
        {
          certificateFile: configuration.accessCertificateFile,
          key: configuration.accessKey,
          openKey,
          folder: configuration.accessCertificatesFolder,
          allowSelfSigned: configuration.allowSelfSigned,
        },
        { files: trackFiles(), now, logger },
      );
      await certificates.check();
      return endFindings('the access certificate', certificates.validUntil(now), now);
    }),
};

const trust: Check<Values> = {
  name: 'trust',
  run({ configuration, clock, logger }) {
    const {
      chains,
      metadataIssuers = [],
      policy,
      settings: lists,
    } = readTrustFile(configuration.trustFile, {
      files: trackFiles(),
      logger,
      skewSeconds: SKEW_SECONDS,
      developmentHosts: configuration.egressDevelopmentHosts,
    });
    const now = clock();
    const found: Finding[] = chains.anchors.flatMap(({ certificate: { notAfter, subjectText } }) =>
      notAfter < now
        ? [finding('trust_anchor_ended', `${subjectText} at ${notAfter.toISOString()}`)]
        : endFindings(`the trust anchor ${subjectText}`, notAfter, now),
    );
    if (policy !== 'enforce' && chains.anchors.length + metadataIssuers.length + lists.length === 0)
      found.push(finding('trust_without_anchors', configuration.trustFile));
    return found;
  },
};

const registrations: Check<Values> = {
  name: 'registration',
  run({ configuration: { registrationFile: file }, clock }) {
    if (file === undefined) return [];
    return endFindings('a registration certificate', firstEndOf(readRegistrationFile(file, trackFiles())), clock());
  },
};

const relyingParties: Check<Values> = {
  name: 'relying parties',
  errors: { ...X509_CONFIGURATION_FAULTS, ...KEY_ERRORS, ...OUTCOME_ERRORS },
  run: ({ configuration, clock, logger }) =>
    usingKeyring(logger, async ({ open: openKey }) => {
      const { relyingPartiesFile: file, allowSelfSigned } = configuration;
      const now = clock();
      if (file === undefined) return [];
      const parties = readRelyingPartiesFile(file, { allowSelfSigned, openKey, files: trackFiles(), now, logger });
      const found: Finding[] = [];
      for (const { name, certificates, registrations: registered } of parties) {
        await certificates?.check();
        if (certificates) found.push(...partyEnd(name, certificates.validUntil(now), now));
        found.push(...endFindings(`a registration certificate of ${name}`, firstEndOf(registered), now));
      }
      return found;
    }),
};

/** Requests of a party fail without a valid certificate, and all else goes on. */
const partyEnd = (name: string, end: Date | undefined, now: Date): readonly Finding[] =>
  end === undefined
    ? [finding('relying_party_certificate_ended', name)]
    : endFindings(`the access certificate of ${name}`, end, now);

const proxies = egressProxyCheck<Values>(({ egressCaFile: file }) =>
  file === undefined ? [] : readEgressAuthorities(file),
);

/** Settings that are fit for one machine only. */
const settings: Check<Values> = {
  name: 'settings',
  run({ configuration }) {
    pseudonymsOf(configuration);
    if (configuration.egressCaFile !== undefined) readEgressAuthorities(configuration.egressCaFile);
    if (isLoopback(new URL(configuration.baseUrl))) return [];
    const on = [
      ...(configuration.allowSelfSigned ? ['ALLOW_SELF_SIGNED_ACCESS_CERTIFICATE'] : []),
      ...((configuration.egressDevelopmentHosts ?? []).length > 0 ? ['EGRESS_DEVELOPMENT_HOSTS'] : []),
      ...(configuration.allowHttpRedirect ? ['ALLOW_HTTP_REDIRECT_URI'] : []),
    ];
    return on.map((name) => finding('development_setting', `${name}, and BASE_URL is ${configuration.baseUrl}`));
  },
};

/** What `vestibule doctor verifier` checks. */
export const VERIFIER_CHECKS: readonly Check<Values>[] = [
  settings,
  accessCertificate,
  trust,
  registrations,
  relyingParties,
  databaseCheck<Values>({ service: VERIFIER_DATABASE, more: findings }),
  busCheck({ name: 'verifier', answered: BUS_SUBJECTS.verifier }),
  proxies,
  callbackCheck,
];
