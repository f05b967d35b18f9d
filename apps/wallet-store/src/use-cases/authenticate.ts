import { ApiError } from '@vestibule/foundation';
import type { Tenants } from '../domain/ports';
import type { TenantId } from '../domain/records';

export interface AuthenticateDeps {
  readonly findTenant: Tenants['findTenant'];
}

/** The tenant of an API key; throws `api_key_invalid` for an unknown or revoked one. */
export async function authenticate(deps: AuthenticateDeps, apiKeyDigest: string): Promise<TenantId> {
  const tenant = await deps.findTenant(apiKeyDigest);
  if (tenant !== undefined) return tenant;
  throw new ApiError({ kind: 'unauthenticated', code: 'api_key_invalid', detail: 'the API key is unknown or revoked' });
}
