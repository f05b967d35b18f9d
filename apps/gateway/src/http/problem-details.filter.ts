import { Catch, Inject, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { DomainError } from '@vestibule/foundation';
import { currentRequestId, type Logger } from '@vestibule/process';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { LOGGER, sendError, type ErrorAnswer, type ErrorResponder } from './error-answer';
import { asDomainError } from './errors';
import { problemAnswer } from './problem';

/** Renders errors of the APIs for backends as RFC 9457 problem details. */
@Catch()
export class ProblemDetailsFilter implements ExceptionFilter, ErrorResponder {
  constructor(@Inject(LOGGER) private readonly logger: Logger) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    this.respond(error, http.getRequest<FastifyRequest>(), http.getResponse<FastifyReply>());
  }

  answerUnread(error: DomainError, requestId: string): ErrorAnswer {
    return problemAnswer(error, requestId);
  }

  respond(error: unknown, _request: FastifyRequest, reply: FastifyReply): void {
    const known = asDomainError(error);
    if (known.kind === 'internal') this.logger.error('a request failed', { error });
    sendError(reply, problemAnswer(known, currentRequestId() ?? 'none'));
  }
}
