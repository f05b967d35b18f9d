import type { ServerResponse } from 'node:http';
import { MAX_HAND_OVERS, ReportHandOvers } from '@vestibule/contracts';
import { DomainError, type ErrorKind } from '@vestibule/foundation';
import type { Logger } from '@vestibule/process';
import type { Ask } from '../ask';
import { Reports } from '../reports';

/** Injection token of the {@link HandOvers} of the gateway. */
export const HAND_OVERS = Symbol('hand-overs');

/** From the end of one report to the next. */
const EVERY_MILLISECONDS = 50;
/** After a report that was not accepted. */
const AGAIN_MILLISECONDS = 1_000;
/** No issuer waits longer for a report (`REDELIVERY_SECONDS`). */
const GIVE_UP_MILLISECONDS = 600_000;
/** A report that failed with one of these would fail again. */
const HOPELESS: readonly ErrorKind[] = ['invalid', 'too_large'];
/** About a hundred bytes each: the backlog while there is no issuer. */
const MOST_WAITING = 10_000;

export interface HandOversOptions {
  readonly ask: Ask;
  readonly logger: Logger;
  /** Monotonic milliseconds. */
  readonly stopwatch: () => number;
}

/** The name of an answer that was handed over, and when. */
interface HandedOver {
  readonly name: string;
  readonly at: number;
}

/**
 * Reports to the issuer which of its answers were handed over: the first immediately, then one message for all of the
 * last {@link EVERY_MILLISECONDS}. A report that no issuer accepts is repeated. Unsent reports are all that is lost
 * with this process: without a report, the issuer waits until its answer can no longer be repeated.
 */
export class HandOvers {
  readonly #reports: Reports<HandedOver>;
  #count = 0;

  constructor(private readonly options: HandOversOptions) {
    this.#reports = new Reports({
      tell: (handedOver) => this.#tell(handedOver),
      mostAtOnce: MAX_HAND_OVERS,
      mostWaiting: MOST_WAITING,
      isWorthwhile: ({ at }) => options.stopwatch() - at < GIVE_UP_MILLISECONDS,
      everyMilliseconds: EVERY_MILLISECONDS,
      againMilliseconds: [AGAIN_MILLISECONDS, AGAIN_MILLISECONDS],
    });
  }

  /** How many answers have not been reported yet. */
  get waiting(): number {
    return this.#reports.waiting;
  }

  /**
   * Reports the answer with this name as soon as all its bytes were given to the operating system. A connection that
   * breaks before that has not handed over anything.
   */
  follow(response: ServerResponse, name: string): void {
    // Of the request: an answer that waits for an earlier one on its connection has no socket of its own yet.
    const { socket } = response.req;
    response.once('finish', () => {
      // Node also emits this for what it gave up when the connection was destroyed, with or without an error.
      const isWritten = socket.errored === null && !socket.destroyed;
      // Only an answer with this status has credentials: a failure while it is written turns it into an error.
      if (response.statusCode === 200 && isWritten) this.#add(name);
    });
  }

  /** Sends the remaining reports, unless no issuer accepts them. Call it when no more answers are written. */
  close(): Promise<void> {
    return this.#reports.close();
  }

  #add(name: string): void {
    // An answer that is handed over again is reported again.
    this.#count += 1;
    this.#reports.add(String(this.#count), { name, at: this.options.stopwatch() });
  }

  async #tell(handedOver: readonly HandedOver[]): Promise<void> {
    const { ask, logger } = this.options;
    try {
      await ask(ReportHandOvers, { handOvers: handedOver.map(({ name }) => name) });
    } catch (error) {
      if (!(error instanceof DomainError && HOPELESS.includes(error.kind))) throw error;
      logger.warn('a report of answers was refused', { count: handedOver.length, error });
    }
  }
}
