import { urlFault } from '@vestibule/foundation';
import type { WebhookKey } from './webhook-signature';

/** The receiver of the callbacks. */
export interface CallbackTarget {
  /** An http or https URL, without user information and fragment. */
  readonly url: string;
  /** Sent unchanged as the Authorization header, only to the origin of `url`. */
  readonly authorization?: string | undefined;
  /** With at least one, callbacks are signed. */
  readonly keys?: readonly WebhookKey[];
  /** PEM of the certification authorities trusted for https receivers; default: those of the runtime. */
  readonly authorities?: string | undefined;
  /** HTTP proxies by the origin of a receiver; `ANY_TARGET` for all others. */
  readonly proxies?: ReadonlyMap<string, string> | undefined;
  /** Origins (`https://b.example`) that an event's own URL may have. */
  readonly origins?: readonly string[];
}

/**
 * The fault of a backend's URL for the events of one flow, or undefined: it must be an absolute http or https URL (RFC
 * 3986), without user information and fragment, at one of `origins`.
 */
export function callbackUrlFault(text: string, origins: readonly string[]): string | undefined {
  const fault = urlFault(text, { schemes: ['https', 'http'], fragment: 'refused' });
  if (fault !== undefined) return fault;
  return origins.includes(new URL(text).origin) ? undefined : 'must be at an allowed origin (CALLBACK_ORIGINS)';
}
