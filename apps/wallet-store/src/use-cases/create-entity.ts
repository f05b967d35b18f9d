import type { Clock, RandomBytes } from '@vestibule/foundation';
import { createDidKey, type DidKeyPair } from '@vestibule/vcdm';
import { newRecord, recordView, type OwnedRecord, type TenantId } from '../domain/records';
import { authenticate, type AuthenticateDeps } from './authenticate';

export interface EntityAnswer extends ReturnType<typeof recordView> {
  readonly EntityDid: string;
}

export interface NewEntity {
  readonly tenant: TenantId;
  readonly key: DidKeyPair;
  readonly record: OwnedRecord;
}

export interface CreateEntityDeps extends AuthenticateDeps {
  readonly clock: Clock;
  readonly random: RandomBytes;
  readonly insertEntity: (
    entity: NewEntity,
    answer: EntityAnswer,
    idempotencyKey: string | undefined,
  ) => Promise<EntityAnswer>;
}

/** Makes an entity with a fresh did:key, whose private half stays sealed in the store. Throws `api_key_invalid`. */
export const createEntity =
  (deps: CreateEntityDeps) =>
  async (input: {
    readonly apiKeyDigest: string;
    readonly idempotencyKey?: string | undefined;
  }): Promise<EntityAnswer> => {
    const tenant = await authenticate(deps, input.apiKeyDigest);
    const key = createDidKey(deps.random);
    const record = newRecord(deps.clock());
    const answer = { EntityDid: key.did, ...recordView(record) };
    return deps.insertEntity({ tenant, key, record }, answer, input.idempotencyKey);
  };
