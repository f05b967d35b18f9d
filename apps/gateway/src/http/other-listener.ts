import { findProbableName } from '@vestibule/foundation';
import { patternOf } from './addresses';
import type { Route } from './routes';

/** Injection token of the {@link OtherListener} of a listener. */
export const OTHER_LISTENER = Symbol('the other listener');

const LONGEST = 200;
/** A prefix such as `/api/v1`, which is not ours, and the segment behind it. */
const LOOKED_AT = 3;

const segmentsOf = (path: string): number => path.split('/').length;

function longerFirst(one: string, another: string): number {
  const parameters = Number(one.includes('/:')) - Number(another.includes('/:'));
  return segmentsOf(another) - segmentsOf(one) || parameters || another.length - one.length;
}

/**
 * What the other listener serves and this one does not, for callers who have taken one for the other. The hint names no
 * address: anyone reaches the public listener.
 */
export class OtherListener {
  readonly #patterns: readonly RegExp[];
  /** For each first segment the path of this listener with the fewest segments; of equals one with a parameter, then the shortest. */
  readonly #near: ReadonlyMap<string, string>;

  /**
   * @param below the paths of configured URLs that an address may begin with
   * @param own the routes of this listener, if those who reach it may be told of them
   */
  constructor(
    routes: readonly Route[],
    below: readonly string[],
    private readonly hint: string,
    own: readonly Route[] = [],
  ) {
    const shortestLast = own.map(({ path }) => path).sort(longerFirst);
    this.#near = new Map(shortestLast.map((path) => [path.split('/')[1] ?? '', path.replace(/:([^/]+)/g, '{$1}')]));
    const beginning = [...new Set(['', ...below])].map((path) => patternOf(path)).join('|');
    const paths = [...new Set(routes.map(({ path }) => path))];
    this.#patterns = paths.map((path) => new RegExp(`^(?:${beginning})${patternOf(path)}/?(?:\\?|$)`));
  }

  /** What to tell who asks for this address here; undefined if the other listener does not serve it either. */
  hintFor(address: string): string | undefined {
    return this.#patterns.some((pattern) => pattern.test(address)) ? this.hint : undefined;
  }

  /** The path of this listener that was probably meant: one of the segments is its first, or almost so. */
  nearTo(address: string): string | undefined {
    const [path = ''] = address.slice(0, LONGEST).split(/[?#]/, 1);
    const segments = path
      .split('/', 1 + LOOKED_AT)
      .slice(1)
      .reverse();
    for (const segment of segments) {
      const meant = this.#near.get(findProbableName(segment, [...this.#near.keys()]) ?? '');
      if (meant !== undefined) return `did you mean ${meant}?`;
    }
    return undefined;
  }
}
