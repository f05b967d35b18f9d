/** Where wallets see this gateway: the paths of the configured base URL and issuer URL, `''` at the root of a host. */
export interface PublicPaths {
  readonly basePath: string;
  readonly issuerPath: string;
}

/** A path that no route has. */
export const NO_ROUTE = '/.not-found';

const WELL_KNOWN = '/.well-known/';
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
  const document = ISSUER_DOCUMENTS.find((name) => path === `${WELL_KNOWN}${name}${issuerPath}`);
  return document === undefined ? undefined : `${WELL_KNOWN}${document}`;
}

/**
 * The route that a public request means. Routes are written as if every URL had no path; a configured path comes off
 * here, and a request that is not below it has no route.
 */
export function internalPath(url: string, { basePath, issuerPath }: PublicPaths): string {
  const at = url.indexOf('?');
  const path = at === -1 ? url : url.slice(0, at);
  const route =
    wellKnown(path, issuerPath) ??
    below(path, basePath, '/oidc4vp') ??
    below(path, issuerPath, '/oidc4vci') ??
    below(path, basePath, '/api/wallet') ??
    NO_ROUTE;
  return at === -1 ? route : `${route}${url.slice(at)}`;
}
