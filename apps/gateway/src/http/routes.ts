import { RequestMethod, type Type } from '@nestjs/common';
import { EXCEPTION_FILTERS_METADATA, GUARDS_METADATA, METHOD_METADATA, PATH_METADATA } from '@nestjs/common/constants';
import { MetadataScanner, Reflector, type ReflectableDecorator } from '@nestjs/core';
import type { FastifyRequest } from 'fastify';

/** A method of a controller. */
export type Handler = (...args: never[]) => unknown;

/** A route as its controller declares it, the only declaration there is. */
export interface Route {
  readonly method: string;
  /** The path for the router, as if no configured URL had a path: `/oidc4vp/:state/request`. */
  readonly path: string;
  readonly controller: Type;
  readonly handler: Handler;
}

const scanner = new MetadataScanner();
const reflector = new Reflector();

function textsOf(key: string, target: object): readonly string[] {
  return [Reflect.getMetadata(key, target) as string | readonly string[]].flat();
}

const join = (...parts: readonly string[]): string =>
  `/${parts.flatMap((part) => part.split('/').filter((segment) => segment !== '')).join('/')}`;

function routesOf(controller: Type): Route[] {
  const prototype = controller.prototype as Readonly<Record<string, Handler>>;
  return scanner.getAllMethodNames(prototype).flatMap((name) => {
    const handler = prototype[name] as Handler;
    const method = Reflect.getMetadata(METHOD_METADATA, handler) as RequestMethod | undefined;
    if (method === undefined) return [];
    return textsOf(PATH_METADATA, controller).flatMap((below) =>
      textsOf(PATH_METADATA, handler).map((own) => {
        return { method: RequestMethod[method], path: join(below, own), controller, handler };
      }),
    );
  });
}

/**
 * The value that a decorator made by `Reflector.createDecorator` sets for a route: on its method, else on its
 * controller.
 */
export function declared<Value>(decorator: ReflectableDecorator<Value>, route: Route): Value | undefined {
  return reflector.getAllAndOverride<Value | undefined>(decorator, [route.handler as never, route.controller]);
}

function enhancersOf<Enhancer>(key: string, { handler, controller }: Route): readonly Enhancer[] {
  return [controller, handler].flatMap((one) => (Reflect.getMetadata(key, one) as Enhancer[] | undefined) ?? []);
}

/** The guards of `@UseGuards`, those of the controller first. */
export const guardsOf = (route: Route): readonly unknown[] => enhancersOf(GUARDS_METADATA, route);

/** The filter of `@UseFilters`, that of the method before that of the controller. */
export const filterOf = (route: Route): unknown => enhancersOf(EXCEPTION_FILTERS_METADATA, route).at(-1);

/** Injection token of the {@link RouteTable} of a listener. */
export const ROUTES = Symbol('routes');

/**
 * The routes of a listener, from Nest's metadata of its controllers: everything that needs to know a route asks here.
 */
export class RouteTable {
  readonly all: readonly Route[];
  readonly #byPath = new Map<string, Route[]>();

  constructor(controllers: readonly Type[]) {
    this.all = controllers.flatMap(routesOf);
    for (const route of this.all) this.#byPath.set(route.path, [...(this.#byPath.get(route.path) ?? []), route]);
  }

  /** A value for the routes of each address, whatever their methods are, computed once; undefined where the router found none. */
  aboutAddress<Value>(say: (routes: readonly Route[]) => Value): (request: FastifyRequest) => Value | undefined {
    const known = new Map([...this.#byPath].map(([path, routes]) => [path, say(routes)]));
    return (request) => known.get(request.routeOptions.url ?? '');
  }

  /** A value for the route that the router found for a request, however its address is spelled; computed once. */
  about<Value>(say: (route: Route) => Value): (request: FastifyRequest) => Value | undefined {
    const known = this.aboutAddress((routes) => new Map(routes.map((route) => [route.method, say(route)])));
    return (request) => known(request)?.get(request.method === 'HEAD' ? 'GET' : request.method);
  }
}
