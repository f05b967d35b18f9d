import type { Clock } from '@vestibule/foundation';
import type { CredentialOffers, UnservedWallet } from '../domain/ports';

export interface MarkUnservedWalletsDeps {
  readonly clock: Clock;
  readonly markUnserved: CredentialOffers['markUnserved'];
}

/**
 * A gateway reports which wallets it could not serve. The mark itself ends nothing: a wallet may come back. Only if
 * none does before the offer expires, the offer ends as FAILED.
 */
export function markUnservedWallets({ clock, markUnserved }: MarkUnservedWalletsDeps) {
  return async function markUnservedWallets(report: { readonly flows: readonly UnservedWallet[] }) {
    await markUnserved(report.flows, clock());
    return {};
  };
}
