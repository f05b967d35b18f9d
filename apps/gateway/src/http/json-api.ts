import { applyDecorators, UseFilters } from '@nestjs/common';
import { ROUTE_ARGS_METADATA } from '@nestjs/common/constants';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum';
import { Reflector } from '@nestjs/core';
import { judge } from '@vestibule/contracts';
import { ApiError } from '@vestibule/foundation';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { ParsesBodies } from './body-parsing';
import { JSON_BODIES } from './json-bodies';
import { ProblemDetailsFilter } from './problem-details.filter';
import { PipesAtOnce } from './prompt-pipes';
import { declared, type Route, type RouteTable } from './routes';
import { readQuery } from './validation';

const NOTHING = z.strictObject({});

/** Does the route have a parameter that reads this part of the request? */
function reads(part: RouteParamtypes, { controller, handler }: Route): boolean {
  const parameters = (Reflect.getMetadata(ROUTE_ARGS_METADATA, controller, handler.name) ?? {}) as object;
  return Object.keys(parameters).some((key) => key.startsWith(`${part}:`));
}

/** An operation without a body accepts an empty object, which some clients always send. */
function refuseBody(body: unknown): void {
  const { faults } = judge(NOTHING, body ?? {});
  if (faults.length === 0) return;
  const named = faults.map(({ path, message }) => ({ path: path === '' ? 'body' : path, message }));
  const detail = 'this operation takes no body';
  throw new ApiError({ kind: 'invalid', code: 'invalid_request', detail, faults: named });
}

/** Declares that what a route does not read is refused. */
const ReadsAll = Reflector.createDecorator<true>();

/**
 * Refuses every query parameter of a route that has none, and every member of a body that none reads. The guards of a
 * route come before it, as `guardRoutes` ensures: callers without a key learn only that. A hook, because an interceptor
 * of Nest would cost each request more than everything else that Nest does for it.
 */
export function refuseUnreadInput(instance: FastifyInstance, table: RouteTable): void {
  const unreadOf = table.about((route) =>
    declared(ReadsAll, route)
      ? { query: !reads(RouteParamtypes.QUERY, route), body: !reads(RouteParamtypes.BODY, route) }
      : undefined,
  );
  // What a hook throws before it calls `done` is the error of the request.
  instance.addHook('preHandler', (request, _reply, done) => {
    const unread = unreadOf(request);
    if (unread?.query) readQuery(NOTHING, request.query);
    if (unread?.body) refuseBody(request.body);
    done();
  });
}

/** A controller for everybody, whose callers may add query parameters of their own: strict JSON in, problem details for errors. */
export const OpenJsonApi = () => applyDecorators(ParsesBodies(JSON_BODIES), UseFilters(ProblemDetailsFilter));

/** A controller for backends: as {@link OpenJsonApi}, and no query parameter or body that its routes do not have. */
export const JsonApi = () => applyDecorators(OpenJsonApi(), ReadsAll(true), PipesAtOnce());
