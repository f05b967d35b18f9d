import type { WebhookKey } from './webhook-signature';

/** Who receives the callbacks. */
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

const LONGEST_URL = 2_048;

/**
 * Judges the URL that a backend wants the events of one flow to go to: the normalized URL, or undefined when it is none,
 * has a user or a fragment, or its origin is not among `origins`.
 */
export function acceptCallbackUrl(text: string, origins: readonly string[]): string | undefined {
  if (text.length > LONGEST_URL || /[\s#]/.test(text) || !URL.canParse(text)) return undefined;
  const url = new URL(text);
  const acceptable = /^https?:$/.test(url.protocol) && !url.username && !url.password && origins.includes(url.origin);
  return acceptable ? url.href : undefined;
}
