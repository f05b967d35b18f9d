import { Catch, Inject, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import { DomainError } from '@vestibule/foundation';
import { currentRequestId, type Logger } from '@vestibule/process';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AllowedMethods } from './allowed-methods';
import { LOGGER, sendError, type ErrorAnswer, type ErrorResponder } from './error-answer';
import { asDomainError, noRouteAt } from './errors';
import { OTHER_LISTENER, OtherListener } from './other-listener';
import { problemAnswer } from './problem';
import { filterOf, ROUTES, type RouteTable } from './routes';

function wrongMethod(method: string, allowed: readonly string[]): DomainError {
  const detail = `this path does not accept ${method}; it accepts ${allowed.join(', ')}`;
  return new DomainError({ kind: 'not_found', code: 'method_not_allowed', detail });
}

/**
 * Renders errors of the APIs for backends as RFC 9457 problem details, and 405 if a route at this address has another
 * method.
 */
@Catch()
export class ProblemDetailsFilter implements ExceptionFilter, ErrorResponder {
  readonly #allowed: AllowedMethods;

  constructor(
    @Inject(LOGGER) private readonly logger: Logger,
    @Inject(ROUTES) table: RouteTable,
    @Inject(OTHER_LISTENER) private readonly other: OtherListener,
  ) {
    this.#allowed = new AllowedMethods(table.all.filter((route) => filterOf(route) === ProblemDetailsFilter));
  }

  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    this.respond(error, http.getRequest<FastifyRequest>(), http.getResponse<FastifyReply>());
  }

  answerUnread(error: DomainError, requestId: string): ErrorAnswer {
    return problemAnswer(error, requestId);
  }

  respond(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
    const known = asDomainError(error);
    if (known.kind === 'internal') this.logger.error('a request failed', { error });
    const isUnrouted = known.code === 'route_not_found';
    const allowed = isUnrouted ? this.#allowed.insteadOf(request.method, request.url) : undefined;
    const unrouted = isUnrouted ? noRouteAt(request.originalUrl, this.other) : known;
    const told = allowed ? wrongMethod(request.method, allowed) : unrouted;
    const { headers, ...answer } = problemAnswer(told, currentRequestId() ?? 'none');
    sendError(reply, { ...answer, headers: { ...headers, ...(allowed ? { allow: allowed.join(', ') } : {}) } });
  }
}
