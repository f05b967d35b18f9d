import { errors, type Msg, type NatsConnection, type Subscription } from '@nats-io/transport-node';
import type { Logger } from '@vestibule/process';

/** The pause before a refused subscription is tried again. */
const RETRY_MILLISECONDS = 5_000;

/** A subscription to keep in force. */
export interface Wanted {
  readonly subject: string;
  /** Its name in the log: secret subjects are not printed. */
  readonly label: string;
  readonly queue?: string;
  readonly receive: (message: Msg) => void;
}

/**
 * The subscriptions of one connection, and whether NATS has accepted all of them. The client library forgets a
 * subscription that NATS refuses for lack of a permission; this class retries it for as long as the connection exists.
 */
export class Listening {
  readonly #wanted: Wanted[] = [];
  readonly #subscriptions = new Map<Wanted, Subscription>();
  readonly #refused = new Set<Wanted>();
  #attempt = 0;
  #confirmed = false;
  #retry: NodeJS.Timeout | undefined;
  #isClosed = false;

  /** `onChange` is called with whether every subscription is in force, whenever that changes. */
  constructor(
    private readonly connection: NatsConnection,
    private readonly logger: Logger,
    private readonly onChange: (confirmed: boolean) => void,
  ) {}

  get confirmed(): boolean {
    return this.#confirmed;
  }

  get subscriptions(): readonly Subscription[] {
    return [...this.#subscriptions.values()];
  }

  listen(wanted: Wanted): void {
    this.#wanted.push(wanted);
    this.#subscribe(wanted);
  }

  /** Nothing counts as in force until {@link confirm}. */
  lost(): void {
    this.#attempt += 1;
    this.#report(false);
  }

  /** Asks NATS to acknowledge what it was sent; resolves when it has, or when the connection broke meanwhile. */
  async confirm(): Promise<void> {
    this.#attempt += 1;
    const attempt = this.#attempt;
    try {
      await this.connection.flush();
    } catch {
      // The connection is lost: its status handler calls this again when it is restored.
      return;
    }
    if (attempt === this.#attempt && !this.#isClosed) this.#report(this.#refused.size === 0);
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#retry);
    this.#report(false);
  }

  #report(confirmed: boolean): void {
    if (confirmed === this.#confirmed) return;
    this.#confirmed = confirmed;
    this.onChange(confirmed);
  }

  #subscribe(wanted: Wanted): void {
    const { subject, queue, receive } = wanted;
    const callback = (error: Error | null, message: Msg): void => {
      if (error) this.#refuse(wanted, error);
      else receive(message);
    };
    this.#subscriptions.set(
      wanted,
      this.connection.subscribe(subject, { callback, ...(queue === undefined ? {} : { queue }) }),
    );
  }

  #refuse(wanted: Wanted, error: Error): void {
    this.#refused.add(wanted);
    this.#subscriptions.delete(wanted);
    this.#report(false);
    const reason = error instanceof errors.PermissionViolationError ? 'permission' : 'other';
    this.logger.error('NATS refuses a subscription: check the permissions of the user', {
      subscription: wanted.label,
      reason,
      error,
    });
    this.#retry ??= setTimeout(() => this.#tryAgain(), RETRY_MILLISECONDS).unref();
  }

  #tryAgain(): void {
    this.#retry = undefined;
    if (this.#isClosed || this.connection.isClosed()) return;
    const refused = [...this.#refused];
    this.#refused.clear();
    for (const wanted of refused) this.#subscribe(wanted);
    void this.confirm();
  }
}
