import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';

/** The caller of the wallet store: a tenant, identified by the digest of its API key. */
export interface TenantKey {
  readonly apiKeyDigest: string;
}

const tenants = new WeakMap<FastifyRequest, TenantKey>();

/** Called by a guard that has identified the tenant of a request. */
export function setTenant(request: FastifyRequest, tenant: TenantKey): void {
  tenants.set(request, tenant);
}

/** The tenant of a request. Throws if no guard has identified it: such a route must not answer. */
export function tenantOf(request: FastifyRequest): TenantKey {
  const tenant = tenants.get(request);
  if (tenant === undefined) throw new TypeError('no guard has identified the tenant of this request');
  return tenant;
}

/** The tenant that the guard of the route has identified. */
export const Tenant = createParamDecorator((_data: unknown, context: ExecutionContext): TenantKey => {
  return tenantOf(context.switchToHttp().getRequest<FastifyRequest>());
});
