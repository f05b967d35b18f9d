const QUALITY = /^q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/i;

/** The quality that an `Accept` header gives to a media type by name, 0 to 1; undefined if it does not name it. */
function qualityOf(accept: string, mediaType: string): number | undefined {
  for (const range of accept.split(',')) {
    const [name = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
    if (name !== mediaType) continue;
    const quality = parameters.map((parameter) => QUALITY.exec(parameter)?.[1]).find((value) => value !== undefined);
    return quality === undefined ? 1 : Number(quality);
  }
  return undefined;
}

/**
 * True if a caller is to get a JWT instead of JSON (RFC 9110 §12.5.1, OpenID4VCI 1.0 §12.2.2): it names `application/jwt`
 * and does not like `application/json` more. Wallets that want signed metadata name both with the same quality; which of
 * them they get is then ours to decide. Wildcards mean JSON.
 */
export function prefersJwt(accept: string | undefined): boolean {
  if (accept === undefined) return false;
  const jwt = qualityOf(accept, 'application/jwt') ?? 0;
  return jwt > 0 && jwt >= (qualityOf(accept, 'application/json') ?? 0);
}

const STATUS_LIST = ['application/statuslist+jwt', 'application/*', '*/*'];

/**
 * True if a caller asks for the CWT form of a status list and does not take the JWT form, which is the only one there is
 * (Token Status List §8.1). The most specific range that matches the JWT form counts (RFC 9110 §12.5.1).
 */
export function takesCwtAlone(accept: string | undefined): boolean {
  if (accept === undefined || (qualityOf(accept, 'application/statuslist+cwt') ?? 0) === 0) return false;
  const named = STATUS_LIST.map((range) => qualityOf(accept, range)).find((quality) => quality !== undefined);
  return (named ?? 0) === 0;
}
