import { Catch, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { Logger } from '@vestibule/service';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { allowedMethods } from './allowed-methods';
import { asDomainError } from './errors';
import { oauthAnswer } from './oauth-answer';

/** Errors for wallets as OAuth JSON, and 405 where a route exists with another method. */
@Catch()
export class OAuthErrorFilter implements ExceptionFilter {
  constructor(private readonly logger: Logger) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const reply = http.getResponse<FastifyReply>();
    const known = asDomainError(error);
    if (known.kind === 'internal') this.logger.error('a request failed', { error });
    const allowed = known.code === 'route_not_found' ? this.otherMethods(http.getRequest<FastifyRequest>()) : undefined;
    if (allowed) {
      void reply.status(405).header('allow', allowed.join(', ')).send({ error: 'invalid_request' });
      return;
    }
    const answer = oauthAnswer(known);
    void reply.status(answer.status).headers(answer.headers).send(answer.body);
  }

  private otherMethods(request: FastifyRequest): readonly string[] | undefined {
    const [path = ''] = request.url.split('?', 1);
    const allowed = allowedMethods(path);
    return allowed?.includes(request.method) ? undefined : allowed;
  }
}
