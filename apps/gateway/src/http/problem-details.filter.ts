import { Catch, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import { currentRequestId, type Logger } from '@vestibule/service';
import type { FastifyReply } from 'fastify';
import { asDomainError } from './errors';
import { problemOf } from './problem';

const RETRY_AFTER_SECONDS = 5;

/** Errors of the APIs for backends as RFC 9457 problem details. */
@Catch()
export class ProblemDetailsFilter implements ExceptionFilter {
  constructor(private readonly logger: Logger) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const reply = host.switchToHttp().getResponse<FastifyReply>();
    const known = asDomainError(error);
    if (known.kind === 'internal') this.logger.error('a request failed', { error });
    const problem = problemOf(known, currentRequestId() ?? 'none');
    if (known.kind === 'unavailable') void reply.header('retry-after', RETRY_AFTER_SECONDS);
    if (known.kind === 'unauthenticated') void reply.header('www-authenticate', 'ApiKey header="X-API-KEY"');
    void reply.status(problem.status).header('content-type', 'application/problem+json; charset=utf-8').send(problem);
  }
}
