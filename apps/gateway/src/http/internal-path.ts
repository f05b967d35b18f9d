/** Where wallets see this gateway: the paths of the configured base URL and issuer URL, `''` at the root of a host. */
export interface PublicPaths {
  readonly basePath: string;
  readonly issuerPath: string;
  /** Below the base URL, what the schema and draft API is under; `''` for nothing. */
  readonly schemaPrefix: string;
}

/** A path that no route has. */
export const NO_ROUTE = '/.not-found';

const WELL_KNOWN = '/.well-known/';
const SECURITY_TEXT = `${WELL_KNOWN}security.txt`;
const ISSUER_DOCUMENTS = ['openid-credential-issuer', 'oauth-authorization-server', 'jwt-vc-issuer'];

/** The path of a configured URL: `/tenant` for `https://host/tenant`, `''` for `https://host`. */
export function pathOf(url: string): string {
  const { pathname } = new URL(url);
  return pathname === '/' ? '' : pathname;
}

function below(path: string, prefix: string, route: string): string | undefined {
  if (!path.startsWith(`${prefix}${route}`)) return undefined;
  const rest = path.slice(prefix.length);
  return rest.length === route.length || rest[route.length] === '/' ? rest : undefined;
}

/** The well-known part goes between host and path (RFC 8414 §3.1, OpenID4VCI 1.0 §12.2.2). */
function wellKnown(path: string, issuerPath: string): string | undefined {
  // Of the host, whatever the paths of the configured URLs are (RFC 9116 §3).
  if (path === SECURITY_TEXT) return path;
  const document = ISSUER_DOCUMENTS.find((name) => path === `${WELL_KNOWN}${name}${issuerPath}`);
  return document === undefined ? undefined : `${WELL_KNOWN}${document}`;
}

const SCHEMA_ROUTES = ['/schemas', '/published-schemas', '/drafts', '/credentials'];
/** A published schema has its address for ever, whatever the prefix of the API is. */
const PUBLISHED = /^\/schemas\/[^/]+\/[^/]+\/\d+(?:\/[a-z-]+)?$/;

/** The route of the schema and draft API that a path means, undefined where it means none. */
function schemaRoute(path: string, prefix: string): string | undefined {
  return SCHEMA_ROUTES.map((route) => below(path, prefix, route)).find((found) => found !== undefined);
}

function publishedRoute(path: string, basePath: string): string | undefined {
  const rest = below(path, basePath, '/schemas');
  return rest !== undefined && PUBLISHED.test(rest) ? rest : undefined;
}

/** The VC API has its paths whatever the prefix is; no credential is called so. */
const VC_API = /^\/credentials\/(?:issue|verify)$/;

/** The route that a request to the management listener means: the prefix of the schema and draft API comes off. */
export function managementPath(url: string, schemaPrefix: string): string {
  const at = url.indexOf('?');
  const path = at === -1 ? url : url.slice(0, at);
  if (VC_API.test(path)) return url;
  const route = schemaRoute(path, schemaPrefix) ?? (schemaRoute(path, '') === undefined ? path : NO_ROUTE);
  return at === -1 ? route : `${route}${url.slice(at)}`;
}

/**
 * The route that a public request means. Routes are written as if every URL had no path; a configured path comes off
 * here, and a request that is not below it has no route.
 */
export function internalPath(url: string, { basePath, issuerPath, schemaPrefix }: PublicPaths): string {
  const at = url.indexOf('?');
  const path = at === -1 ? url : url.slice(0, at);
  const route =
    wellKnown(path, issuerPath) ??
    below(path, basePath, '/oidc4vp') ??
    below(path, issuerPath, '/oidc4vci') ??
    below(path, basePath, '/api/wallet') ??
    publishedRoute(path, basePath) ??
    schemaRoute(path, `${basePath}${schemaPrefix}`) ??
    NO_ROUTE;
  return at === -1 ? route : `${route}${url.slice(at)}`;
}
