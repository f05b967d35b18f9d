import { ownMember, type JsonObject } from '@vestibule/foundation';
import { UnusableAnswer } from '../device';
import { Refused } from '../http';
import { textOf } from './answers';

/** A token is replaced so long before it ends. */
const MARGIN_SECONDS = 60;

/**
 * Calls with an access token that is fetched once for all, kept until shortly before its end, and fetched again when it
 * is refused.
 */
export function createTokenHolder(fetchToken: (signal: AbortSignal) => Promise<JsonObject>) {
  let held: { readonly token: string; readonly until: number } | undefined;
  let fetching: Promise<string> | undefined;

  async function fetchOnce(signal: AbortSignal): Promise<string> {
    const answer = await fetchToken(signal);
    const token = textOf(answer, 'access_token');
    const seconds = Number(ownMember(answer, 'expires_in'));
    if (!(seconds > 0)) throw new UnusableAnswer('the answer of the token endpoint has no expires_in');
    held = { token, until: performance.now() + (seconds - MARGIN_SECONDS) * 1000 };
    return token;
  }

  /** Forgotten in a later turn than it was begun, even if it fails immediately: otherwise its failure would stay for good. */
  const fetchForAll = (signal: AbortSignal): Promise<string> =>
    (fetching ??= fetchOnce(signal).finally(() => (fetching = undefined)));

  async function currentToken(signal: AbortSignal): Promise<string> {
    if (held && performance.now() < held.until) return held.token;
    // It ends with the time of the caller that began it, which may be over before that of this one.
    return fetching ? fetching.catch(() => fetchForAll(signal)) : fetchForAll(signal);
  }

  return async function withToken<Result>(signal: AbortSignal, use: (token: string) => Promise<Result>) {
    const token = await currentToken(signal);
    try {
      return await use(token);
    } catch (error) {
      if (!(error instanceof Refused) || error.status !== 401) throw error;
      if (held?.token === token) held = undefined;
      return use(await currentToken(signal));
    }
  };
}
