import type { IncomingMessage } from 'node:http';
import type { FastifyInstance } from 'fastify';
import type { Addresses, Rewritten } from './addresses';
import { noSuchRoute } from './errors';
import type { RouteTable } from './routes';

const positions = new WeakMap<IncomingMessage, string | undefined>();

/** The scheme and the authority of a target in absolute form; which host it names is never asked, as with Host. */
const ORIGIN = /^https?:\/\/[^/?#]*/i;

/** A target as a client sends it to a server, also where it was meant for a proxy (RFC 9112 §3.2.1, §3.2.2). */
function originForm(target: string): string {
  const rest = target.replace(ORIGIN, '');
  return rest.length < target.length && !rest.startsWith('/') ? `/${rest}` : rest;
}

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
