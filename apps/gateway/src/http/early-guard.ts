import type { CanActivate, ExecutionContext, INestApplication, Type } from '@nestjs/common';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { guardsOf, type Route, type RouteTable } from './routes';

const admissions = new WeakMap<FastifyRequest, Set<unknown>>();

/**
 * A guard that runs before a body is read. Nest runs guards after the body is parsed, so the listener runs this one
 * earlier. Nest runs it as well, so that a route is protected even if the listener missed its guard; an admitted
 * request is not judged twice.
 */
export abstract class EarlyGuard implements CanActivate {
  /** Throws the error for the caller; what it says in the headers of the reply is in every answer from then on. */
  protected abstract judge(request: FastifyRequest, reply: FastifyReply): void | Promise<void>;

  async admit(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const admittedBy = admissions.get(request) ?? new Set();
    if (admittedBy.has(this.constructor)) return;
    await this.judge(request, reply);
    admissions.set(request, admittedBy.add(this.constructor));
  }

  async canActivate(context: ExecutionContext): Promise<true> {
    const http = context.switchToHttp();
    await this.admit(http.getRequest<FastifyRequest>(), http.getResponse<FastifyReply>());
    return true;
  }
}

function isEarly(guard: unknown): guard is Type<EarlyGuard> {
  return typeof guard === 'function' && guard.prototype instanceof EarlyGuard;
}

/** The guards that a route declares. Any other would judge its caller only after the input has been judged. */
function earlyGuardsOf(route: Route): readonly Type<EarlyGuard>[] {
  return guardsOf(route).map((guard) => {
    if (isEarly(guard)) return guard;
    throw new RangeError(`a guard of ${route.method} ${route.path} is no EarlyGuard`);
  });
}

/** Throws what the first failing guard throws. */
export async function askAll(
  guards: readonly EarlyGuard[],
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  for (const guard of guards) await guard.admit(request, reply);
}

/** Makes these guards judge every request, with or without a route, before anything else. */
export function guardEveryRequest(instance: FastifyInstance, guards: readonly EarlyGuard[]): void {
  if (guards.length > 0) instance.addHook('onRequest', (request, reply) => askAll(guards, request, reply));
}

/**
 * Makes the guards that a route declares with `@UseGuards` run before its body is read, and before anything of its input is
 * judged.
 * @throws RangeError for a guard that is no {@link EarlyGuard}
 */
export function guardRoutes(app: INestApplication, instance: FastifyInstance, table: RouteTable): void {
  const guardsFor = table.about((route) => earlyGuardsOf(route).map((guard) => app.get(guard, { strict: false })));
  instance.addHook('preParsing', (request, reply, payload, done) => {
    const guards = guardsFor(request) ?? [];
    if (guards.length === 0) done(null, payload);
    else void askAll(guards, request, reply).then(() => done(null, payload), done);
  });
}
