import { ApiError } from '@vestibule/foundation';
import type { Wallets } from '../domain/ports';
import { encodeCursor, parseCursor } from '../domain/page-cursor';
import { canBeDid, recordView } from '../domain/records';
import type { OwnerPage, OwnerQuery, OwnerRecord } from '../domain/wallets';
import { authenticate, type AuthenticateDeps } from './authenticate';
import type { EntityAnswer } from './create-entity';
import type { WalletAnswer } from './create-wallet';

interface ListInput {
  readonly apiKeyDigest: string;
  readonly limit: number;
  readonly cursor?: string | undefined;
}

const queryOf = ({ limit, cursor }: ListInput): OwnerQuery => ({ limit, after: parseCursor(cursor) });

/** A page as the API returns it, and where the next one begins. */
function pageAnswer<Owner extends OwnerRecord, Answer>(
  { owners, hasMore }: OwnerPage<Owner>,
  view: (owner: Owner) => Answer,
) {
  const last = hasMore ? owners.at(-1) : undefined;
  return { items: owners.map(view), ...(last ? { nextCursor: encodeCursor(last) } : {}) };
}

export interface ListEntitiesDeps extends AuthenticateDeps {
  readonly findEntities: Wallets['findEntities'];
}

/** A page of the tenant's entities, oldest first. Throws `api_key_invalid`, `invalid_request`. */
export function listEntities(deps: ListEntitiesDeps) {
  return async function listEntities(input: ListInput) {
    const query = queryOf(input);
    const tenant = await authenticate(deps, input.apiKeyDigest);
    const page = await deps.findEntities(tenant, query);
    return pageAnswer(page, (entity): EntityAnswer => ({ EntityDid: entity.did, ...recordView(entity) }));
  };
}

export interface ListWalletsDeps extends AuthenticateDeps {
  readonly ownsEntity: Wallets['ownsEntity'];
  readonly findWallets: Wallets['findWallets'];
}

/** A page of the tenant's wallets, or of those of one entity, oldest first. Throws `entity_not_found` and as {@link listEntities} does. */
export function listWallets(deps: ListWalletsDeps) {
  return async function listWallets(input: ListInput & { readonly entityDid?: string | undefined }) {
    const { entityDid } = input;
    const query = queryOf(input);
    const tenant = await authenticate(deps, input.apiKeyDigest);
    if (entityDid !== undefined && !(canBeDid(entityDid) && (await deps.ownsEntity(tenant, entityDid)))) {
      throw new ApiError({ kind: 'not_found', code: 'entity_not_found', detail: 'there is no such entity' });
    }
    const page = await deps.findWallets(tenant, { ...query, entityDid });
    return pageAnswer(page, (wallet): WalletAnswer => ({
      WalletDid: wallet.did,
      EntityDid: wallet.entityDid,
      ...recordView(wallet),
    }));
  };
}
