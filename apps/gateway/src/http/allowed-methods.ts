const PUBLIC_ROUTES: readonly (readonly [RegExp, readonly string[]])[] = [
  [/^\/oidc4vp\/[^/]+\/request$/, ['GET', 'POST']],
  [/^\/oidc4vp\/[^/]+\/response$/, ['POST']],
  [/^\/oidc4vci\/offers\/[^/]+$/, ['GET']],
  [/^\/oidc4vci\/types\/[^/]+$/, ['GET']],
  [/^\/oidc4vci\/status-lists\/[^/]+$/, ['GET']],
  [/^\/oidc4vci\/(?:token|nonce|challenge|credential|deferred_credential|notification)$/, ['POST']],
  [/^\/\.well-known\/(?:openid-credential-issuer|oauth-authorization-server|jwt-vc-issuer|security\.txt)$/, ['GET']],
];

/** The methods of the public route that a path has, or undefined where there is none: 405 with `Allow` instead of 404. */
export function allowedMethods(path: string): readonly string[] | undefined {
  const [, methods] = PUBLIC_ROUTES.find(([route]) => route.test(path)) ?? [];
  return methods?.includes('GET') ? [...methods, 'HEAD', 'OPTIONS'] : methods && [...methods, 'OPTIONS'];
}
