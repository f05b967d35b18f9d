import type { KeyObject } from 'node:crypto';
import { verifyEs256, type Signer } from '@vestibule/crypto';
import { DomainError, ProcessingFailure } from '@vestibule/foundation';
import { callWithin, type CallLimits } from './attempts';
import type { Circuit } from './circuit';
import type { RemoteKey } from './device';
import { TooManyWaiting, type Gate } from './gate';

export interface SigningLimits extends CallLimits {
  /** All attempts together, with the wait for a place. */
  readonly budgetMilliseconds: number;
}

export interface RemoteSignerOptions {
  readonly key: Pick<RemoteKey, 'sign'>;
  /** The key of the certificate. */
  readonly publicKey: KeyObject;
  readonly limits: SigningLimits;
  readonly gate: Gate;
  readonly circuit: Circuit;
  /** Of each call that came through: seconds and how it ended. */
  readonly measure?: (outcome: SigningOutcome, seconds: number) => void;
}

export type SigningOutcome = 'signed' | 'unavailable' | 'wrong';

/** The gateway waits twenty seconds for a credential, and a batch is signed concurrently. */
export const BUDGET_MILLISECONDS = 10_000;

const START_CHECK = Buffer.from('a test signature at startup, to verify that the key matches its certificate', 'ascii');

const unavailable = (cause?: unknown) =>
  new ProcessingFailure('signer_unavailable', 'the device with the signing key does not sign', cause);

/**
 * Signs with a key in a device, within a budget of time and with a bounded number of concurrent calls. A failure or
 * timeout is retried within the budget; a device that stays away is left alone for a while (`signer_unavailable` immediately).
 * Every signature is verified with the certificate's key before it is used: `signature_invalid` comes immediately,
 * because a device that signs with another key or returns DER would do so again.
 */
export function createRemoteSigner(options: RemoteSignerOptions): Signer {
  const { key, publicKey, limits, gate, circuit, measure } = options;

  async function ask(input: Uint8Array): Promise<Uint8Array> {
    const budget = AbortSignal.timeout(limits.budgetMilliseconds);
    try {
      const signature = await gate.run(() => callWithin((signal) => key.sign(input, signal), limits, budget), budget);
      circuit.succeeded();
      return signature;
    } catch (error) {
      // Too many at the same time is no fault of the device.
      if (!(error instanceof TooManyWaiting)) circuit.failed();
      throw unavailable(error);
    }
  }

  async function sign(input: Uint8Array): Promise<Uint8Array> {
    if (!circuit.mayTry()) throw unavailable();
    const begin = performance.now();
    const seconds = () => (performance.now() - begin) / 1000;
    let signature: Uint8Array;
    try {
      signature = await ask(input);
    } catch (error) {
      measure?.('unavailable', seconds());
      throw error;
    }
    const isRight = verifyEs256(publicKey, input, signature);
    measure?.(isRight ? 'signed' : 'wrong', seconds());
    if (isRight) return signature;
    throw new ProcessingFailure(
      'signature_invalid',
      'the signature does not verify with the certificate of the signing key',
    );
  }

  return {
    sign,
    requireReady() {
      if (circuit.isOpen()) throw unavailable();
    },
    async check() {
      try {
        await sign(START_CHECK);
      } catch (error) {
        // At the start an operator is told what to change.
        const cause = error instanceof DomainError ? error.hiddenCause() : undefined;
        throw cause instanceof DomainError ? cause : error;
      }
    },
  };
}
