import type { Canonicalize, KnownContexts, Understanding } from '@vestibule/vcdm';
import type { TenantId } from '../domain/records';

/** What documents mean: the contexts that they may have, and what turns those of one call of a tenant into graphs. */
export interface UnderstandingDeps {
  readonly contexts: KnownContexts;
  readonly canonicalizeFor: (tenant: TenantId) => Canonicalize;
}

/** For one call of a tenant. */
export function understandingOf({ contexts, canonicalizeFor }: UnderstandingDeps, tenant: TenantId): Understanding {
  return { contexts, canonicalize: canonicalizeFor(tenant) };
}
