import type { WalletStoreAdapters } from './compose';
import {
  signGivenCredential,
  verifyGivenCredential,
  verifyGivenPresentation,
  type VcApiDeps,
} from './use-cases/vc-api';

type VcApiAdapters = Pick<WalletStoreAdapters, 'clock' | 'tenants' | 'wallets' | 'contexts' | 'canonicalizeFor'>;

/** The use cases of the VC API over the given adapters. */
export function composeVcApi({ clock, tenants, wallets, contexts, canonicalizeFor }: VcApiAdapters) {
  const deps: VcApiDeps = {
    clock,
    contexts,
    canonicalizeFor,
    findTenant: (digest) => tenants.findTenant(digest),
    findEntityKey: (tenant, did) => wallets.findEntityKey(tenant, did),
  };
  return {
    signCredential: signGivenCredential(deps),
    verifyCredential: verifyGivenCredential(deps),
    verifyPresentation: verifyGivenPresentation(deps),
  };
}
