import type { Clock, RandomBytes } from '@vestibule/foundation';
import { createDidKey } from '@vestibule/vcdm';
import type { Wallets } from '../domain/ports';
import { newRecord, recordView } from '../domain/records';
import { authenticate, type AuthenticateDeps } from './authenticate';

export interface EntityAnswer extends ReturnType<typeof recordView> {
  readonly EntityDid: string;
}

export interface CreateEntityDeps extends AuthenticateDeps {
  readonly clock: Clock;
  readonly random: RandomBytes;
  readonly insertEntity: Wallets['insertEntity'];
}

export interface CreateEntityInput {
  readonly apiKeyDigest: string;
  readonly idempotencyKey?: string | undefined;
}

/** Creates an entity with a new did:key, whose private key stays sealed in the store. Throws `api_key_invalid`. */
export function createEntity(deps: CreateEntityDeps) {
  return async function createEntity(input: CreateEntityInput): Promise<EntityAnswer> {
    const tenant = await authenticate(deps, input.apiKeyDigest);
    const key = createDidKey(deps.random);
    const record = newRecord(deps.clock());
    const answer = { EntityDid: key.did, ...recordView(record) };
    return deps.insertEntity({ tenant, key, record }, answer, input.idempotencyKey);
  };
}
