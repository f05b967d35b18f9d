import { patternOf } from './addresses';
import type { Route } from './routes';

/** Injection token of the {@link OtherListener} of a listener. */
export const OTHER_LISTENER = Symbol('the other listener');

/**
 * What the other listener serves and this one does not, for callers who have taken one for the other. The hint names no
 * address: anyone reaches the public listener.
 */
export class OtherListener {
  readonly #patterns: readonly RegExp[];

  /** @param below the paths of configured URLs that an address may begin with */
  constructor(
    routes: readonly Route[],
    below: readonly string[],
    private readonly hint: string,
  ) {
    const beginning = [...new Set(['', ...below])].map((path) => patternOf(path)).join('|');
    const paths = [...new Set(routes.map(({ path }) => path))];
    this.#patterns = paths.map((path) => new RegExp(`^(?:${beginning})${patternOf(path)}/?(?:\\?|$)`));
  }

  /** What to tell who asks for this address here; undefined if the other listener does not serve it either. */
  hintFor(address: string): string | undefined {
    return this.#patterns.some((pattern) => pattern.test(address)) ? this.hint : undefined;
  }
}
