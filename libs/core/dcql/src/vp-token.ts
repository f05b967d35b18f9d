import { isJsonObject, type JsonValue } from '@vestibule/foundation';
import { findCredentialQuery, type DcqlQuery } from './dcql-query';
import { dcqlFailure } from './failures';

/** What a vp_token may hold. */
export interface VpTokenLimits {
  /** Presentations for all credential queries together: each one costs several signature checks. */
  readonly maxPresentations: number;
}

const DEFAULT_VP_TOKEN_LIMITS: VpTokenLimits = { maxPresentations: 64 };

function readPresentations(value: JsonValue | undefined, query: DcqlQuery, id: string): string[] {
  const credential = findCredentialQuery(query, id);
  // The name comes from the wallet: it is not repeated.
  if (!credential) throw dcqlFailure('credential_not_requested');
  if (!Array.isArray(value) || value.length === 0) {
    throw dcqlFailure('presentations_malformed', `the entry "${id}" of vp_token is not a non-empty array`);
  }
  if (value.length > 1 && !credential.multiple) {
    throw dcqlFailure('too_many_presentations', `several presentations were sent for credential "${id}"`);
  }
  return value.map((item) => {
    if (typeof item === 'string' && item !== '') return item;
    throw dcqlFailure('presentation_malformed', `a presentation for credential "${id}" is not a compact SD-JWT`);
  });
}

/**
 * Reads the shape of a vp_token (OpenID4VP 1.0 §8.1): presentations by credential id, in the order received. They are
 * neither parsed nor verified here, and whether they satisfy the query is for {@link matchDcql}.
 * Throws `vp_token_malformed`, `credential_not_requested`, `presentations_malformed`, `presentation_malformed` or
 * `too_many_presentations`.
 */
export function parseVpToken(
  value: unknown,
  query: DcqlQuery,
  limits: VpTokenLimits = DEFAULT_VP_TOKEN_LIMITS,
): ReadonlyMap<string, readonly string[]> {
  if (!isJsonObject(value)) throw dcqlFailure('vp_token_malformed');
  const presentations = new Map<string, readonly string[]>();
  let count = 0;
  for (const id of Object.keys(value)) {
    const received = readPresentations(value[id], query, id);
    count += received.length;
    if (count > limits.maxPresentations) {
      throw dcqlFailure('too_many_presentations', `more than ${limits.maxPresentations} presentations were sent`);
    }
    presentations.set(id, received);
  }
  return presentations;
}
