import { OAuthError } from './oauth-error';

/** The parameters of a form by name, each once and none empty. */
export type FormParameters = ReadonlyMap<string, string>;

/**
 * The parameters of an `application/x-www-form-urlencoded` request (RFC 6749 §3.2): one without a value counts as
 * absent, unknown ones stay and are for the caller to ignore.
 * Throws `invalid_request` for a name that occurs twice or that is structured (`a[b]`).
 */
export function parseForm(entries: readonly (readonly [string, string])[]): FormParameters {
  const seen = new Set<string>();
  const parameters = new Map<string, string>();
  for (const [name, value] of entries) {
    if (seen.has(name)) throw new OAuthError('invalid_request', 'parameter_repeated');
    if (/[[\]]/.test(name)) throw new OAuthError('invalid_request', 'parameter_structured');
    seen.add(name);
    if (value !== '') parameters.set(name, value);
  }
  return parameters;
}
