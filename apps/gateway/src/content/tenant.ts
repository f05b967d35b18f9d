import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';

/** Who asks the wallet store: a tenant by the digest of its API key. */
export interface TenantKey {
  readonly apiKeyDigest: string;
}

const tenants = new WeakMap<FastifyRequest, TenantKey>();

/** A guard has found out for whom this request is. */
export function setTenant(request: FastifyRequest, tenant: TenantKey): void {
  tenants.set(request, tenant);
}

/** For whom a request is. Throws where no guard has said it: such a route must not answer. */
export function tenantOf(request: FastifyRequest): TenantKey {
  const tenant = tenants.get(request);
  if (tenant === undefined) throw new TypeError('no guard has said for which tenant this request is');
  return tenant;
}

/** The tenant that the guard of the route has found. */
export const Tenant = createParamDecorator((_data: unknown, context: ExecutionContext): TenantKey => {
  return tenantOf(context.switchToHttp().getRequest<FastifyRequest>());
});
