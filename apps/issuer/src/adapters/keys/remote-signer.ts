import type { KeyObject } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { verifyEs256 } from '@vestibule/crypto';
import { ProcessingFailure } from '@vestibule/foundation';
import type { SignBytes } from '@vestibule/sd-jwt-vc';

/**
 * Has bytes signed somewhere else with ES256 and returns R and S, 32 bytes each: devices that answer DER need it
 * converted. Should stop when `signal` says so; what it answers later is not used.
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

/** Ten seconds at most: the gateway waits twenty for a credential, and a batch is signed at once. */
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
 * Signs with a key that is somewhere else: a failure or no answer in time is tried again within bounds, and no signature
 * leaves that the certificate's key does not verify. Throws `signer_unavailable`, and `signature_invalid` at once: a
 * module that signs with another key, or answers DER, does so again.
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
