import { ApiError } from '@vestibule/foundation';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { headerValues } from '../http/header-values';

/** Methods that change nothing (RFC 9110 §9.2.1). What they return, a page of another site cannot read. */
const SAFE: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE']);
/** What a browser says of requests of the own page, and of those that its user makes without any page. */
const OWN: ReadonlySet<string> = new Set(['same-origin', 'none']);

/** The host and port of an origin; undefined for `null`, the origin of a page that must not have one. */
function hostOf(origin: string): string | undefined {
  return URL.canParse(origin) ? new URL(origin).host : undefined;
}

/**
 * Did a web page of another site make a browser send this? Browsers say so in `Sec-Fetch-Site` (W3C Fetch Metadata) or,
 * where they leave it out, in `Origin`; only browsers send these headers, and no page can change them.
 */
function isOfForeignPage(request: FastifyRequest): boolean {
  if (SAFE.has(request.method)) return false;
  const sites = headerValues(request, 'sec-fetch-site');
  if (sites.length > 0) return sites.some((site) => !OWN.has(site));
  const hosts = headerValues(request, 'host').map((host) => host.toLowerCase());
  return headerValues(request, 'origin').some((origin) => !hosts.includes(hostOf(origin) ?? ''));
}

/**
 * Refuses changes that a web page of another site sends through the browser of somebody who reaches this listener: some of
 * them need no body, and so no permission. For a listener without bearer keys, because a browser that has to show a client
 * certificate does it for every page. Throws `foreign_page`.
 */
export function refuseForeignPages(instance: FastifyInstance): void {
  instance.addHook('onRequest', (request, _reply, done) => {
    if (!isOfForeignPage(request)) return done();
    const detail = 'a web page of another site must not change anything here';
    done(new ApiError({ kind: 'denied', code: 'foreign_page', detail }));
  });
}
