import type { RandomBytes } from '@vestibule/foundation';
import { createNonce, verifyNonce, type NoncePurpose } from './nonce';

/** How long a nonce that was handed out is good for: as long as a proof without one would be. */
export const SERVER_NONCE_SECONDS = 300;

/** Nonces that this server hands out and requires in proofs: in DPoP proofs, or in those of client attestations. */
export interface ServerNonces {
  /** True for a nonce of this server that is still good. */
  accepts(nonce: string): boolean;
  /** A nonce for the next proof. */
  create(): string;
}

export interface ServerNonceSource {
  /** The current key first; nonces of each are good, so that keys may rotate. */
  readonly keys: readonly Uint8Array[];
  readonly purpose: Exclude<NoncePurpose, 'c_nonce'>;
  readonly now: Date;
  readonly random: RandomBytes;
}

/**
 * Nonces that need no storage and are good at every replica and endpoint for {@link SERVER_NONCE_SECONDS}: each answer
 * may bring a new one while those before it are still taken (RFC 9449 §8.2). They are not for single use: the proofs are,
 * by their `jti`.
 */
export function serverNonces({ keys, purpose, now, random }: ServerNonceSource): ServerNonces {
  const [key] = keys;
  if (!key) throw new RangeError('nonces need a key');
  const expected = { keys, purpose, now, lifetimeSeconds: SERVER_NONCE_SECONDS };
  return {
    accepts: (nonce) => verifyNonce(nonce, expected) !== undefined,
    create: () => createNonce({ key, purpose, now, random }),
  };
}
