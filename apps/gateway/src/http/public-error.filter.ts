import { Catch, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { DomainError } from '@vestibule/foundation';
import type { Logger } from '@vestibule/process';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { isBackendRoute } from './backend-route';
import type { ErrorAnswer, ErrorResponder } from './error-answer';
import { OAuthErrorFilter } from '../wallet/oauth-error.filter';
import { ProblemDetailsFilter } from './problem-details.filter';

/** Errors of the public listener: problem details for backends on the wallet content API, OAuth JSON for wallets. */
@Catch()
export class PublicErrorFilter implements ExceptionFilter, ErrorResponder {
  readonly #forBackends: ProblemDetailsFilter;
  readonly #forWallets: OAuthErrorFilter;

  constructor(logger: Logger) {
    this.#forBackends = new ProblemDetailsFilter(logger);
    this.#forWallets = new OAuthErrorFilter(logger);
  }

  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    this.respond(error, http.getRequest<FastifyRequest>(), http.getResponse<FastifyReply>());
  }

  answerUnread(error: DomainError): ErrorAnswer {
    return this.#forWallets.answerUnread(error);
  }

  respond(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
    const responder = isBackendRoute(request.url) ? this.#forBackends : this.#forWallets;
    responder.respond(error, request, reply);
  }
}
