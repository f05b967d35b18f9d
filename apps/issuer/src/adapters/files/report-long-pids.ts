import type { Logger } from '@vestibule/process';
import type { IssuableType } from '../../domain/credential-offer';

/** A day, less the hour to which the end of a credential is rounded. */
const LONGEST_SECONDS = 82_800;

/**
 * Logs each PID that is valid for so long that the status of the attestations of its wallet would have to be looked up
 * again while it is (TS3 1.5 §2.4.3), which nobody does here.
 */
export function reportLongPids(
  types: ReadonlyMap<string, Pick<IssuableType, 'isPid' | 'validitySeconds'>>,
  logger: Pick<Logger, 'warn'>,
): void {
  for (const [type, { isPid, validitySeconds }] of types) {
    if (!isPid || validitySeconds <= LONGEST_SECONDS) continue;
    logger.warn(
      'a PID is valid for a day or longer: the status of its attestations is looked up when it is issued, and not again',
      { type, validitySeconds },
    );
  }
}
