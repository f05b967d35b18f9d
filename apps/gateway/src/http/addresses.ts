import type { Type } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { declared, type Route } from './routes';

/**
 * Where a controller's routes are:
 *
 * - `base`, `issuer`: below the path of the configured URL of that name
 * - `schema-prefix`: below the prefix of the schema and draft API, on the public listener below the base URL
 * - `host`: at the root of the host, whatever the paths of the configured URLs are
 * - `well-known`: the same, but the path of the issuer's URL follows (RFC 8414 §3.1, OpenID4VCI 1.0 §12.2.2), and then the
 *   parameters of the route
 */
export type Place = 'base' | 'issuer' | 'schema-prefix' | 'host' | 'well-known';

export interface Addressing {
  readonly at: Place;
  /**
   * How many segments of the path, after parameters at its beginning, identify the part that belongs to this
   * controller, with or without a route; default 1.
   */
  readonly segments?: number;
  /** The syntax of parameters among these segments; anything by default. */
  readonly where?: Readonly<Record<string, RegExp>>;
}

/**
 * Declares where public clients reach the routes of a controller. Without it they are on the management listener only,
 * at their own paths.
 */
export const Addressed = Reflector.createDecorator<Addressing>();

/** The paths of each place on a listener; a place without one is not reachable there. */
export type Prefixes = Readonly<Partial<Record<Place, string>>>;

/** A path that no route has. */
export const NO_ROUTE = '/.not-found';

/** A part of the paths of a listener, and a controller that it belongs to. */
interface Area {
  readonly at: Place;
  /** Its first segments: `/oidc4vp`. */
  readonly path: string;
  readonly pattern: RegExp;
  readonly controller: Type;
}

/** The path of a configured URL: `/tenant` for `https://host/tenant`, `''` for `https://host`. */
export function pathOf(url: string): string {
  const { pathname } = new URL(url);
  return pathname === '/' ? '' : pathname;
}

const STANDS_ALONE: readonly Place[] = ['host', 'well-known'];
const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** Matches paths by a route's pattern: `[^/]+` for each parameter without a declared syntax. */
export function patternOf(path: string, where: Addressing['where'] = {}): string {
  const segments = path.split('/').map((segment) => {
    if (!segment.startsWith(':')) return escaped(segment);
    return where[segment.slice(1)]?.source ?? '[^/]+';
  });
  return segments.join('/');
}

/** How many segments with which the path begins are parameters. */
const leadingParameters = (path: string): number => /^(?:\/:[^/]+)*/.exec(path)?.[0].split('/:').slice(1).length ?? 0;

function areaOf(route: Route): Area[] {
  const addressing = declared(Addressed, route);
  if (addressing === undefined || STANDS_ALONE.includes(addressing.at)) return [];
  const count = 1 + leadingParameters(route.path) + (addressing.segments ?? 1);
  const path = route.path.split('/').slice(0, count).join('/');
  const pattern = new RegExp(`^${patternOf(path, addressing.where)}(?=[/?]|$)`);
  return [{ at: addressing.at, path, pattern, controller: route.controller }];
}

/** What a proxy has to forward. */
export interface ProxiedPath {
  readonly at: Place;
  readonly path: string;
  /** The path itself is an address. */
  readonly isAddress: boolean;
  /** There are addresses below it. */
  readonly isFolder: boolean;
}

/** The public paths of these routes, each part once. */
export function proxiedPaths(routes: readonly Route[]): readonly ProxiedPath[] {
  const paths = routes.flatMap((route): ProxiedPath[] => {
    const at = declared(Addressed, route)?.at;
    if (at === undefined) return [];
    const [path = route.path] = areaOf(route).map((area) => area.path);
    const isAddress = routes.some((one) => one.path === path);
    const isFolder = !STANDS_ALONE.includes(at) && routes.some((one) => one.path.startsWith(`${path}/`));
    return [{ at, path, isAddress, isFolder }];
  });
  return [...new Map(paths.map((one) => [`${one.at} ${one.path}`, one])).values()];
}

/** The address of each route on a listener by the route's path, both as descriptions of APIs write them: `/drafts/{id}`. */
export function describedAddresses(routes: readonly Route[], prefixes: Prefixes): ReadonlyMap<string, string> {
  const entries = routes.map((route): [string, string] => {
    const path = route.path.replace(/:([^/]+)/g, '{$1}');
    return [path, `${prefixes[declared(Addressed, route)?.at ?? 'base'] ?? ''}${path}`];
  });
  return new Map(entries);
}

/** The path without a prefix, if the remainder belongs to the area. */
function below(path: string, prefix: string, { pattern }: Area): string | undefined {
  if (!path.startsWith(prefix)) return undefined;
  const rest = path.slice(prefix.length);
  return pattern.test(rest) ? rest : undefined;
}

const splitAt = (url: string): readonly [path: string, query: string] => {
  const at = url.indexOf('?');
  return at === -1 ? [url, ''] : [url.slice(0, at), url.slice(at)];
};

