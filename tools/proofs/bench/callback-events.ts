import { startCallbackReceiver, subjectOf } from '@vestibule/dev-stack';
import { StepFault } from './flows';

/** A backend that accepts callbacks and lets flows wait for theirs. */
export interface CallbackEvents {
  readonly url: string;
  /**
   * Resolves when a callback about `id` (a state or an offer) reports `status`.
   * @throws StepFault if it reports another end, or if none arrives in time
   */
  waitFor(id: string, status: string): Promise<void>;
  stop(): Promise<void>;
}

const PATIENCE_MILLISECONDS = 60_000;

interface Waiting {
  readonly status: string;
  readonly settle: (fault?: StepFault) => void;
}

/** Pending waits for callbacks, and callbacks that arrived before they were awaited. */
export class EventBoard {
  readonly #waiting = new Map<string, Waiting>();
  readonly #early = new Map<string, string[]>();

  /** Records the body of a callback. */
  take(body: unknown): void {
    const id = subjectOf(body);
    if (id === undefined) return;
    const { status } = body as { readonly status?: unknown };
    if (typeof status !== 'string') return;
    const waiting = this.#waiting.get(id);
    if (!waiting) this.#early.set(id, [...(this.#early.get(id) ?? []), status]);
    else this.#judge(id, waiting, status);
  }

  /** An offer's first event is followed by its end; every other event is an end. */
  #judge(id: string, waiting: Waiting, status: string): void {
    if (status === waiting.status) this.#end(id, waiting);
    else if (status !== 'OFFER_CREATED') this.#end(id, waiting, new StepFault('callback', status));
  }

  #end(id: string, waiting: Waiting, fault?: StepFault): void {
    this.#waiting.delete(id);
    waiting.settle(fault);
  }

  waitFor(id: string, status: string, milliseconds = PATIENCE_MILLISECONDS): Promise<void> {
    return new Promise((resolve, reject) => {
      const late = setTimeout(() => this.#end(id, waiting, new StepFault('callback', 'missing')), milliseconds);
      const waiting: Waiting = {
        status,
        settle(fault) {
          clearTimeout(late);
          if (fault) reject(fault);
          else resolve();
        },
      };
      this.#waiting.set(id, waiting);
      const early = this.#early.get(id) ?? [];
      this.#early.delete(id);
      for (const seen of early) if (this.#waiting.get(id) === waiting) this.#judge(id, waiting, seen);
    });
  }
}

/** Starts the backend on a free loopback port. */
export async function startCallbackEvents(): Promise<CallbackEvents> {
  const board = new EventBoard();
  const { url, stop } = await startCallbackReceiver({ keep: false, onAnswered: ({ body }) => board.take(body) });
  return { url, waitFor: (id, status) => board.waitFor(id, status), stop };
}
