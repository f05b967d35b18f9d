import type { Clock } from '@vestibule/foundation';
import { createExpiryWarning, type Logger, type Metrics } from '@vestibule/process';
import type { RelyingParties, RelyingParty } from '../../domain/relying-party';
import type { AccessCertificates } from './access-certificate';
import type { ConfiguredParty } from './relying-parties-file';

/** The relying parties of an installation, as their file is now. */
export interface OpenedParties {
  readonly all: () => RelyingParties;
  /** The end of the access certificates of the party whose certificates end first; undefined if one has none. */
  firstEnd(now: Date): Date | undefined;
  /** Warns of access certificates that end soon, and of those that have ended. */
  warn(now: Date): void;
}

/** Of the parties that have certificates of their own. */
const endsOf = (parties: readonly ConfiguredParty[], now: Date) =>
  parties.flatMap(({ name, certificates }) =>
    certificates ? [[name, certificates.validUntil(now)?.getTime() ?? 0] as const] : [],
  );

/** One warning a day for each party. */
function createWarnings(logger: Logger) {
  const warnings = new Map<string, ReturnType<typeof createExpiryWarning>>();
  return (parties: readonly ConfiguredParty[], now: Date): void => {
    for (const [name, end] of endsOf(parties, now)) {
      const log = {
        warn: (message: string, fields = {}) => logger.warn(message, { relyingParty: name, ...fields }),
        error: (message: string, fields = {}) => logger.error(message, { relyingParty: name, ...fields }),
      };
      const sentences = {
        endsSoon: 'the access certificate of a relying party expires soon',
        ended: 'no access certificate of a relying party is valid: its new requests fail',
      };
      const warn = warnings.get(name) ?? createExpiryWarning(log, sentences);
      warnings.set(name, warn);
      warn(end === 0 ? undefined : new Date(end), now);
    }
  };
}

/** Relying parties from their file; those without certificates of their own sign with those of the installation. */
export function openRelyingParties(
  configured: () => readonly ConfiguredParty[],
  own: Pick<AccessCertificates, 'currentClientId' | 'signerOf'>,
  { clock, logger, metrics }: { clock: Clock; logger: Logger; metrics: Pick<Metrics, 'gauges'> },
): OpenedParties {
  let known: { configured: readonly ConfiguredParty[]; parties: RelyingParties } | undefined;
  const partyOf = ({ name, certificates, ...rest }: ConfiguredParty): readonly [string, RelyingParty] => [
    name,
    { ...rest, signers: certificates ?? own },
  ];
  const warnOf = createWarnings(logger);
  metrics.gauges(
    'relying_party_access_certificate_expiry_timestamp_seconds',
    'The end of the period in which an access certificate of a relying party is valid, in seconds since 1970; 0 if none is valid',
    'relying_party',
    () => endsOf(configured(), clock()).map(([name, end]) => [name, end / 1000] as const),
  );
  return {
    all() {
      const current = configured();
      if (known?.configured !== current)
        known = { configured: current, parties: new Map(current.map((party) => partyOf(party))) };
      return known.parties;
    },
    firstEnd(now) {
      const ends = endsOf(configured(), now).map(([, end]) => end);
      return ends.length === 0 || ends.includes(0) ? undefined : new Date(Math.min(...ends));
    },
    warn: (now) => warnOf(configured(), now),
  };
}
