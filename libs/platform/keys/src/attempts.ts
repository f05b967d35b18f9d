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

/**
 * A device that ignores the signal is not waited for. No `AbortSignal.any`: it keeps a time limit so loosely that garbage
 * collection takes it away, and a device that hangs would have no end.
 */
async function attempt(call: DeviceCall, milliseconds: number, budget: AbortSignal): Promise<Uint8Array> {
  // An aborted signal tells nobody again.
  budget.throwIfAborted();
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(new DOMException('the device is too slow', 'TimeoutError')), milliseconds);
  const end = () => limit.abort(budget.reason);
  budget.addEventListener('abort', end, { once: true });
  const late = new Promise<never>((_, reject) => {
    limit.signal.addEventListener('abort', () => reject(limit.signal.reason as Error), { once: true });
  });
  try {
    return await Promise.race([call(limit.signal), late]);
  } finally {
    clearTimeout(timer);
    budget.removeEventListener('abort', end);
  }
}

/**
 * Calls a device, again after a failure that may pass, until `budget` is aborted. Throws the last failure; one of the
 * operator's making, or one that another attempt would not mend, comes immediately.
 */
export async function callWithin(call: DeviceCall, limits: CallLimits, budget: AbortSignal): Promise<Uint8Array> {
  for (let tried = 1; ; tried += 1) {
    try {
      return await attempt(call, limits.attemptMilliseconds, budget);
    } catch (error) {
      if (tried >= limits.attempts || budget.aborted || error instanceof LastingFailure || error instanceof DomainError)
        throw error;
      await pause(limits.pauseMilliseconds * tried);
      if (budget.aborted) throw error;
    }
  }
}
