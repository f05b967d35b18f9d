import { Catch, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { DomainError } from '@vestibule/foundation';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Addresses } from './addresses';
import type { ErrorAnswer, ErrorResponder } from './error-answer';
import { filterOf, type RouteTable } from './routes';

export interface ErrorFormats {
  readonly table: RouteTable;
  readonly addresses: Addresses;
  /** The filters that controllers of the listener name with `@UseFilters`. */
  readonly formats: readonly ErrorResponder[];
  /** For addresses that belong to no controller. */
  readonly otherwise: ErrorResponder;
}

/**
 * Answers errors that occur before a route's own filter applies, or without a route, in the format that the route
 * declares; at an address without a route, in that of its neighbours.
 */
@Catch()
export class RoutedErrorFilter implements ExceptionFilter, ErrorResponder {
  readonly #declared: (request: FastifyRequest) => unknown;
  readonly #near: ReadonlyMap<unknown, unknown>;

  constructor(private readonly errors: ErrorFormats) {
    const { table } = errors;
    this.#declared = table.about(filterOf);
    this.#near = new Map(table.all.map((route) => [route.controller, filterOf(route)]));
  }

  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    this.respond(error, http.getRequest<FastifyRequest>(), http.getResponse<FastifyReply>());
  }

  answerUnread(error: DomainError, requestId: string): ErrorAnswer {
    return this.errors.otherwise.answerUnread(error, requestId);
  }

  respond(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
    const { formats, addresses, otherwise } = this.errors;
    const filter = this.#declared(request) ?? this.#near.get(addresses.controllerNear(request.url));
    const responder = formats.find((one) => one.constructor === filter) ?? otherwise;
    responder.respond(error, request, reply);
  }
}
