import { ownMember, type Fault, type JsonObject } from '@vestibule/foundation';

/** The URL for the events of one flow as it is used, or undefined where it is not allowed. */
export type AcceptCallbackUrl = (url: string) => string | undefined;

/**
 * Judges the member `callback_url` of a backend's body: a text that is no URL at an allowed origin is a fault; anything
 * else that is wrong with it is one of the schema.
 */
export function callbackUrlOf(
  body: JsonObject,
  accept: AcceptCallbackUrl,
): { readonly callbackUrl?: string; readonly faults: readonly Fault[] } {
  const text = ownMember(body, 'callback_url');
  if (typeof text !== 'string') return { faults: [] };
  const callbackUrl = accept(text);
  if (callbackUrl !== undefined) return { callbackUrl, faults: [] };
  return { faults: [{ path: 'callback_url', message: 'is no URL at an allowed origin (CALLBACK_ORIGINS)' }] };
}
