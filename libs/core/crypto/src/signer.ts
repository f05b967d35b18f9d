import type { KeyObject } from 'node:crypto';
import { signEs256 } from './es256';

/** Signs with ES256 and returns R and S, 32 bytes each; the key may sit in this process, in an HSM or in a KMS. */
export type SignBytes = (input: Uint8Array) => Uint8Array | Promise<Uint8Array>;

/** A signing key, wherever it is: the only interface through which product code signs with a certificate. */
export interface Signer {
  /**
   * Throws `signer_unavailable` while the device does not answer, and `signature_invalid` for a signature that the
   * certificate of the key does not verify.
   */
  readonly sign: SignBytes;
  /** Throws `signer_unavailable` if it is known that the device does not answer: before work that needs it. */
  readonly requireReady: () => void;
  /** Signs a probe, which shows that the key is available and belongs to its certificate; throws as `sign` does. */
  readonly check: () => Promise<void>;
}

/** A key description is JSON; a private key in the same setting is PEM. */
export const isKeyDescription = (text: string): boolean => text.trimStart().startsWith('{');

/** A signer with a private key in this process. */
export function localSigner(key: KeyObject): Signer {
  return {
    sign: (input) => signEs256(key, input),
    requireReady: () => undefined,
    check: () => Promise.resolve(),
  };
}
