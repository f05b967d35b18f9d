import { createHash } from 'node:crypto';
import { ApiError } from '@vestibule/foundation';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { isBackendRoute } from '../http/backend-route';
import { headerValues } from '../http/header-values';
import type { IsKnownKey } from './known-keys';

const MAX_KEY_LENGTH = 512;

/**
 * The tenant of a request by the digest of its `X-API-KEY`: the key itself stays here. Whether a tenant has this key is
 * for the wallet store to know. Throws `api_key_missing`.
 */
export function tenantFrom(request: FastifyRequest): { apiKeyDigest: string } {
  const [key, ...more] = headerValues(request, 'x-api-key');
  if (!key || more.length > 0 || key.length > MAX_KEY_LENGTH) {
    throw new ApiError({ kind: 'unauthenticated', code: 'api_key_missing', detail: 'send one X-API-KEY header' });
  }
  return { apiKeyDigest: createHash('sha256').update(key).digest('base64url') };
}

/** Routes of backends without a tenant: published schemas are everybody's, the VC API has a tenant of its own. */
const WITHOUT_KEY = /^\/(?:schemas\/:tenant\/:slug\/:version(?:\/|$)|credentials\/(?:issue|verify)$)/;

/** Does this route, as the router has it, belong to a tenant? All of the backends' do that are not said not to. */
export const needsKey = (route: string): boolean => isBackendRoute(route) && !WITHOUT_KEY.test(route);

/**
 * From now on every request to a route of the wallet content API, or of the schema and draft API, has to carry the API key
 * of a tenant, before its body is read and before anything else about it is looked at: 401 `api_key_missing` or
 * `api_key_invalid` otherwise. It goes by the route that was found, so that no spelling of an address gets around it.
 */
export function authenticateTenants(instance: FastifyInstance, isKnown: IsKnownKey): void {
  instance.addHook('preParsing', async (request) => {
    if (!needsKey(request.routeOptions.url ?? '')) return;
    const { apiKeyDigest } = tenantFrom(request);
    if (await isKnown(apiKeyDigest)) return;
    throw new ApiError({
      kind: 'unauthenticated',
      code: 'api_key_invalid',
      detail: 'the API key is unknown or revoked',
    });
  });
}
