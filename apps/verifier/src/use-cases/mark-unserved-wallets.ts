import type { Clock } from '@vestibule/foundation';
import type { PresentationRequests, UnservedWallet } from '../domain/ports';

export interface MarkUnservedWalletsDeps {
  readonly clock: Clock;
  readonly markUnserved: PresentationRequests['markUnserved'];
}

/**
 * A gateway tells which wallets it could not serve. The mark ends nothing: a wallet may come back, and only where none does
 * before the request ends with its time, it ends as PROCESSING_ERROR.
 */
export function markUnservedWallets({ clock, markUnserved }: MarkUnservedWalletsDeps) {
  return async function markUnservedWallets(report: { readonly flows: readonly UnservedWallet[] }) {
    await markUnserved(report.flows, clock());
    return {};
  };
}
