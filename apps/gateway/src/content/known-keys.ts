import { FindApiKeys, MAX_API_KEYS } from '@vestibule/contracts';
import { DomainError } from '@vestibule/foundation';
import { gather } from '@vestibule/process';
import type { Ask } from '../ask';

/** Is this digest that of an API key which holds? Throws `service_unavailable` where that cannot be found out. */
export type IsKnownKey = (apiKeyDigest: string) => Promise<boolean>;

/** Injection token of {@link IsKnownKey}. */
export const KNOWN_KEYS = Symbol('known keys');

/** How long an answer holds. A key that was revoked meanwhile opens nothing: every use case looks at it again. */
const REMEMBERED_MILLISECONDS = 5_000;
/** Of the known and of the unknown keys, each: a flood of wrong keys drives no right one out. */
const MAX_REMEMBERED = 10_000;
/** Requests that may wait for the wallet store to know their keys: sixteen questions, and some kilobytes. */
const MAX_WAITING = 4_096;

/** Digests for a time, the oldest of them given up first. */
class Remembered {
  readonly #until = new Map<string, number>();

  has(digest: string, now: number): boolean {
    const until = this.#until.get(digest);
    return until !== undefined && now < until;
  }

  add(digest: string, now: number): void {
    this.#until.delete(digest);
    this.#until.set(digest, now + REMEMBERED_MILLISECONDS);
    const [oldest] = this.#until.keys();
    if (this.#until.size > MAX_REMEMBERED && oldest !== undefined) this.#until.delete(oldest);
  }
}

/**
 * Knows API keys by asking the wallet store: not twice about one key within five seconds, and about up to 256 of them in
 * one question, one question at a time. So many wrong keys cost a few questions, and a right one waits for one of them.
 *
 * @param stopwatch milliseconds that only grow
 */
export function createKnownKeys(ask: Ask, stopwatch: () => number): IsKnownKey {
  const [known, unknown] = [new Remembered(), new Remembered()];
  const underWay = new Map<string, Promise<boolean>>();
  const find = gather(async (apiKeyDigests: readonly string[]) => {
    const answer = await ask(FindApiKeys, { apiKeyDigests: [...apiKeyDigests] });
    return new Set(answer.known);
  }, MAX_API_KEYS);

  const look = async (digest: string): Promise<boolean> => {
    const isKnown = (await find(digest)).has(digest);
    (isKnown ? known : unknown).add(digest, stopwatch());
    return isKnown;
  };

  return async (digest) => {
    const now = stopwatch();
    if (known.has(digest, now)) return true;
    if (unknown.has(digest, now)) return false;
    const asked = underWay.get(digest);
    if (asked) return asked;
    if (underWay.size >= MAX_WAITING) {
      const detail = 'too many API keys are being looked up';
      throw new DomainError({ kind: 'unavailable', code: 'service_unavailable', detail });
    }
    const looking = look(digest).finally(() => underWay.delete(digest));
    underWay.set(digest, looking);
    return looking;
  };
}
