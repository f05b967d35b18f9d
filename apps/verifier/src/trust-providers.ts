import type { Egress } from '@vestibule/egress';
import type { Keyring } from '@vestibule/keys';
import { randomBytes, type Configuration, type ProcessContext } from '@vestibule/process';
import { firstEndOf, openKeys, type Keys } from './adapters/keys/open-keys';
import type { verifierConfiguration } from './config';

type Process = ProcessContext<Configuration<typeof verifierConfiguration>>;

/** The clock skew that is tolerated everywhere. */
export const SKEW_SECONDS = 60;
const clock = () => new Date();

/** Everything that follows its files or its lists: trust, access certificates, registrations. */
export async function keys(
  { configuration, logger, metrics, readiness }: Process,
  fetcher: Egress,
  keyring: Keyring,
): Promise<Keys> {
  const opened = await openKeys({
    certificateFile: configuration.accessCertificateFile,
    key: configuration.accessKey,
    openKey: keyring.open,
    folder: configuration.accessCertificatesFolder,
    allowSelfSigned: configuration.allowSelfSigned,
    trustFile: configuration.trustFile,
    developmentHosts: configuration.egressDevelopmentHosts,
    registrationFile: configuration.registrationFile,
    relyingPartiesFile: configuration.relyingPartiesFile,
    reloadSeconds: configuration.reloadSeconds,
    skewSeconds: SKEW_SECONDS,
    clock,
    logger,
    lists: {
      egress: fetcher,
      metrics,
      folder: configuration.trustedListsFolder,
      refreshSeconds: configuration.trustedListsRefreshSeconds,
      graceSeconds: configuration.trustedListsGraceSeconds,
      chance: () => (randomBytes(1)[0] ?? 0) / 255,
    },
  });
  if (opened.lists.isFollowing()) readiness.require('trustedLists', () => opened.lists.isTried());
  if (opened.lists.hasLists()) readiness.showExpiry('trustedList', () => opened.lists.firstEnd());
  readiness.require('accessCertificate', () => opened.certificate.isValidAt(clock()));
  readiness.showExpiry('accessCertificate', () => opened.certificate.validUntil(clock()));
  if (configuration.relyingPartiesFile !== undefined)
    readiness.showExpiry('relyingPartyCertificate', () => opened.relyingParties.firstEnd(clock()));
  if (configuration.registrationFile !== undefined)
    readiness.showExpiry('registrationCertificate', () => firstEndOf(opened.registrations()));
  return opened;
}
