import { isLoopback, schemeOf, urlFault } from '@vestibule/foundation';

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
 * The fault in a `redirect_uri`, or undefined: it must be an absolute URL (RFC 3986), https (http for loopback or if
 * enabled, an app's scheme from the allow-list), without fragment and user information, and without a `response_code`
 * in its query, which would precede the one that is added.
 */
export function redirectUriFault(text: string, { appSchemes, allowHttp }: RedirectUriRules): string | undefined {
  const schemes = ['https', 'http', ...appSchemes];
  const fault = urlFault(text, { schemes, fragment: 'refused' });
  if (fault !== undefined) {
    const isOfApp = schemeOf(text) !== '' && !schemes.includes(schemeOf(text));
    return isOfApp ? `${fault}; the operator can allow the schemes of apps` : fault;
  }
  const url = new URL(text);
  if (url.protocol === 'http:' && !allowHttp && !isLoopback(url))
    return 'must use https, because its host is not loopback';
  return namesResponseCode(url.search)
    ? 'must not have a response_code in its query, because the response adds one'
    : undefined;
}
