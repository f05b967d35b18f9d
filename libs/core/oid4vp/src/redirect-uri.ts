import { isLoopback, urlFault } from '@vestibule/foundation';

/** Which addresses a backend may name for the browser's return. */
export interface RedirectUriRules {
  /** Schemes of apps, in lower case and without the colon, that may be named besides https. */
  readonly appSchemes: readonly string[];
  readonly allowHttp: boolean;
}

/** As web frameworks read the names of a query: some split at semicolons, know no case, or make `.` and `[` end a name. */
function queryNames(search: string): readonly string[] {
  const names = [...new URLSearchParams(search.replaceAll(';', '&')).keys()];
  return names.map((name) => name.trim().toLowerCase().replace(/[. ]/g, '_').replace(/\[.*$/s, ''));
}

/**
 * What is wrong with a `redirect_uri`, or undefined: an absolute URL as RFC 3986 writes it, https (http for loopback or
 * where switched on, an app's scheme from the allow-list), no fragment, no user information, and no `response_code` in its
 * query, which would come before the one that is added.
 */
export function redirectUriFault(text: string, { appSchemes, allowHttp }: RedirectUriRules): string | undefined {
  const fault = urlFault(text, { schemes: ['https', 'http', ...appSchemes], fragment: 'refused' });
  if (fault !== undefined) return fault;
  const url = new URL(text);
  if (url.protocol === 'http:' && !allowHttp && !isLoopback(url)) return 'must use https';
  const isNamed = queryNames(url.search).includes('response_code');
  return isNamed ? 'must not have a response_code in its query, where that of the answer will be' : undefined;
}
