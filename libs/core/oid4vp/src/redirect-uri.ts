import { isLoopback, urlFault } from '@vestibule/foundation';

/** Which addresses a backend may name for the browser's return. */
export interface RedirectUriRules {
  /** Schemes of apps, in lower case and without the colon, that may be named besides https. */
  readonly appSchemes: readonly string[];
  readonly allowHttp: boolean;
}

const RESPONSE_CODE = 'response_code';

/**
 * As web frameworks read the names of a query: some split at semicolons, know no case, end a name at NUL or `[`, or make
 * blanks, `.` and a `[` that is not closed an underscore (PHP).
 */
function namesResponseCode(search: string): boolean {
  return [...new URLSearchParams(search.replaceAll(';', '&')).keys()].some((name) => {
    const [read = ''] = name.trimStart().toLowerCase().split('\0', 1);
    const readings = [read, read.trimEnd(), read.replace(/\[.*$/s, '')];
    return readings.some((one) => one.replace(/[. [\]]/g, '_') === RESPONSE_CODE);
  });
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
  return namesResponseCode(url.search)
    ? 'must not have a response_code in its query, because the response adds one'
    : undefined;
}
