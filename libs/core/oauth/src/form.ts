import { OAuthError } from './oauth-error';

/** The parameters of a form by name, each once and none empty. */
export type FormParameters<Name extends string> = ReadonlyMap<Name, string>;

/**
 * The parameters of an `application/x-www-form-urlencoded` request that an endpoint knows (RFC 6749 §3.2): one without a
 * value counts as absent. All others are ignored, however often they occur: `resource` may (RFC 8707 §2).
 * Throws `invalid_request` for a known name that occurs twice or that is structured (`a[b]`).
 */
export function parseForm<Name extends string>(
  entries: readonly (readonly [string, string])[],
  known: readonly Name[],
): FormParameters<Name> {
  const seen = new Set<string>();
  const parameters = new Map<Name, string>();
  for (const [written, value] of entries) {
    const [plain] = written.split(/[[\]]/, 1);
    const name = known.find((one) => one === plain);
    if (name === undefined) continue;
    if (seen.has(written)) throw new OAuthError('invalid_request', 'parameter_repeated');
    if (written !== name) throw new OAuthError('invalid_request', 'parameter_structured');
    seen.add(written);
    if (value !== '') parameters.set(name, value);
  }
  return parameters;
}