/** The path of a route, and the place where a request found it. */
interface Found {
  readonly path: string;
  readonly position: string | undefined;
}

/** An address that stands alone and ends with parameters. */
interface AloneBelow {
  /** The route's path before its parameters. */
  readonly head: string;
  /** Its first group is the parameters. */
  readonly pattern: RegExp;
  readonly position: string | undefined;
}

/** The target of a request as passed to the router. */
export interface Rewritten {
  readonly url: string;
  /** The prefix that was removed, or the place of a path that stands alone; undefined if nothing was found. */
  readonly position: string | undefined;
}

/**
 * The addresses of a listener. Routes are declared as if no configured URL had a path; requests are rewritten
 * accordingly, and those at a wrong place get a path that no route has.
 */
export class Addresses {
  readonly #areas: readonly Area[];
  /** Paths that are a single address, with the route's path for each. */
  readonly #alone: ReadonlyMap<string, Found>;
  /** The same with parameters at their end. */
  readonly #aloneBelow: readonly AloneBelow[];
  readonly #unaddressed: ReadonlySet<string>;

  constructor(
    routes: readonly Route[],
    private readonly prefixes: Prefixes,
  ) {
    const areas = new Map(routes.flatMap(areaOf).map((area) => [`${area.at} ${area.path}`, area]));
    this.#areas = [...areas.values()];
    const alone = routes.filter((route) => STANDS_ALONE.includes(declared(Addressed, route)?.at ?? 'base'));
    const [below, exact] = [true, false].map((wanted) => alone.filter(({ path }) => path.includes('/:') === wanted));
    this.#alone = new Map((exact ?? []).flatMap((route) => this.#aloneAt(route)));
    this.#aloneBelow = (below ?? []).flatMap((route) => this.#aloneBelowAt(route));
    this.#unaddressed = new Set(routes.flatMap((one) => (declared(Addressed, one) === undefined ? [one.path] : [])));
  }

  #aloneAt(route: Route): [string, Found][] {
    const position = this.positionOf(route);
    const prefix = this.prefixes[declared(Addressed, route)?.at ?? 'base'];
    return prefix === undefined ? [] : [[`${route.path}${prefix}`, { path: route.path, position }]];
  }

  #aloneBelowAt(route: Route): AloneBelow[] {
    const { at, where } = declared(Addressed, route) ?? { at: 'base' as const };
    const prefix = this.prefixes[at];
    if (prefix === undefined) return [];
    const head = route.path.slice(0, route.path.indexOf('/:'));
    const tail = patternOf(route.path.slice(head.length), where);
    return [
      { head, pattern: new RegExp(`^${escaped(`${head}${prefix}`)}(${tail})$`), position: this.positionOf(route) },
    ];
  }

  #findAlone(path: string): Found | undefined {
    const exact = this.#alone.get(path);
    if (exact !== undefined) return exact;
    for (const { head, pattern, position } of this.#aloneBelow) {
      const [, tail] = pattern.exec(path) ?? [];
      if (tail !== undefined) return { path: `${head}${tail}`, position };
    }
    return undefined;
  }

  /** The route's path for the path of a request; undefined if there is none. */
  #find(path: string): Found | undefined {
    const alone = this.#findAlone(path);
    if (alone !== undefined) return alone;
    for (const area of this.#areas) {
      const prefix = this.prefixes[area.at];
      const rest = prefix === undefined ? undefined : below(path, prefix, area);
      if (rest !== undefined) return { path: rest, position: prefix };
    }
    return undefined;
  }

  /**
   * Where a route belongs, undefined if the listener has no such place; comparable with {@link Rewritten.position}. The
   * router decodes the path before it finds a route, but {@link Addresses.rewrite} compares the path as received.
   */
  positionOf(route: Route): string | undefined {
    const at = declared(Addressed, route)?.at;
    if (at === undefined) return '';
    return STANDS_ALONE.includes(at) ? `alone at ${at}` : this.prefixes[at];
  }

  /** For a listener that serves only addressed routes. */
  rewrite(url: string): Rewritten {
    const [path, query] = splitAt(url);
    const found = this.#find(path);
    return { url: `${found?.path ?? NO_ROUTE}${query}`, position: found?.position };
  }

  /** For a listener that serves its other routes at their own paths, and addressed ones only where they belong. */
  rewriteAddressed(url: string): Rewritten {
    const [path, query] = splitAt(url);
    if (this.#unaddressed.has(path)) return { url, position: '' };
    const elsewhere = this.#areas.some((area) => below(path, '', area) !== undefined);
    const found = this.#find(path) ?? { path: elsewhere ? NO_ROUTE : path, position: '' };
    return { url: `${found.path}${query}`, position: found.position };
  }

  /** A controller that the part of a rewritten URL belongs to, whether or not there is a route. */
  controllerNear(url: string): Type | undefined {
    return this.#areas.find(({ pattern }) => pattern.test(url))?.controller;
  }
}
