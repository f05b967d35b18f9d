import {
  CheckIssuerHealth,
  CheckVerifierHealth,
  CheckWalletStoreHealth,
  type Contract,
  type Readiness,
} from '@vestibule/contracts';

/** The services of an installation, and what each is asked about its health. */
const HEALTH_CHECKS = {
  verifier: CheckVerifierHealth,
  issuer: CheckIssuerHealth,
  'wallet-store': CheckWalletStoreHealth,
} as const satisfies Readonly<Record<string, Contract<object, Readiness>>>;

export type ServiceName = keyof typeof HEALTH_CHECKS;

export const SERVICE_NAMES = Object.keys(HEALTH_CHECKS) as readonly ServiceName[];

/** The health check of each of these services. */
export function healthChecksOf(
  names: readonly ServiceName[],
): readonly (readonly [ServiceName, Contract<object, Readiness>])[] {
  return names.map((name) => [name, HEALTH_CHECKS[name]] as const);
}
