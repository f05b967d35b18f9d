import { Controller, Get, HttpCode, Inject, Param, Post } from '@nestjs/common';
import { ApiHeader, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import {
  CreatePresentationRequest,
  GetPresentationRequest,
  presentationRequestBody,
  presentationRequestCreated,
  presentationRequestView,
} from '@vestibule/contracts';
import type { JsonObject } from '@vestibule/foundation';
import { ASK, type Ask } from '../ask';
import { JsonApi } from '../http/json-api';
import { IDEMPOTENCY_HEADER, PROBLEM_RESPONSE } from '../http/openapi-parts';
import { anId } from '../http/path-segment';
import { IdempotencyKey, JudgedBody, type Repeatable } from '../http/validation';

/**
 * Presentation requests, by which a backend requests credentials from wallets (connector interface, `POST /oidc4vp`).
 */
@ApiTags('Verification')
@JsonApi()
@Controller('oidc4vp')
export class PresentationRequestsController {
  constructor(@Inject(ASK) private readonly ask: Ask) {}

  @Post()
  @HttpCode(201)
  @ApiOperation({ operationId: 'createPresentationRequest', summary: 'Request credentials from a wallet' })
  @ApiHeader(IDEMPOTENCY_HEADER)
  @ApiResponse({ status: 201, description: 'The request and its two URIs', standardSchema: presentationRequestCreated })
  @ApiResponse(PROBLEM_RESPONSE)
  create(@IdempotencyKey() repeatable: Repeatable, @JudgedBody(presentationRequestBody) body: JsonObject) {
    return this.ask(CreatePresentationRequest, { ...repeatable, body });
  }

  @Get(':state')
  @ApiOperation({
    operationId: 'getPresentationRequest',
    summary: 'Status and timestamps of a request, never credential data',
  })
  @ApiResponse({ status: 200, description: 'The request', standardSchema: presentationRequestView })
  @ApiResponse(PROBLEM_RESPONSE)
  get(@Param('state', anId('presentation_request_not_found')) state: string) {
    return this.ask(GetPresentationRequest, { state });
  }
}
