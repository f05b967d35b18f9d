import type { ServerResponse } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import { MAX_HAND_OVERS, ReportHandOvers } from '@vestibule/contracts';
import { DomainError, type ErrorKind } from '@vestibule/foundation';
import { withoutRequestContext, type Logger } from '@vestibule/process';
import type { Ask } from '../ask';

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
  #waiting: HandedOver[] = [];
  #telling: Promise<void> | undefined;
  #endPause: () => void = () => undefined;
  #isClosed = false;

  constructor(private readonly options: HandOversOptions) {}

  /** How many answers have not been reported yet. */
  get waiting(): number {
    return this.#waiting.length;
  }

  /**
   * Reports the answer with this name as soon as all its bytes were given to the operating system. A connection that
   * breaks before that (`close` without `finish`) has not handed over anything.
   */
  follow(response: ServerResponse, name: string): void {
    const { socket } = response;
    response.once('finish', () => {
      // Only an answer with this status has credentials: a failure while it is written turns it into an error.
      if (response.statusCode === 200 && socket?.errored === null) this.#add(name);
    });
  }

  /** Sends the remaining reports, unless no issuer accepts them. Call it when no more answers are written. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#endPause();
    await this.#telling;
    let isTaken = true;
    while (isTaken && this.#waiting.length > 0) isTaken = await this.#tell();
  }

  #add(name: string): void {
    this.#waiting.push({ name, at: this.options.stopwatch() });
    if (this.#waiting.length > MOST_WAITING) this.#waiting.shift();
    this.#telling ??= withoutRequestContext(() => this.#tellAll());
  }

  async #tellAll(): Promise<void> {
    // The answers of one turn share a message.
    await setImmediate();
    while (this.#waiting.length > 0 && !this.#isClosed) {
      const isTaken = await this.#tell();
      await this.#pause(isTaken ? EVERY_MILLISECONDS : AGAIN_MILLISECONDS);
    }
    this.#telling = undefined;
  }

  async #pause(milliseconds: number): Promise<void> {
    if (this.#isClosed) return;
    await new Promise<void>((resolve) => {
      this.#endPause = resolve;
      setTimeout(resolve, milliseconds).unref();
    });
  }

  /** False if no issuer accepted it, so that it is sent again. */
  async #tell(): Promise<boolean> {
    const { ask, logger, stopwatch } = this.options;
    const batch = this.#waiting.splice(0, MAX_HAND_OVERS);
    try {
      await ask(ReportHandOvers, { handOvers: batch.map(({ name }) => name) });
      return true;
    } catch (error) {
      if (error instanceof DomainError && HOPELESS.includes(error.kind)) {
        logger.warn('a report of answers was refused', { count: batch.length, error });
        return true;
      }
      const isWorthwhile = ({ at }: HandedOver) => stopwatch() - at < GIVE_UP_MILLISECONDS;
      this.#waiting = [...batch.filter(isWorthwhile), ...this.#waiting].slice(-MOST_WAITING);
      return false;
    }
  }
}
