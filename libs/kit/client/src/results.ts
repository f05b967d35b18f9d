import { createHash, timingSafeEqual } from 'node:crypto';
import type { PresentedCredentialsEvent } from './events';

/** The event of a presentation that was verified: the only one with claims. */
export type FulfilledEvent = Extract<PresentedCredentialsEvent, { readonly status: 'FULFILLED' }>;

/** Digests have one length, so that the time of their comparison says nothing about the code. */
const digestOf = (text: string) => createHash('sha256').update(text, 'utf8').digest();

/**
 * What was presented on the device of this browser: `event`, if it is FULFILLED and `responseCode` is its code, otherwise
 * undefined (OpenID4VP 1.0 §13.3 and §14.2, HAIP 1.0 §5.1). A presentation on another device has no code, and then nothing
 * that a browser sends fits. Compared in constant time.
 *
 * `event` is that of the `state` in the session of this browser, never of a `state` that the browser sends. `responseCode`
 * is what your framework read from the query at `redirect_uri`. Accept a result once.
 */
export function sameDeviceResult(
  event: PresentedCredentialsEvent | undefined,
  responseCode: unknown,
): FulfilledEvent | undefined {
  if (event?.status !== 'FULFILLED' || typeof responseCode !== 'string') return undefined;
  const { responseCode: own } = event;
  if (own === undefined || own === '') return undefined;
  return timingSafeEqual(digestOf(own), digestOf(responseCode)) ? event : undefined;
}

/**
 * What was presented on another device: `event`, if it is FULFILLED and came by the link of the QR code, otherwise
 * undefined. Use it only for requests whose QR code you showed, and in the session that began them. Nothing proves that the
 * person with the wallet is the one at this browser (OpenID4VP 1.0 §14.2): somebody may have passed the code on.
 */
export function crossDeviceResult(event: PresentedCredentialsEvent | undefined): FulfilledEvent | undefined {
  return event?.status === 'FULFILLED' && event.responseCode === undefined ? event : undefined;
}
