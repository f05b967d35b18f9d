import { urlFault } from '@vestibule/foundation';
import type { WebhookKey } from './webhook-signature';

/** The receiver of the callbacks. */
export interface CallbackTarget {
  /** http or https, without user and fragment. */
  readonly url: string;
  /** Sent as the Authorization header, as it is, to the origin of `url` and to no other. */
  readonly authorization?: string | undefined;
  /** With at least one, callbacks are signed. */
  readonly keys?: readonly WebhookKey[];
  /** PEM of the certification authorities that https receivers are trusted by; absent: those of the runtime. */
  readonly authorities?: string | undefined;
  /** Origins (`https://b.example`) that an event may name instead with a URL of its own. */
  readonly origins?: readonly string[];
}

/**
 * What is wrong with the URL that a backend wants the events of one flow to go to, or undefined: an absolute http or https
 * URL as RFC 3986 writes it, without user and fragment, at one of `origins`.
 */
export function callbackUrlFault(text: string, origins: readonly string[]): string | undefined {
  const fault = urlFault(text, { schemes: ['https', 'http'], fragment: 'refused' });
  if (fault !== undefined) return fault;
  return origins.includes(new URL(text).origin) ? undefined : 'must be at an allowed origin (CALLBACK_ORIGINS)';
}
