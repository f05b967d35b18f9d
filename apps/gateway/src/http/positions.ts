import type { IncomingMessage } from 'node:http';
import type { FastifyInstance } from 'fastify';
import type { Addresses, Rewritten } from './addresses';
import { noSuchRoute } from './errors';
import { originForm } from './origin-form';
import type { RouteTable } from './routes';

const positions = new WeakMap<IncomingMessage, string | undefined>();

/** Rewrites the targets of requests and remembers the place of each, for {@link holdPositions}. */
export function rewriteBy(rewrite: (url: string) => Rewritten): (request: IncomingMessage) => string {
  return (request) => {
    const { url, position } = rewrite(originForm(request.url ?? '/'));
    positions.set(request, position);
    return url;
  };
}

/**
 * Makes each route answer only where it belongs. Targets are rewritten without being decoded, but the router decodes them
 * and strips fragments and the origin of absolute ones, so it finds routes that the rewriting has missed.
 */
export function holdPositions(instance: FastifyInstance, table: RouteTable, addresses: Addresses): void {
  const positionsOf = table.aboutAddress((routes) => new Set(routes.map((route) => addresses.positionOf(route))));
  instance.addHook('onRequest', (request, _reply, done) => {
    const belongs = positionsOf(request)?.has(positions.get(request.raw)) ?? true;
    done(belongs ? undefined : noSuchRoute());
  });
}
