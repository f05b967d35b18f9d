import type { Clock } from '@vestibule/foundation';
import type { PresentationRequests, UnservedWallet } from '../domain/ports';

export interface MarkUnservedWalletsDeps {
  readonly clock: Clock;
  readonly markUnserved: PresentationRequests['markUnserved'];
}

/**
 * A gateway reports which wallets it could not serve. The mark itself ends nothing: a wallet may come back. Only if
 * none does before the request expires, the request ends as PROCESSING_ERROR.
 */
export function markUnservedWallets({ clock, markUnserved }: MarkUnservedWalletsDeps) {
  return async function markUnservedWallets(report: { readonly flows: readonly UnservedWallet[] }) {
    await markUnserved(report.flows, clock());
    return {};
  };
}
