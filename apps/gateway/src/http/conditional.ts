const GZIP = /^(?:gzip|x-gzip|\*)$/;
const NO_WEIGHT = /^q=0(?:\.0{0,3})?$/;

interface Coding {
  readonly name: string;
  readonly isRefused: boolean;
}

function codings(header: string): Coding[] {
  return header.split(',').map((part) => {
    const [name = '', ...parameters] = part.split(';').map((text) => text.trim().toLowerCase());
    return { name, isRefused: parameters.some((parameter) => NO_WEIGHT.test(parameter)) };
  });
}

/** Does `Accept-Encoding` allow gzip (RFC 9110 §12.5.3)? An entry for gzip takes precedence over `*`. */
export function acceptsGzip(header: string | string[] | undefined): boolean {
  const named = codings([header ?? ''].flat().join(',')).filter(({ name }) => GZIP.test(name));
  const gzip = named.find(({ name }) => name !== '*') ?? named[0];
  return gzip !== undefined && !gzip.isRefused;
}

/** Does `If-None-Match` name one of these entity tags, given without quotes (RFC 9110 §13.1.2, weak comparison)? */
export function matchesEtag(header: string | undefined, etags: readonly string[]): boolean {
  const named = (header ?? '').split(',').map((text) => text.trim().replace(/^W\//, ''));
  return named.some((tag) => tag === '*' || etags.some((etag) => tag === `"${etag}"`));
}
