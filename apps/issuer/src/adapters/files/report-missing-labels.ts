import { missingFallbackLabels, type CredentialType } from '@vestibule/oid4vci';
import type { Logger } from '@vestibule/process';

/** Logs each type with claims that users whose language it does not have see without a label. */
export function reportMissingLabels(types: ReadonlyMap<string, CredentialType>, logger: Pick<Logger, 'warn'>): void {
  for (const { configurationId, locale, claims } of missingFallbackLabels([...types.values()])) {
    logger.warn(
      'claims have labels, but none in the first language of their type, which users of other languages see',
      { type: configurationId, locale, claims: claims.join() },
    );
  }
}
