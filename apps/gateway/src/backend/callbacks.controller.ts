import { Controller, Delete, Get, HttpCode, Inject, Param, Post, Req, Res, type PipeTransform } from '@nestjs/common';
import { ApiOperation, ApiParam, ApiResponse, ApiTags } from '@nestjs/swagger';
import {
  CALLBACK_STATES,
  inAnyCase,
  callbackKeys,
  callbackReplay,
  callbackRetry,
  callbackTest,
  DropCallback,
  ListCallbackKeys,
  ListCallbacks,
  ReplayCallbacks,
  REPORTING_SERVICES,
  RetryCallbacks,
  TestCallback,
  undeliveredCallback,
  type ReportingService,
} from '@vestibule/contracts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { ASK, type Ask } from '../ask';
import { nextPageLink } from '../http/next-page-link';
import { noSuchRoute } from '../http/errors';
import { JsonApi } from '../http/json-api';
import { ApiQueryString, NEXT_PAGE_HEADER, PROBLEM_RESPONSE } from '../http/openapi-parts';
import { pageQuery } from '../http/page-query';
import { anId } from '../http/path-segment';
import { ValidBody, ValidQuery } from '../http/validation';
import { Needs } from '../http/scopes';

const listQuery = z.strictObject({
  state: inAnyCase(CALLBACK_STATES)
    .default('waiting')
    .describe('`waiting`: pending; `dead`: given up, without payload'),
  ...pageQuery('callbacks'),
});

const testBody = z.strictObject({
  service: z.enum(REPORTING_SERVICES).optional().describe('Absent: both, each to its own `CALLBACK_URL`'),
  callback_url: z
    .string()
    .max(2048)
    .optional()
    .describe('Absent: the configured one. At an origin of `CALLBACK_ORIGINS`'),
});

const SERVICE_PARAMETER = { name: 'service', schema: { type: 'string', enum: [...REPORTING_SERVICES] } } as const;

function serviceFrom(segment: string): ReportingService {
  const service = REPORTING_SERVICES.find((name) => name === segment);
  if (service === undefined) throw noSuchRoute();
  return service;
}

class ServicePipe implements PipeTransform<string, ReportingService> {
  transform(segment: string): ReportingService {
    return serviceFrom(segment);
  }
}

/** A service's event, by the segments of its path. */
interface EventName {
  readonly service: ReportingService;
  readonly id: string;
}

const ID = anId('callback_not_found');

class EventPipe implements PipeTransform<Readonly<Record<keyof EventName, string>>, EventName> {
  transform({ service, id }: Readonly<Record<keyof EventName, string>>): EventName {
    return { service: serviceFrom(service), id: ID.transform(id) };
  }
}

/** Events that were not delivered to a backend: for operators, never with claims. */
@ApiTags('Callbacks')
@JsonApi()
@Needs('operate')
@Controller('callbacks')
export class CallbacksController {
  constructor(@Inject(ASK) private readonly ask: Ask) {}

  @Get('keys')
  @ApiOperation({
    operationId: 'listCallbackKeys',
    summary: 'The keys that sign callbacks: the public Ed25519 keys of verifier and issuer, no secret',
  })
  @ApiResponse({ status: 200, description: 'The keys of each service', standardSchema: z.array(callbackKeys) })
  @ApiResponse(PROBLEM_RESPONSE)
  keys() {
    return Promise.all(REPORTING_SERVICES.map((name) => this.ask(ListCallbackKeys[name], {})));
  }

