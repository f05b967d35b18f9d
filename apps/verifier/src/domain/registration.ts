import type { DcqlQuery } from '@vestibule/dcql';
import type { Fault, JsonObject } from '@vestibule/foundation';
import { unregisteredClaims, type RegisteredCredential } from '@vestibule/oid4vp';

/** What happens to a request that asks for more than is registered. */
export const REGISTRATION_POLICIES = ['enforce', 'report', 'off'] as const;
export type RegistrationPolicy = (typeof REGISTRATION_POLICIES)[number];

/** One use of credentials that this relying party registered. */
export interface Registration {
  /** The operator's name for it. */
  readonly id: string;
  /** The registrar's name of the intended use, if the certificate has one. */
  readonly intendedUseId: string | undefined;
  /** What wallets receive about it (OpenID4VP 1.0 §5.1): at least one element. */
  readonly verifierInfo: readonly JsonObject[];
  /** What may be asked for; undefined without a certificate. */
  readonly credentials: readonly RegisteredCredential[] | undefined;
  /** The end of the certificate. */
  readonly expiresAt: Date | undefined;
}

/** The registrations of an installation, as their file is now. */
export interface Registrations {
  readonly policy: RegistrationPolicy;
  /** The one for requests that name none; undefined if there are several and none is the default. */
  readonly byDefault: Registration | undefined;
  readonly all: readonly Registration[];
}

export const NO_REGISTRATIONS: Registrations = { policy: 'off', byDefault: undefined, all: [] };

/** The registration of a request, and everything that it asks for beyond that. */
export interface ChosenRegistration {
  readonly registration: Registration | undefined;
  readonly faults: readonly Fault[];
  /** What is not registered, where that is only reported. */
  readonly unregistered: readonly Fault[];
}

const MEMBER = 'intended_use';
const refused = (message: string): ChosenRegistration => ({
  registration: undefined,
  faults: [{ path: MEMBER, message }],
  unregistered: [],
});

function choiceOf({ all }: Registrations): string {
  return `must be one of ${all.map(({ id }) => JSON.stringify(id)).join(', ')}`;
}

/**
 * The registration that a request names by `intended_use`, the operator's name or the registrar's, or the default. The
 * query, if it could be read, is compared with what is registered (ARF RPRC_21).
 */
export function chooseRegistration(
  registrations: Registrations,
  intendedUse: string | undefined,
  query: DcqlQuery | undefined,
): ChosenRegistration {
  const { all, byDefault, policy } = registrations;
  if (all.length === 0)
    return intendedUse === undefined
      ? { registration: undefined, faults: [], unregistered: [] }
      : refused('must be absent: no registration is configured (REGISTRATION_FILE)');
  const registration =
    intendedUse === undefined
      ? byDefault
      : (all.find(({ id }) => id === intendedUse) ?? all.find(({ intendedUseId }) => intendedUseId === intendedUse));
  if (!registration) return refused(choiceOf(registrations));
  const { credentials } = registration;
  const exceeding = query && credentials && policy !== 'off' ? unregisteredClaims(query, credentials) : [];
  return policy === 'enforce'
    ? { registration, faults: exceeding, unregistered: [] }
    : { registration, faults: [], unregistered: exceeding };
}
