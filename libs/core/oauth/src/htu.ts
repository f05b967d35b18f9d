import { isUriReference } from '@vestibule/foundation';

const HTTP = /^https?:\/\//i;
const UNRESERVED = /[A-Za-z0-9\-._~]/;

function normalizePercentEncoding(text: string): string {
  return text.replace(/%([0-9A-Fa-f]{2})/g, (triplet, digits: string) => {
    const character = String.fromCharCode(Number.parseInt(digits, 16));
    return UNRESERVED.test(character) ? character : triplet.toUpperCase();
  });
}

/**
 * A target URI in the form in which two are compared (RFC 9449 §4.3, RFC 3986 §6.2.2 and §6.2.3): without query and
 * fragment, scheme and host in lower case, no default port, no dot segments, no percent-encoded unreserved characters.
 * Undefined for anything that is not an absolute http(s) URI.
 */
export function normalizeTargetUri(text: string): string | undefined {
  if (!HTTP.test(text) || !isUriReference(text)) return undefined;
  const [withoutQuery] = text.split(/[?#]/, 1);
  const decoded = normalizePercentEncoding(withoutQuery as string);
  if (!URL.canParse(decoded)) return undefined;
  const url = new URL(decoded);
  return `${url.protocol}//${url.host}${url.pathname}`;
}
