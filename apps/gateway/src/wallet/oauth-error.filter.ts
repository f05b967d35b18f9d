import { Catch, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { DomainError } from '@vestibule/foundation';
import type { Logger } from '@vestibule/process';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { allowedMethods } from '../http/allowed-methods';
import { sendError, type ErrorAnswer, type ErrorResponder } from '../http/error-answer';
import { asDomainError } from '../http/errors';
import { headerValues } from '../http/header-values';
import { oauthAnswer } from './oauth-answer';

const METHOD_NOT_ALLOWED = {
  error: 'invalid_request',
  error_description: 'this address does not take this method',
};

/** Errors for wallets as OAuth JSON, and 405 where a route exists with another method. */
@Catch()
export class OAuthErrorFilter implements ExceptionFilter, ErrorResponder {
  constructor(private readonly logger: Logger) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    this.respond(error, http.getRequest<FastifyRequest>(), http.getResponse<FastifyReply>());
  }

  answerUnread(error: DomainError): ErrorAnswer {
    return oauthAnswer(error, { path: '', authorization: undefined });
  }

  respond(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
    const known = asDomainError(error);
    if (known.kind === 'internal') this.logger.error('a request failed', { error });
    const [address = ''] = request.url.split('?', 1);
    const allowed = known.code === 'route_not_found' ? allowedMethods(address) : undefined;
    if (allowed && !allowed.includes(request.method)) {
      return sendError(reply, { status: 405, headers: { allow: allowed.join(', ') }, body: METHOD_NOT_ALLOWED });
    }
    const [authorization] = headerValues(request, 'authorization');
    // The route that was found, whose address may be spelled in many ways: `/oidc4vci/tok%65n` is the token endpoint.
    sendError(reply, oauthAnswer(known, { path: request.routeOptions.url ?? address, authorization }));
  }
}
