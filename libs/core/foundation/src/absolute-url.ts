/** What a place accepts; without rules every scheme, query and fragment are welcome. */
export interface UrlRules {
  /** In lower case and without the colon. */
  readonly schemes?: readonly string[];
  readonly query?: 'refused';
  readonly fragment?: 'refused';
  /** For connection strings alone, which carry a password. */
  readonly userInformation?: 'accepted';
  /** In characters; default {@link MAX_URL_LENGTH}. */
  readonly maxLength?: number;
}

/** Characters of a URL, where nothing else is said. */
export const MAX_URL_LENGTH = 2_048;

const FOREIGN_CHARACTER = /[^A-Za-z0-9\-._~:/?#[\]@!$&'()*+,;=%]/;
const BROKEN_PERCENT = /%(?![0-9A-Fa-f]{2})/;

/*
 * The grammar of RFC 3986 appendix A, for texts without foreign characters and broken percent signs: there a percent sign
 * is a character like others.
 */
const PLAIN = "A-Za-z0-9\\-._~!$&'()*+,;=%";
const SEGMENT = `[${PLAIN}:@]*`;
const AUTHORITY = `(?:[${PLAIN}:]*@)?(?:\\[[0-9A-Fa-f:.]+\\]|[${PLAIN}]*)(?::[0-9]*)?`;
const WITH_AUTHORITY = `//${AUTHORITY}(?:/${SEGMENT})*`;
const BEHIND = '(?:\\?[^#[\\]]*)?(?:#[^#[\\]]*)?';
const ABSOLUTE_URI = new RegExp(
  `^[A-Za-z][A-Za-z0-9+.-]*:(?:${WITH_AUTHORITY}|/?(?:[${PLAIN}:@]+(?:/${SEGMENT})*)?)${BEHIND}$`,
);
const RELATIVE_REFERENCE = new RegExp(
  `^(?:${WITH_AUTHORITY}|/(?:[${PLAIN}:@]+(?:/${SEGMENT})*)?|(?:[${PLAIN}@]+(?:/${SEGMENT})*)?)${BEHIND}$`,
);
/** RFC 3986 appendix B: the scheme, and the part between `//` and the path. */
const PARTS = /^(?:([^:/?#]+):)?(?:\/\/([^/?#]*))?/;
const WEB_SCHEME = /^https?$/i;
const EMPTY_PATH = /^([a-z]+:\/\/[^/?#]*)(?=[?#]|$)/;

/** The fault in the characters, wherever they are. */
function characterFault(text: string, maxLength: number): string | undefined {
  if (text.length > maxLength) return `must have at most ${maxLength} characters`;
  if (FOREIGN_CHARACTER.test(text)) {
    return 'must contain only URI characters (RFC 3986): no spaces, control characters, backslashes or characters outside ASCII';
  }
  return BROKEN_PERCENT.test(text) ? 'must have two hexadecimal digits after each percent sign' : undefined;
}

function namesOf(schemes: readonly string[]): string {
  return schemes.length === 0 ? 'no scheme at all' : [...new Set(schemes)].map((scheme) => `${scheme}:`).join(' or ');
}

/** An http or https URL is the one that every parser reads from it: its serialised form, of which an empty path may stay empty. */
function isSerialised(text: string): boolean {
  return URL.canParse(text) && new URL(text).href === text.replace(EMPTY_PATH, '$1/');
}

/** For http and https only, whose parsers correct faults, each in its own way. */
function webFault(text: string, authority: string | undefined): string | undefined {
  if (!authority) return 'must have // and a host after its scheme';
  return isSerialised(text)
    ? undefined
    : 'must be in the form that the URL Standard serialises it to: lower-case host, no default port, no dot segments';
}

function structureFault(text: string, { schemes, userInformation }: UrlRules): string | undefined {
  const [, scheme, authority] = PARTS.exec(text) ?? [];
  if (scheme === undefined) return 'must be an absolute URL, with its scheme';
  if (schemes && !schemes.includes(scheme.toLowerCase())) return `must begin with ${namesOf(schemes)}`;
  if (authority?.includes('@') && userInformation !== 'accepted') return 'must not contain user information';
  if (!ABSOLUTE_URI.test(text)) return 'must be an absolute URL (RFC 3986)';
  if (WEB_SCHEME.test(scheme)) return webFault(text, authority);
  return URL.canParse(text) ? undefined : 'must be an absolute URL that can be read';
}

/**
 * The fault in a string that should be an absolute URL, as a sentence that continues the name of its field; undefined
 * if there is none. It never quotes the string. An absolute URL is a URI of RFC 3986 with a scheme; one of http or
 * https also has `//`, a host, and the form that the URL Standard serialises it to (an empty path may stay empty), so
 * that no two parsers see different hosts or paths in it. User information is a fault unless `rules` accept it.
 */
export function urlFault(text: string, rules: UrlRules = {}): string | undefined {
  const fault = characterFault(text, rules.maxLength ?? MAX_URL_LENGTH) ?? structureFault(text, rules);
  if (fault !== undefined) return fault;
  if (rules.fragment === 'refused' && text.includes('#')) return 'must not have a fragment';
  const [beforeFragment = ''] = text.split('#', 1);
  return rules.query === 'refused' && beforeFragment.includes('?') ? 'must not have a query' : undefined;
}

/** The URL, or undefined where {@link urlFault} has something against the text. */
export function parseUrl(text: string, rules: UrlRules = {}): URL | undefined {
  return urlFault(text, rules) === undefined ? new URL(text) : undefined;
}

/** Whitespace at either end, and characters that nobody sees, as pages and documents have them in what is copied. */
const UNSEEN = /^\s|\s$|[\p{Cc}\p{Cf}]/u;

/**
 * The fault in the name of an issuer or a type, which is compared but never requested: undefined, unless it looks like
 * a web address and {@link urlFault} finds a fault, or has something in it that nobody sees. A misspelt one would silently match
 * nothing.
 */
export function webNameFault(text: string): string | undefined {
  if (/^\s*https?:/i.test(text)) return urlFault(text);
  return UNSEEN.test(text) ? 'must not have leading or trailing whitespace, nor invisible characters' : undefined;
}

/**
 * Is this a URI or a relative reference (RFC 3986 §4.1), as a redirect may name its target? Without user information, and
 * where there is a host every reader finds the same one.
 */
export function isUriReference(text: string): boolean {
  if (characterFault(text, MAX_URL_LENGTH) !== undefined) return false;
  const [, scheme, authority] = PARTS.exec(text) ?? [];
  if (authority === '' || authority?.includes('@')) return false;
  if (scheme === undefined) return RELATIVE_REFERENCE.test(text);
  return ABSOLUTE_URI.test(text) && (authority !== undefined || !WEB_SCHEME.test(scheme));
}

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/** Does only this machine reach the host of this URL? */
export function isLoopback({ hostname }: URL): boolean {
  return LOOPBACK.test(hostname);
}
