import { Controller, Delete, Get, HttpCode, Inject, Param, Post, Req, Res } from '@nestjs/common';
import { ApiHeader, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import {
  CancelPresentationRequest,
  CreatePresentationRequest,
  GetPresentationRequest,
  ListPresentationRequests,
  PRESENTATION_STATUSES,
  presentationRequestCreated,
  presentationRequestItem,
  presentationRequestView,
} from '@vestibule/contracts';
import type { JsonObject } from '@vestibule/foundation';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { ASK, type Ask } from '../ask';
import { JsonApi } from '../http/json-api';
import { nextPageLink } from '../http/next-page-link';
import { ApiQueryString, IDEMPOTENCY_HEADER, NEXT_PAGE_HEADER, PROBLEM_RESPONSE } from '../http/openapi-parts';
import { anId } from '../http/path-segment';
import { RETIREMENT, type Retirement } from '../http/retirement';
import { IdempotencyKey, JudgedBody, ValidQuery, type Repeatable } from '../http/validation';
import { flowListQuery, questionOf, waitQuery, whenEnded } from './flow-queries';
import { presentationRequest } from './query-description';
import { Needs } from '../http/scopes';

const STATE = anId('presentation_request_not_found');
const listQuery = flowListQuery('requests', PRESENTATION_STATUSES);

/**
 * Presentation requests, by which a backend requests credentials from wallets (connector interface, `POST /oidc4vp`).
 */
@ApiTags('Verification')
@JsonApi()
@Needs('present')
@Controller('oidc4vp')
export class PresentationRequestsController {
  constructor(
    @Inject(ASK) private readonly ask: Ask,
    @Inject(RETIREMENT) private readonly retirement: Retirement,
  ) {}

  @Post()
  @HttpCode(201)
  @ApiOperation({ operationId: 'createPresentationRequest', summary: 'Request credentials from a wallet' })
  @ApiHeader(IDEMPOTENCY_HEADER)
  @ApiResponse({ status: 201, description: 'The request and its two URIs', standardSchema: presentationRequestCreated })
  @ApiResponse(PROBLEM_RESPONSE)
  create(@IdempotencyKey() repeatable: Repeatable, @JudgedBody(presentationRequest) body: JsonObject) {
    return this.ask(CreatePresentationRequest, { ...repeatable, body });
  }

  @Get()
  @ApiOperation({
    operationId: 'listPresentationRequests',
    summary: 'Requests with status and timestamps, newest first, never credential data',
  })
  @ApiQueryString(listQuery)
  @ApiResponse({
    status: 200,
    description: 'The requests; a page may have fewer items than its limit although there is a next one',
    standardSchema: z.array(presentationRequestItem),
    headers: NEXT_PAGE_HEADER,
  })
  @ApiResponse(PROBLEM_RESPONSE)
  async list(
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @ValidQuery(listQuery) query: z.output<typeof listQuery>,
  ) {
    const { items, nextCursor } = await this.ask(ListPresentationRequests, questionOf(query));
    void reply.headers(nextPageLink(request, 'requests', nextCursor));
    return items;
  }

  @Get(':state')
  @ApiOperation({
    operationId: 'getPresentationRequest',
    summary: 'Status and timestamps of a request, never credential data',
  })
  @ApiQueryString(waitQuery)
  @ApiResponse({ status: 200, description: 'The request', standardSchema: presentationRequestView })
  @ApiResponse(PROBLEM_RESPONSE)
  get(
    @Req() request: FastifyRequest,
    @ValidQuery(waitQuery) { wait: seconds }: z.output<typeof waitQuery>,
    @Param('state', STATE) state: string,
  ) {
    const isOpen = ({ status }: { readonly status: string }) => status === 'PENDING';
    const { retirement } = this;
    const look = () => this.ask(GetPresentationRequest, { state });
    return whenEnded(look, { seconds, isOpen, request, retirement });
  }

  @Delete(':state')
  @HttpCode(204)
  @ApiOperation({
    operationId: 'cancelPresentationRequest',
    summary: 'Withdraw an open request, which ends as EXPIRED',
  })
  @ApiResponse({ status: 204, description: 'The request has ended' })
  @ApiResponse(PROBLEM_RESPONSE)
  async cancel(@Param('state', STATE) state: string): Promise<void> {
    await this.ask(CancelPresentationRequest, { state });
  }
}
