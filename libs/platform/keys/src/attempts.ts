import { setTimeout as pause } from 'node:timers/promises';
import { DomainError } from '@vestibule/foundation';
import { LastingFailure } from './device';

export interface CallLimits {
  readonly attempts: number;
  readonly attemptMilliseconds: number;
  readonly pauseMilliseconds: number;
}

export const PAUSE_MILLISECONDS = 200;

type DeviceCall = (signal: AbortSignal) => Promise<Uint8Array>;

/** A device that ignores the signal is not waited for. */
async function attempt(call: DeviceCall, signal: AbortSignal): Promise<Uint8Array> {
  // An aborted signal tells nobody again.
  signal.throwIfAborted();
  const late = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });
  return Promise.race([call(signal), late]);
}

/**
 * Calls a device, again after a failure that may pass, until `budget` is aborted. Throws the last failure; one of the
 * operator's making, or one that another attempt would not mend, comes immediately.
 */
export async function callWithin(call: DeviceCall, limits: CallLimits, budget: AbortSignal): Promise<Uint8Array> {
  for (let tried = 1; ; tried += 1) {
    try {
      return await attempt(call, AbortSignal.any([budget, AbortSignal.timeout(limits.attemptMilliseconds)]));
    } catch (error) {
      if (tried >= limits.attempts || budget.aborted || error instanceof LastingFailure || error instanceof DomainError)
        throw error;
      await pause(limits.pauseMilliseconds * tried);
      if (budget.aborted) throw error;
    }
  }
}
