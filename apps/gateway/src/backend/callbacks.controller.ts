import { Controller, Get, HttpCode, Inject, Param, Post, Query, Res } from '@nestjs/common';
import { ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import {
  CALLBACK_STATES,
  callbackRetry,
  ListCallbacks,
  REPORTING_SERVICES,
  RetryCallbacks,
  undeliveredCallback,
  type ReportingService,
} from '@vestibule/contracts';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { ASK, type Ask } from '../ask';
import { nextPageLink } from '../http/next-page-link';
import { pageQuery, parseQuery } from '../content/queries';
import { noSuchRoute } from '../http/errors';
import { ApiQueryString, NEXT_PAGE_HEADER, PROBLEM_RESPONSE } from '../http/openapi-parts';
import { idFrom } from '../http/path-segment';

const listQuery = z.strictObject({
  state: z
    .enum(CALLBACK_STATES)
    .default('waiting')
    .describe('`waiting`: will be tried again; `dead`: given up, without payload'),
  ...pageQuery,
});

function serviceFrom(segment: string): ReportingService {
  const service = REPORTING_SERVICES.find((name) => name === segment);
  if (service === undefined) throw noSuchRoute();
  return service;
}

/** Events that no backend has taken: for operators, never with claims. */
@ApiTags('Callbacks')
@Controller('callbacks')
export class CallbacksController {
  constructor(@Inject(ASK) private readonly ask: Ask) {}

  @Get(':service')
  @ApiOperation({
    operationId: 'listCallbacks',
    summary: 'Events of `verifier` or `issuer` that wait or were given up, oldest first, never with claims',
  })
  @ApiQueryString(listQuery)
  @ApiResponse({
    status: 200,
    description: 'The events',
    standardSchema: z.array(undeliveredCallback),
    headers: NEXT_PAGE_HEADER,
  })
  @ApiResponse(PROBLEM_RESPONSE)
  async list(
    @Param('service') service: string,
    @Query() query: Record<string, unknown>,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    const question = parseQuery(listQuery, query);
    const { items, nextCursor } = await this.ask(ListCallbacks[serviceFrom(service)], question);
    void reply.headers(nextPageLink(service, query, nextCursor));
    return items;
  }

  @Post(':service/retry')
  @HttpCode(200)
  @ApiOperation({ operationId: 'retryCallbacks', summary: 'Try every waiting event of a service now' })
  @ApiResponse({ status: 200, description: 'How many are due', standardSchema: callbackRetry })
  @ApiResponse(PROBLEM_RESPONSE)
  retryAll(@Param('service') service: string) {
    return this.ask(RetryCallbacks[serviceFrom(service)], {});
  }

  @Post(':service/:id/retry')
  @HttpCode(200)
  @ApiOperation({
    operationId: 'retryCallback',
    summary: 'Try a waiting event now, with the others of its request or offer; a dead one has no payload any more',
  })
  @ApiResponse({ status: 200, description: 'How many are due', standardSchema: callbackRetry })
  @ApiResponse(PROBLEM_RESPONSE)
  retry(@Param('service') service: string, @Param('id') id: string) {
    return this.ask(RetryCallbacks[serviceFrom(service)], { id: idFrom(id, 'callback_not_found') });
  }
}
