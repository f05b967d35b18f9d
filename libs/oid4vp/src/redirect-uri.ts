const LOOPBACK_HOSTS = ['localhost', '127.0.0.1', '[::1]'];

/** Which addresses a backend may name for the browser's return. */
export interface RedirectUriRules {
  /** Schemes of apps, without the colon, that may be named besides https. */
  readonly appSchemes: readonly string[];
  readonly allowHttp: boolean;
}

/**
 * What is wrong with a `redirect_uri`, or undefined: absolute, https (http for loopback or where switched on, an app's
 * scheme from the allow-list), no fragment, no credentials.
 */
export function redirectUriFault(text: string, rules: RedirectUriRules): string | undefined {
  if (!URL.canParse(text)) return 'must be an absolute URL';
  const url = new URL(text);
  if (text.includes('#')) return 'must not have a fragment';
  if (url.username !== '' || url.password !== '') return 'must not hold credentials';
  const scheme = url.protocol.slice(0, -1);
  if (scheme === 'https' || rules.appSchemes.includes(scheme)) return undefined;
  const httpAllowed = rules.allowHttp || LOOPBACK_HOSTS.includes(url.hostname);
  return scheme === 'http' && httpAllowed ? undefined : 'must use https';
}
