import { DomainError } from '@vestibule/foundation';
import type { IssuerTrust } from '@vestibule/oid4vp';
import type { Logger } from '@vestibule/process';
import { coverageFor } from '@vestibule/x509-trust';
import type { AccessCertificates } from '../keys/access-certificate';

export interface AccessCheckOptions {
  readonly trust: () => IssuerTrust;
  readonly certificates: () => Pick<AccessCertificates, 'chainsAt'>;
  readonly logger: Pick<Logger, 'info' | 'warn'>;
}

const SCOPE = { purpose: 'access' } as const;

/** Why wallets that follow the list would refuse a chain; undefined if they would not. */
function faultOf(x5c: readonly string[], { chains }: IssuerTrust, now: Date): string | undefined {
  try {
    const { anchor } = chains.verify(x5c, { ...SCOPE, now, needsAnchor: true });
    return anchor ? undefined : 'untrusted_issuer';
  } catch (error) {
    if (error instanceof DomainError) return error.code;
    throw error;
  }
}

/**
 * Returns a check that may be called often: where a list of the authorities for access certificates is followed and known,
 * it compares this verifier's own certificates with it, as wallets do, and logs each change of the result.
 */
export function createAccessCheck({ trust, certificates, logger }: AccessCheckOptions) {
  let before: string | undefined;
  return (now: Date): void => {
    const current = trust();
    const lists = coverageFor(current.covered, SCOPE);
    if (lists.length === 0 || lists.some(({ missing }) => missing !== undefined)) return;
    const faults = certificates()
      .chainsAt(now)
      .flatMap((x5c) => faultOf(x5c, current, now) ?? []);
    const result = faults.join();
    if (result === before) return;
    before = result;
    if (result === '') logger.info('every access certificate is below an authority on the list');
    else
      logger.warn('an access certificate is not below an authority on the list: wallets may refuse its requests', {
        reasons: result,
      });
  };
}
