/** The scheme and the authority of a target in absolute form; which host it names is never asked, as with Host. */
const ORIGIN = /^https?:\/\/[^/?#]*/i;

/** A target as a client sends it to a server, also where it was meant for a proxy (RFC 9112 §3.2.1, §3.2.2). */
export function originForm(target: string): string {
  const rest = target.replace(ORIGIN, '');
  return rest.length < target.length && !rest.startsWith('/') ? `/${rest}` : rest;
}
