import { isLiteral, matchesSubject } from './nats-subject';

/** One subscription of one client. `owner` receives the messages. */
export interface Subscription<Owner> {
  readonly owner: Owner;
  readonly subject: string;
  readonly queue?: string;
  readonly sid: string;
  /** Ends automatically after this many messages; 0: never. */
  max: number;
  delivered: number;
}

/** All subscriptions of a broker, found by the subject of a message. */
export class SubscriptionTable<Owner> {
  readonly #literal = new Map<string, Set<Subscription<Owner>>>();
  readonly #patterns = new Map<Subscription<Owner>, readonly string[]>();

  add(subscription: Subscription<Owner>): void {
    if (!isLiteral(subscription.subject)) {
      this.#patterns.set(subscription, subscription.subject.split('.'));
      return;
    }
    const same = this.#literal.get(subscription.subject);
    if (same) same.add(subscription);
    else this.#literal.set(subscription.subject, new Set([subscription]));
  }

  remove(subscription: Subscription<Owner>): void {
    this.#patterns.delete(subscription);
    const same = this.#literal.get(subscription.subject);
    same?.delete(subscription);
    if (same?.size === 0) this.#literal.delete(subscription.subject);
  }

  /** Every subscription that covers `subject`, including members of queue groups. */
  find(subject: string): Subscription<Owner>[] {
    const tokens = subject.split('.');
    // As in nats-server, nothing covers a subject with an empty token, not even `>`.
    if (tokens.includes('')) return [];
    const found = [...(this.#literal.get(subject) ?? [])];
    for (const [subscription, pattern] of this.#patterns) {
      if (matchesSubject(pattern, tokens)) found.push(subscription);
    }
    return found;
  }
}

/**
 * Splits recipients into those that all get the message and, for each queue group, the members of which one gets it.
 */
export function splitByQueue<Owner>(found: readonly Subscription<Owner>[]) {
  const everyone: Subscription<Owner>[] = [];
  const groups = new Map<string, Subscription<Owner>[]>();
  for (const subscription of found) {
    if (subscription.queue === undefined) everyone.push(subscription);
    else groups.set(subscription.queue, [...(groups.get(subscription.queue) ?? []), subscription]);
  }
  return { everyone, groups };
}
