import type { Clock, RandomBytes } from '@vestibule/foundation';
import { createNonce } from '@vestibule/oauth';

export interface IssueNonceDeps {
  readonly clock: Clock;
  readonly random: RandomBytes;
  /** The current key first. */
  readonly nonceKeys: readonly Uint8Array[];
}

/** A fresh c_nonce (OpenID4VCI 1.0 §7): it carries its time and a MAC, so nothing is stored until it is used. */
export const issueNonce =
  ({ clock, random, nonceKeys: [key] }: IssueNonceDeps) =>
  async (): Promise<{ c_nonce: string }> => {
    if (!key) throw new RangeError('nonces need a key');
    return { c_nonce: createNonce({ key, purpose: 'c_nonce', now: clock(), random }) };
  };
