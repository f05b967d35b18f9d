import type { Clock } from '@vestibule/foundation';
import type { IssuerTrust } from '@vestibule/oid4vp';
import { createExpiryWarning as warnOf, createTimer, type Logger } from '@vestibule/process';
import { NO_REGISTRATIONS, type Registrations } from '../../domain/registration';
import type { AccessCertificates } from './access-certificate';
import { readAccessCertificates, type AccessCertificateFiles } from './access-certificate-files';
import { createAccessCheck } from '../lists/access-check';
import { createExpiryWarning } from './expiry-warning';
import { readRegistrationFile } from './registration-file';
import { createReloading, createReloadStatus, type FileReader, type Reloading } from '@vestibule/keys';
import { openRelyingParties, type OpenedParties } from './relying-parties';
import { readRelyingPartiesFile, type ConfiguredParty } from './relying-parties-file';
import { createListedTrust, type ListedTrust, type ListedTrustOptions } from '../lists/listed-trust';
import { readTrustFile } from './trust-file';

export interface KeysOptions extends AccessCertificateFiles {
  readonly trustFile: string;
  /** Hosts whose documents may be at http and private addresses. */
  readonly developmentHosts?: readonly string[] | undefined;
  readonly registrationFile?: string | undefined;
  readonly relyingPartiesFile?: string | undefined;
  /** How often the files are checked for changes. */
  readonly reloadSeconds: number;
  /** The tolerated clock skew for the validity of other parties' certificates. */
  readonly skewSeconds: number;
  readonly clock: Clock;
  readonly logger: Logger;
  /** How lists of trusted entities are followed. */
  readonly lists: Omit<ListedTrustOptions, 'clock' | 'logger' | 'skewSeconds'>;
}

/** The trust configuration, the signing keys and the registrations, as the files are now. */
export interface Keys {
  readonly certificate: AccessCertificates;
  readonly trust: () => IssuerTrust;
  readonly lists: Pick<ListedTrust, 'hasLists' | 'isFollowing' | 'isTried' | 'firstEnd'>;
  readonly registrations: () => Registrations;
  readonly relyingParties: Pick<OpenedParties, 'all' | 'firstEnd'>;
  /** Stops watching the files. */
  close(): Promise<void>;
}

/** The end of the registration certificate that ends first. */
export function firstEndOf({ all }: Registrations): Date | undefined {
  const ends = all.flatMap(({ expiresAt }) => expiresAt?.getTime() ?? []);
  return ends.length === 0 ? undefined : new Date(Math.min(...ends));
}

/** Warns as for other certificates; without an end there is nothing to say. */
function createRegistrationWarning(logger: Logger) {
  const warn = warnOf(logger, {
    endsSoon: 'a registration certificate expires soon',
    ended: 'a registration certificate has expired: wallets warn their users, or refuse its requests',
  });
  return (registrations: Registrations, now: Date): void => {
    const end = firstEndOf(registrations);
    if (end) warn(end > now ? end : undefined, now);
  };
}

interface Watched {
  readonly relyingParties: Pick<OpenedParties, 'warn'>;
  readonly registrations: Reloading<Registrations>;
  readonly certificates: Reloading<AccessCertificates>;
}

/** Warns of everything that ends. */
function warningsOf(logger: Logger, { relyingParties, registrations, certificates }: Watched) {
  const warnOfRegistrations = createRegistrationWarning(logger);
  const warnOfExpiry = createExpiryWarning(logger);
  return (now: Date): void => {
    relyingParties.warn(now);
    warnOfRegistrations(registrations.current(), now);
    warnOfExpiry(certificates.current(), now);
  };
}

/** The certificates as their files are now, whenever one is needed. */
const following = (current: () => AccessCertificates): AccessCertificates => ({
  check: () => current().check(),
  currentClientId: (now) => current().currentClientId(now),
  signerOf: (clientId, now) => current().signerOf(clientId, now),
  isValidAt: (now) => current().isValidAt(now),
  chainsAt: (now) => current().chainsAt(now),
  validUntil: (now) => current().validUntil(now),
});

const registrationsIn =
  ({ registrationFile }: KeysOptions) =>
  (files: FileReader) =>
    registrationFile === undefined ? NO_REGISTRATIONS : readRegistrationFile(registrationFile, files);

/** What is named in the file of relying parties; nobody without one. */
const partiesIn =
  ({ relyingPartiesFile, allowSelfSigned, openKey, clock, logger }: KeysOptions) =>
  (files: FileReader) =>
    relyingPartiesFile === undefined
      ? []
      : readRelyingPartiesFile(relyingPartiesFile, { allowSelfSigned, openKey, files, now: clock(), logger });

/** Has the key of each relying party sign a probe. */
async function checkParties(parties: readonly ConfiguredParty[]): Promise<void> {
  await Promise.all(parties.flatMap(({ certificates }) => (certificates ? [certificates.check()] : [])));
}

/**
 * Reads the trust file, the registrations and the access certificates, has their keys sign a probe, and follows changes
 * of the files until it is closed. Throws configuration faults, `signer_unavailable` and `signature_invalid`.
 */
export async function openKeys(options: KeysOptions): Promise<Keys> {
  const { trustFile, developmentHosts, reloadSeconds, skewSeconds, clock, logger, lists, ...pems } = options;
  const status = createReloadStatus(lists.metrics);
  const follow = { logger, status };
  const trust = createReloading({
    what: 'trust',
    load: (files) => readTrustFile(trustFile, { files, logger, skewSeconds, developmentHosts }),
    ...follow,
  });
  const listed = createListedTrust(trust.current, { ...lists, clock, logger, skewSeconds });
  listed.follow();
  const certificates = createReloading({
    what: 'access certificates',
    load: (files) => readAccessCertificates(pems, { files, now: clock(), logger }),
    check: (read) => read.check(),
    ...follow,
  });
  const registrations = createReloading({ what: 'registrations', load: registrationsIn(options), ...follow });
  const parties = createReloading({
    what: 'relying parties',
    load: partiesIn(options),
    check: checkParties,
    ...follow,
  });
  await certificates.current().check();
  await checkParties(parties.current());
  const certificate = following(certificates.current);
  const relyingParties = openRelyingParties(parties.current, certificate, { clock, logger, metrics: lists.metrics });
  const checkAccess = createAccessCheck({ trust: listed.trust, certificates: certificates.current, logger });
  const warn = warningsOf(logger, { relyingParties, registrations, certificates });
  warn(clock());
  const timer = createTimer({
    name: 'reload',
    everyMilliseconds: reloadSeconds * 1000,
    logger,
    async run() {
      const before = trust.current();
      await trust.refresh();
      if (trust.current() !== before) listed.follow();
      await registrations.refresh();
      await certificates.refresh();
      await parties.refresh();
      checkAccess(clock());
      warn(clock());
    },
  });
  return {
    async close() {
      await timer.stop();
      await listed.close();
    },
    trust: listed.trust,
    lists: listed,
    registrations: registrations.current,
    certificate,
    relyingParties,
  };
}
