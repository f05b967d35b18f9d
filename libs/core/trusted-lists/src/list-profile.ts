import type { Purpose } from '@vestibule/x509-trust';

/** What the services of a type of list are trusted for. */
export interface ListProfile {
  /** `LoTEType`. */
  readonly type: string;
  /** What each type of service is trusted for; services of other types for nothing. */
  readonly services: ReadonlyMap<string, readonly Purpose[]>;
  /** The values of `ServiceStatus` that mean trust. */
  readonly trustedStatuses: readonly string[];
  /** False where a service without `ServiceStatus` is trusted: what ends there is taken off the list. */
  readonly hasStatuses: boolean;
  /** After how many days from its issue the next update is due at the latest, whatever the list says; absent: as it says. */
  readonly maxUpdateDays?: number;
}

/** What a configuration says about a list. */
export interface ListDescription {
  readonly type: string;
  readonly services?: Readonly<Record<string, readonly Purpose[]>> | undefined;
  readonly statuses?: readonly string[] | undefined;
}

const ETSI = 'http://uri.etsi.org/19602';
/** Six months, at their longest (TS 119 602 annexes D to I). */
const SIX_MONTHS_DAYS = 184;

function euProfile(
  name: string,
  service: string,
  [issuance, revocation]: readonly [readonly Purpose[], readonly Purpose[]],
  trustedStatuses: readonly string[] = [],
): ListProfile {
  return {
    type: `${ETSI}/LoTEType/${name}`,
    services: new Map([
      [`${ETSI}/SvcType/${service}/Issuance`, issuance],
      [`${ETSI}/SvcType/${service}/Revocation`, revocation],
    ]),
    trustedStatuses,
    hasStatuses: trustedStatuses.length > 0,
    maxUpdateDays: SIX_MONTHS_DAYS,
  };
}

/**
 * The lists of the European Commission that concern issuers, wallets and relying parties (TS 119 602 annexes D, E, F and
 * H). An issuer may sign status lists of its own credentials as well.
 */
const EU_LIST_PROFILES: readonly ListProfile[] = [
  euProfile('EUPIDProvidersList', 'PID', [['credential', 'status'], ['status']]),
  euProfile('EUWalletProvidersList', 'WalletSolution', [
    ['wallet_attestation', 'key_attestation', 'status'],
    ['status'],
  ]),
  euProfile('EUWRPACProvidersList', 'WRPAC', [['access'], []]),
  euProfile(
    'EUPubEAAProvidersList',
    'PubEAA',
    [['credential', 'status'], ['status']],
    [`${ETSI}/PubEAAProvidersList/SvcStatus/notified`],
  ),
];

/**
 * The profile that a configuration describes, or what is wrong with its type: a type of the European Commission is known
 * and must have one of the purposes that are `ofUse`, any other has to say what its services are trusted for.
 */
export function profileOfDescription(
  { type, services, statuses }: ListDescription,
  ofUse: readonly Purpose[],
): ListProfile | string {
  const known = EU_LIST_PROFILES.find((profile) => profile.type === type);
  if (known) {
    if (services ?? statuses) return 'is known: services and statuses must be absent';
    const purposes = [...known.services.values()].flat();
    return purposes.some((purpose) => ofUse.includes(purpose)) ? known : 'has no effect in this file';
  }
  if (!services) return 'is not known: say in services what its services are trusted for';
  const trustedStatuses = statuses ?? [];
  const named = new Map(Object.entries(services));
  return { type, services: named, trustedStatuses, hasStatuses: trustedStatuses.length > 0 };
}
