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
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { ParsesBodies } from './body-parsing';
import { JSON_BODIES } from './json-bodies';
import { ProblemDetailsFilter } from './problem-details.filter';
import { readQuery } from './validation';

const NO_PARAMETERS = z.strictObject({});

/** Does the method have a parameter that reads the query string? */
function readsQuery(context: ExecutionContext): boolean {
  const name = context.getHandler().name;
  const parameters = (Reflect.getMetadata(ROUTE_ARGS_METADATA, context.getClass(), name) ?? {}) as object;
  return Object.keys(parameters).some((key) => key.startsWith(`${RouteParamtypes.QUERY}:`));
}

/** Refuses every query parameter of a route that has none. Guards come before it: callers without a key learn only that. */
class UnknownQueries implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler) {
    if (!readsQuery(context)) readQuery(NO_PARAMETERS, context.switchToHttp().getRequest<FastifyRequest>().query);
    return next.handle();
  }
}

/** A controller for everybody, whose callers may add query parameters of their own: strict JSON in, problem details for errors. */
export const OpenJsonApi = () => applyDecorators(ParsesBodies(JSON_BODIES), UseFilters(ProblemDetailsFilter));

/** A controller for backends: as {@link OpenJsonApi}, and no query parameter that its routes do not have. */
export const JsonApi = () => applyDecorators(OpenJsonApi(), UseInterceptors(new UnknownQueries()));
