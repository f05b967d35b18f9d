import type { IncomingMessage } from 'node:http';

/** Why a request is not answered, or undefined. */
export type Refusal = { readonly status: number; readonly detail: string };

const NAMES = ['127.0.0.1', 'localhost'];

/** The names under which the console may be asked for; any other name leads here by DNS rebinding. */
const hostsOf = (port: number): readonly string[] => NAMES.map((name) => `${name}:${port}`);

/** Another page, which the browser names or marks as such. */
function isForeign({ headers }: IncomingMessage): boolean {
  const { host, origin, 'sec-fetch-site': site } = headers;
  const isMarked = site !== undefined && site !== 'same-origin' && site !== 'none';
  return isMarked || (origin !== undefined && origin !== `http://${host}`);
}

function refusalOfChange({ headers }: IncomingMessage): Refusal | undefined {
  if (headers.origin === undefined) return { status: 403, detail: 'the origin is missing' };
  const [type] = (headers['content-type'] ?? '').split(';');
  return type === 'application/json' ? undefined : { status: 415, detail: 'the body must be JSON' };
}

const BASE = 'http://console';

/**
 * The path of a request as it was sent; undefined for a target in which a URL parser reads another path or host
 * (`//host/api/…`, `/x/../api/…`): what is judged and what is answered must be the same.
 */
export function pathOf({ url = '' }: Pick<IncomingMessage, 'url'>): string | undefined {
  const [sent = ''] = url.split('?', 1);
  if (!URL.canParse(url, BASE)) return undefined;
  const { origin, pathname } = new URL(url, BASE);
  return origin === BASE && pathname === sent ? pathname : undefined;
}

/**
 * Only this machine's own page may use the console: whatever else runs in the browser cannot. The `Host` must be a
 * loopback name, so that no other site can pretend to be it (DNS rebinding). What changes something must come from the
 * console's own origin, and nothing may be asked for by another site.
 */
export function refusalOf(request: IncomingMessage, port: number): Refusal | undefined {
  const { host = '' } = request.headers;
  if (!hostsOf(port).includes(host)) return { status: 421, detail: 'not an address of the console' };
  const path = pathOf(request);
  if (path === undefined) return { status: 400, detail: 'the address is not a plain path' };
  if (!path.startsWith('/api/')) return undefined;
  if (isForeign(request)) return { status: 403, detail: 'only the page of the console may ask' };
  return ['GET', 'HEAD'].includes(request.method ?? '') ? undefined : refusalOfChange(request);
}
