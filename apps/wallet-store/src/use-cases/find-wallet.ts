import { ApiError, type Clock, type RandomBytes } from '@vestibule/foundation';
import { createDidKey } from '@vestibule/vcdm';
import type { Wallets } from '../domain/ports';
import { canBeDid, newRecord, type Owner, type TenantId } from '../domain/records';
import type { NamedWallet } from '../domain/wallets';

export interface FindWalletDeps {
  readonly clock: Clock;
  readonly random: RandomBytes;
  readonly ownsWallet: Wallets['ownsWallet'];
  readonly findDefaultWallet: Wallets['findDefaultWallet'];
  readonly insertDefaultWallet: Wallets['insertDefaultWallet'];
}

/** The function that {@link findWallet} returns. */
export type FindWallet = ReturnType<typeof findWallet>;

function notFound(): ApiError {
  return new ApiError({ kind: 'not_found', code: 'wallet_not_found', detail: 'this entity has no such wallet' });
}

/** The tenant's wallet that matches both names; throws `wallet_not_found`. */
async function ownedWallet(deps: FindWalletDeps, tenant: TenantId, { entityDid, walletDid }: Owner): Promise<Owner> {
  const owner = { entityDid, walletDid };
  if (canBeDid(entityDid) && canBeDid(walletDid) && (await deps.ownsWallet(tenant, owner))) return owner;
  throw notFound();
}

/**
 * The named wallet, or the tenant's default wallet, which is created on first use. Throws `wallet_not_found`,
 * `invalid_request`.
 */
export function findWallet(deps: FindWalletDeps) {
  return async function findWallet(tenant: TenantId, { entityDid, walletDid }: NamedWallet): Promise<Owner> {
    if (entityDid !== undefined && walletDid !== undefined) return ownedWallet(deps, tenant, { entityDid, walletDid });
    if (entityDid !== undefined || walletDid !== undefined) {
      const path = entityDid === undefined ? 'entityDid' : 'walletDid';
      const faults = [{ path, message: 'is required: send both entityDid and walletDid, or neither' }];
      throw new ApiError({ kind: 'invalid', code: 'invalid_request', detail: 'name both or neither', faults });
    }
    const known = await deps.findDefaultWallet(tenant);
    if (known) return known;
    const [entityKey, walletKey] = [createDidKey(deps.random), createDidKey(deps.random)];
    const record = newRecord(deps.clock());
    const wallet = { tenant, entityDid: entityKey.did, key: walletKey, record };
    return deps.insertDefaultWallet({ tenant, key: entityKey, record }, wallet);
  };
}
