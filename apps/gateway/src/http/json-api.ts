import {
  applyDecorators,
  UseFilters,
  UseInterceptors,
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
} from '@nestjs/common';
import { ROUTE_ARGS_METADATA } from '@nestjs/common/constants';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum';
import { judge } from '@vestibule/contracts';
import { ApiError } from '@vestibule/foundation';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { ParsesBodies } from './body-parsing';
import { JSON_BODIES } from './json-bodies';
import { ProblemDetailsFilter } from './problem-details.filter';
import { readQuery } from './validation';

const NOTHING = z.strictObject({});

/** Does the method have a parameter that reads this part of the request? */
function reads(part: RouteParamtypes, context: ExecutionContext): boolean {
  const name = context.getHandler().name;
  const parameters = (Reflect.getMetadata(ROUTE_ARGS_METADATA, context.getClass(), name) ?? {}) as object;
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

/**
 * Refuses every query parameter of a route that has none, and every member of a body that none reads. Guards come before it:
 * callers without a key learn only that.
 */
class UnreadInput implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler) {
    const { query, body } = context.switchToHttp().getRequest<FastifyRequest>();
    if (!reads(RouteParamtypes.QUERY, context)) readQuery(NOTHING, query);
    if (!reads(RouteParamtypes.BODY, context)) refuseBody(body);
    return next.handle();
  }
}

/** A controller for everybody, whose callers may add query parameters of their own: strict JSON in, problem details for errors. */
export const OpenJsonApi = () => applyDecorators(ParsesBodies(JSON_BODIES), UseFilters(ProblemDetailsFilter));

/** A controller for backends: as {@link OpenJsonApi}, and no query parameter or body that its routes do not have. */
export const JsonApi = () => applyDecorators(OpenJsonApi(), UseInterceptors(new UnreadInput()));
