import { MAX_URL_LENGTH, ownMember, type Fault, type JsonObject } from '@vestibule/foundation';

/**
 * Returns the fault of the URL for a flow's events, as a sentence that continues `callback_url`; undefined if there is
 * none.
 */
export type CallbackUrlFault = (url: string) => string | undefined;

/**
 * Validates the member `callback_url` of a backend's body: a string that is not a URL at an allowed origin is a fault;
 * any other fault is left to the schema. The URL must have a path, if only a slash, because SQL extracts its origin.
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
