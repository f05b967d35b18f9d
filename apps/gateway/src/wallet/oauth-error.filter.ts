import { Catch, Inject, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { DomainError } from '@vestibule/foundation';
import type { Logger } from '@vestibule/process';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AllowedMethods } from '../http/allowed-methods';
import { LOGGER, sendError, type ErrorAnswer, type ErrorResponder } from '../http/error-answer';
import { asDomainError, noRouteAt } from '../http/errors';
import { headerValues } from '../http/header-values';
import { OTHER_LISTENER, OtherListener } from '../http/other-listener';
import { declared, filterOf, ROUTES, type RouteTable } from '../http/routes';
import { oauthAnswer } from './oauth-answer';
import { OAuthEndpoint, type OAuthTraits } from './oauth-endpoint';

const METHOD_NOT_ALLOWED = {
  error: 'invalid_request',
  error_description: 'this endpoint does not accept this method',
};

/** Renders errors for wallets as OAuth JSON, and 405 if a wallet's route at this address has another method. */
@Catch()
export class OAuthErrorFilter implements ExceptionFilter, ErrorResponder {
  readonly #allowed: AllowedMethods;
  readonly #traits: (request: FastifyRequest) => OAuthTraits | undefined;

  constructor(
    @Inject(LOGGER) private readonly logger: Logger,
    @Inject(ROUTES) table: RouteTable,
    @Inject(OTHER_LISTENER) private readonly other: OtherListener,
  ) {
    const routes = table.all.filter((route) => filterOf(route) === OAuthErrorFilter);
    this.#allowed = new AllowedMethods(routes, ['OPTIONS']);
    this.#traits = table.about((route) => declared(OAuthEndpoint, route));
  }

  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    this.respond(error, http.getRequest<FastifyRequest>(), http.getResponse<FastifyReply>());
  }

  answerUnread(error: DomainError): ErrorAnswer {
    return oauthAnswer(error, { traits: {}, authorization: undefined });
  }

  respond(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
    const known = asDomainError(error);
    if (known.kind === 'internal') this.logger.error('a request failed', { error });
    const isUnrouted = known.code === 'route_not_found';
    const allowed = isUnrouted ? this.#allowed.insteadOf(request.method, request.url) : undefined;
    if (allowed) {
      return sendError(reply, { status: 405, headers: { allow: allowed.join(', ') }, body: METHOD_NOT_ALLOWED });
    }
    const told = isUnrouted ? noRouteAt(request.originalUrl, this.other) : known;
    const [authorization] = headerValues(request, 'authorization');
    // By the route that was found, whose address may be spelled in many ways: `/oidc4vci/tok%65n` is the token
    // endpoint.
    sendError(reply, oauthAnswer(told, { traits: this.#traits(request) ?? {}, authorization }));
  }
}