  @Get(':service')
  @ApiParam(SERVICE_PARAMETER)
  @ApiOperation({
    operationId: 'listCallbacks',
    summary: 'Pending events or dead letters of verifier or issuer, oldest first, never with claims',
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
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @Param('service', ServicePipe) service: 'verifier' | 'issuer',
    @ValidQuery(listQuery) question: z.output<typeof listQuery>,
  ) {
    const { items, nextCursor } = await this.ask(ListCallbacks[service], question);
    void reply.headers(nextPageLink(request, 'callbacks', nextCursor));
    return items;
  }

  @Post(':service/retry')
  @ApiParam(SERVICE_PARAMETER)
  @HttpCode(200)
  @ApiOperation({ operationId: 'retryCallbacks', summary: 'Make all pending events of a service due now' })
  @ApiResponse({ status: 200, description: 'Number of events that are due', standardSchema: callbackRetry })
  @ApiResponse(PROBLEM_RESPONSE)
  retryAll(@Param('service', ServicePipe) service: 'verifier' | 'issuer') {
    return this.ask(RetryCallbacks[service], {});
  }

  @Post('test')
  @HttpCode(200)
  @ApiOperation({
    operationId: 'testCallbacks',
    summary: 'Post a signed event with the status TEST to the receiver, once, and return what became of it',
  })
  @ApiResponse({ status: 200, description: 'One result for each service', standardSchema: z.array(callbackTest) })
  @ApiResponse(PROBLEM_RESPONSE)
  test(@ValidBody(testBody, { absent: {} }) { service, callback_url: url }: z.output<typeof testBody>) {
    const services = service === undefined ? REPORTING_SERVICES : [service];
    return Promise.all(services.map((name) => this.ask(TestCallback[name], { url })));
  }

  @Post(':service/replay')
  @ApiParam(SERVICE_PARAMETER)
  @HttpCode(200)
  @ApiOperation({
    operationId: 'replayCallbacks',
    summary: 'Rebuild the dead letters of a service that carried no claims and send them again; OFFER_CREATED excluded',
  })
  @ApiResponse({ status: 200, description: 'Number of events that are due', standardSchema: callbackReplay })
  @ApiResponse(PROBLEM_RESPONSE)
  replayAll(@Param('service', ServicePipe) service: 'verifier' | 'issuer') {
    return this.ask(ReplayCallbacks[service], {});
  }

  @Post(':service/:id/replay')
  @ApiParam({ name: 'id', schema: { type: 'string' } })
  @ApiParam(SERVICE_PARAMETER)
  @HttpCode(200)
  @ApiOperation({
    operationId: 'replayCallback',
    summary: 'Rebuild a dead letter that carried no claims and send it again, under the same webhook-id',
  })
  @ApiResponse({ status: 200, description: 'Number of events that are due', standardSchema: callbackReplay })
  @ApiResponse(PROBLEM_RESPONSE)
  replay(@Param(EventPipe) { service, id }: EventName) {
    return this.ask(ReplayCallbacks[service], { id });
  }

  @Delete(':service/:id')
  @ApiParam({ name: 'id', schema: { type: 'string' } })
  @ApiParam(SERVICE_PARAMETER)
  @HttpCode(204)
  @ApiOperation({
    operationId: 'dropCallback',
    summary: 'Give up on a pending event: it becomes a dead letter, and what waited for it is due',
  })
  @ApiResponse({ status: 204, description: 'The event is a dead letter' })
  @ApiResponse(PROBLEM_RESPONSE)
  async drop(@Param(EventPipe) { service, id }: EventName): Promise<void> {
    await this.ask(DropCallback[service], { id });
  }

  @Post(':service/:id/retry')
  @ApiParam({ name: 'id', schema: { type: 'string' } })
  @ApiParam(SERVICE_PARAMETER)
  @HttpCode(200)
  @ApiOperation({
    operationId: 'retryCallback',
    summary:
      'Make a pending event due now, with the others of its request or offer; a dead letter no longer has a payload',
  })
  @ApiResponse({ status: 200, description: 'Number of events that are due', standardSchema: callbackRetry })
  @ApiResponse(PROBLEM_RESPONSE)
  retry(@Param(EventPipe) { service, id }: EventName) {
    return this.ask(RetryCallbacks[service], { id });
  }
}
