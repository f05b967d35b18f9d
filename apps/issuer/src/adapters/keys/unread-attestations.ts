import type { Clock } from '@vestibule/foundation';
import type { Logger } from '@vestibule/process';

const DAY_MILLISECONDS = 86_400_000;

/** Logs, once a day, that wallets send attestations which nobody reads. */
export function createUnreadReport(logger: Pick<Logger, 'warn'>, clock: Clock): () => void {
  let quietUntil = -Infinity;
  return () => {
    const now = clock().getTime();
    if (now < quietUntil) return;
    quietUntil = now + DAY_MILLISECONDS;
    const why = 'ATTESTATION_TRUST_FILE has no walletAttestation, or the issuer has attestations off';
    logger.warn('a wallet sent an attestation that is not read; it is served like a wallet without one', { why });
  };
}
