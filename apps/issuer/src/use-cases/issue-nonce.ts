import type { Clock, RandomBytes } from '@vestibule/foundation';
import { createNonce } from '@vestibule/oauth';
import type { FreshDpopNonce } from './wallet-proof';

export interface IssueNonceDeps {
  readonly clock: Clock;
  readonly random: RandomBytes;
  /** The current key first. */
  readonly nonceKeys: readonly Uint8Array[];
  readonly freshDpopNonce: FreshDpopNonce;
}

/** A fresh c_nonce (OpenID4VCI 1.0 §7): it contains its time and a MAC, so nothing is stored until it is used. */
export function issueNonce(deps: IssueNonceDeps) {
  return async function issueNonce(): Promise<{ c_nonce: string; dpop_nonce?: string }> {
    const [key] = deps.nonceKeys;
    if (!key) throw new RangeError('nonces need a key');
    const now = deps.clock();
    const nonce = createNonce({ key, purpose: 'c_nonce', now, random: deps.random });
    return { c_nonce: nonce, ...deps.freshDpopNonce(now) };
  };
}
