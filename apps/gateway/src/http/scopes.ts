import { Reflector } from '@nestjs/core';
import { ApiError } from '@vestibule/foundation';
import type { FastifyRequest } from 'fastify';
import { EarlyGuard } from './early-guard';
import { declared, type RouteTable } from './routes';

/** What a caller of the management listener may do. */
export const SCOPES = ['present', 'offer', 'revoke', 'content', 'operate'] as const;
export type Scope = (typeof SCOPES)[number];

/** The scope that a route needs. One of its method wins over one of its controller. */
export const Needs = Reflector.createDecorator<Scope>();

const granted = new WeakMap<FastifyRequest, readonly Scope[]>();

/** Grants scopes to a request; where several credentials are required, only what each of them grants. */
export function grantScopes(request: FastifyRequest, scopes: readonly Scope[]): void {
  const before = granted.get(request);
  granted.set(request, before === undefined ? scopes : before.filter((scope) => scopes.includes(scope)));
}

/** A request whose credential lacks the scope of its route; the challenge of RFC 6750 §3.1 names it. */
export class ScopeMissing extends ApiError {
  constructor(readonly scope: Scope) {
    super({ kind: 'denied', code: 'scope_missing', detail: `this call needs the scope ${scope}` });
  }
}

/**
 * Admits requests with the scope of their route, after other guards have granted scopes; throws `scope_missing`. Without
 * such a guard the listener is open, and every scope is granted. A route without a scope is for every caller.
 */
export class ScopeGuard extends EarlyGuard {
  readonly #scopeOf: (request: FastifyRequest) => Scope | undefined;

  constructor(table: RouteTable) {
    super();
    this.#scopeOf = table.about((route) => declared(Needs, route));
  }

  protected judge(request: FastifyRequest): void {
    const scope = this.#scopeOf(request);
    const scopes = granted.get(request);
    if (scope !== undefined && scopes !== undefined && !scopes.includes(scope)) throw new ScopeMissing(scope);
  }
}
