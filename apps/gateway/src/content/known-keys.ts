import { FindApiKeys, MAX_API_KEYS } from '@vestibule/contracts';
import { DomainError } from '@vestibule/foundation';
import { gather } from '@vestibule/process';
import type { Ask } from '../ask';

/** Is this the digest of a valid API key? Throws `service_unavailable` if that cannot be determined. */
export type IsKnownKey = (apiKeyDigest: string) => Promise<boolean>;

/** Injection token of {@link IsKnownKey}. */
export const KNOWN_KEYS = Symbol('known keys');

/** How long a result is cached. A key that was revoked meanwhile gives no access: every use case checks it again. */
const REMEMBERED_MILLISECONDS = 5_000;
/** For known and unknown keys separately: a flood of wrong keys evicts no valid one. */
const MAX_REMEMBERED = 10_000;
/** How many requests may wait while their keys are looked up: sixteen requests over the bus, and some kilobytes. */
const MAX_WAITING = 4_096;

/** A cache of digests with a time limit; the oldest are evicted first. */
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
 * Looks up API keys in the wallet store: no key twice within five seconds, up to 256 keys per request, one request at a
 * time. So even many wrong keys cost few requests, and a valid key waits for one of them.
 *
 * @param stopwatch monotonic milliseconds
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
