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
 * True if a caller prefers a JWT to JSON (RFC 9110 §12.5.1, OpenID4VCI 1.0 §12.2.2): it names `application/jwt` with a
 * higher quality than `application/json`. Wildcards mean JSON.
 */
export function prefersJwt(accept: string | undefined): boolean {
  if (accept === undefined) return false;
  const jwt = qualityOf(accept, 'application/jwt') ?? 0;
  return jwt > (qualityOf(accept, 'application/json') ?? 0);
}
