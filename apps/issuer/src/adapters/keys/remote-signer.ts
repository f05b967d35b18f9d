import type { KeyObject } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { verifyEs256 } from '@vestibule/crypto';
import { ProcessingFailure } from '@vestibule/foundation';
import type { SignBytes } from '@vestibule/sd-jwt-vc';

/**
 * Signs bytes remotely with ES256 and returns R and S, 32 bytes each: the DER signatures of some devices have to be
 * converted. It should stop when `signal` is aborted; a later result is ignored.
 */
export type RemoteSigning = (input: Uint8Array, signal: AbortSignal) => Promise<Uint8Array>;

export interface SigningLimits {
  readonly attempts: number;
  readonly attemptMilliseconds: number;
  readonly pauseMilliseconds: number;
}

export interface RemoteSignerOptions {
  readonly sign: RemoteSigning;
  /** The key of the certificate. */
  readonly publicKey: KeyObject;
  readonly limits?: SigningLimits;
}

/** Ten seconds at most: the gateway waits twenty for a credential, and a batch is signed concurrently. */
const LIMITS: SigningLimits = { attempts: 3, attemptMilliseconds: 3_000, pauseMilliseconds: 200 };

async function attempt(sign: RemoteSigning, input: Uint8Array, milliseconds: number): Promise<Uint8Array> {
  const signal = AbortSignal.timeout(milliseconds);
  const late = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });
  return Promise.race([sign(input, signal), late]);
}

async function signWithin(
  { attempts, attemptMilliseconds, pauseMilliseconds }: SigningLimits,
  sign: RemoteSigning,
  input: Uint8Array,
) {
  for (let tried = 1; ; tried += 1) {
    try {
      return await attempt(sign, input, attemptMilliseconds);
    } catch (error) {
      if (tried >= attempts) {
        throw new ProcessingFailure('signer_unavailable', 'the device with the signing key does not sign', error);
      }
      await pause(pauseMilliseconds * tried);
    }
  }
}

/**
 * Signs with a remote key. A failure or timeout is retried within bounds, and every signature is verified with the
 * certificate's key before it is used. Throws `signer_unavailable`, and `signature_invalid` immediately, because a
 * device that signs with another key or returns DER would do so again.
 */
export function createRemoteSigner({ sign, publicKey, limits = LIMITS }: RemoteSignerOptions): SignBytes {
  return async (input) => {
    const signature = await signWithin(limits, sign, input);
    if (verifyEs256(publicKey, input, signature)) return signature;
    throw new ProcessingFailure(
      'signature_invalid',
      'the signature does not verify with the certificate of the signing key',
    );
  };
}
