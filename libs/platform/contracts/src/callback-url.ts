import { MAX_URL_LENGTH, ownMember, type Fault, type JsonObject } from '@vestibule/foundation';

/** What is wrong with the URL for the events of one flow, as a sentence that `callback_url` begins; undefined for nothing. */
export type CallbackUrlFault = (url: string) => string | undefined;

/**
 * Judges the member `callback_url` of a backend's body: a text that is not a URL at an allowed origin is a fault; anything
 * else that is wrong with it is one of the schema. The URL has a path, if only a slash: its origin is found in it by SQL.
 */
export function callbackUrlOf(
  body: JsonObject,
  faultOf: CallbackUrlFault,
): { readonly callbackUrl?: string; readonly faults: readonly Fault[] } {
  const text = ownMember(body, 'callback_url');
  if (typeof text !== 'string' || text.length > MAX_URL_LENGTH) return { faults: [] };
  const message = faultOf(text);
  if (message !== undefined) return { faults: [{ path: 'callback_url', message }] };
  return { callbackUrl: new URL(text).href, faults: [] };
}
