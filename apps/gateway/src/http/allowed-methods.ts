import { patternOf } from './addresses';
import type { Route } from './routes';

/** The methods that an address allows. */
interface Address {
  readonly pattern: RegExp;
  readonly methods: readonly string[];
}

/** What the addresses of some routes allow, for those who ask with another method (RFC 9110 §15.5.6). */
export class AllowedMethods {
  readonly #addresses: readonly Address[];

  /** @param always the methods that every address allows, beside those of its routes and HEAD for GET */
  constructor(routes: readonly Route[], always: readonly string[] = []) {
    this.#addresses = [...new Set(routes.map(({ path }) => path))].map((path) => {
      const methods = routes.filter((route) => route.path === path).map(({ method }) => method);
      const head = methods.includes('GET') ? ['HEAD'] : [];
      return { pattern: new RegExp(`^${patternOf(path)}$`), methods: [...methods, ...head, ...always] };
    });
  }

  /** The methods to name to a request that no route took; undefined if its address has none, or allows its method. */
  insteadOf(method: string, url: string): readonly string[] | undefined {
    const [path = ''] = url.split('?', 1);
    const found = this.#addresses.filter(({ pattern }) => pattern.test(path)).flatMap(({ methods }) => methods);
    return found.length === 0 || found.includes(method) ? undefined : [...new Set(found)];
  }
}
