const BACKEND_ROUTES = /^\/(?:api\/wallet|schemas|published-schemas|drafts|credentials)(?:\/|\?|$)/;

/** Is this address of the public listener for backends, as the management API is, and not for wallets? */
export function isBackendRoute(url: string): boolean {
  return BACKEND_ROUTES.test(url);
}
