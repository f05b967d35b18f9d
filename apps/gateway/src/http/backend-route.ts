const CONTENT_API = '/api/wallet/';

/** Is this address of the public listener for backends, as the management API is, and not for wallets? */
export function isBackendRoute(url: string): boolean {
  return url.startsWith(CONTENT_API);
}
