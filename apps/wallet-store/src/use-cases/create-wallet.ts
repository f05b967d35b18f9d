import { ApiError, type Clock, type RandomBytes } from '@vestibule/foundation';
import { createDidKey } from '@vestibule/vcdm';
import type { Wallets } from '../domain/ports';
import { canBeDid, newRecord, recordView } from '../domain/records';
import { authenticate, type AuthenticateDeps } from './authenticate';

export interface WalletAnswer extends ReturnType<typeof recordView> {
  readonly WalletDid: string;
  readonly EntityDid: string;
}

export interface CreateWalletDeps extends AuthenticateDeps {
  readonly clock: Clock;
  readonly random: RandomBytes;
  readonly ownsEntity: Wallets['ownsEntity'];
  readonly insertWallet: Wallets['insertWallet'];
}

export interface CreateWalletInput {
  readonly apiKeyDigest: string;
  readonly entityDid: string;
  readonly idempotencyKey?: string | undefined;
}

/** Creates a wallet of an entity, with a did:key of its own. Throws `api_key_invalid` and `entity_not_found`. */
export function createWallet(deps: CreateWalletDeps) {
  return async function createWallet({
    apiKeyDigest,
    entityDid,
    idempotencyKey,
  }: CreateWalletInput): Promise<WalletAnswer> {
    const tenant = await authenticate(deps, apiKeyDigest);
    if (!canBeDid(entityDid) || !(await deps.ownsEntity(tenant, entityDid))) {
      throw new ApiError({ kind: 'not_found', code: 'entity_not_found', detail: 'there is no such entity' });
    }
    const key = createDidKey(deps.random);
    const record = newRecord(deps.clock());
    const answer = { WalletDid: key.did, EntityDid: entityDid, ...recordView(record) };
    return deps.insertWallet({ tenant, entityDid, key, record }, answer, idempotencyKey);
  };
}
