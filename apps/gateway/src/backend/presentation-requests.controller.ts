import { Body, Controller, Get, Headers, HttpCode, Inject, Param, Post } from '@nestjs/common';
import { ApiHeader, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import {
  CreatePresentationRequest,
  GetPresentationRequest,
  presentationRequestBody,
  presentationRequestCreated,
  presentationRequestView,
} from '@vestibule/contracts';
import type { JsonValue } from '@vestibule/foundation';
import { ASK, type Ask } from '../ask';
import { creationFrom } from '../http/creation';
import { IDEMPOTENCY_HEADER, PROBLEM_RESPONSE } from '../http/openapi-parts';
import { idFrom } from '../http/path-segment';

/** Presentation requests: what a backend asks wallets for (connector interface, `POST /oidc4vp`). */
@ApiTags('Verification')
@Controller('oidc4vp')
export class PresentationRequestsController {
  constructor(@Inject(ASK) private readonly ask: Ask) {}

  @Post()
  @HttpCode(201)
  @ApiOperation({ operationId: 'createPresentationRequest', summary: 'Ask a wallet for credentials' })
  @ApiHeader(IDEMPOTENCY_HEADER)
  @ApiResponse({ status: 201, description: 'The request and its two URIs', standardSchema: presentationRequestCreated })
  @ApiResponse(PROBLEM_RESPONSE)
  create(
    @Body({ schema: presentationRequestBody }) body: JsonValue | undefined,
    @Headers('idempotency-key') idempotencyKey: string | undefined,
  ) {
    return this.ask(CreatePresentationRequest, creationFrom(body, idempotencyKey));
  }

  @Get(':state')
  @ApiOperation({
    operationId: 'getPresentationRequest',
    summary: 'Status and times of a request, never credential data',
  })
  @ApiResponse({ status: 200, description: 'The request', standardSchema: presentationRequestView })
  @ApiResponse(PROBLEM_RESPONSE)
  get(@Param('state') state: string) {
    return this.ask(GetPresentationRequest, { state: idFrom(state, 'presentation_request_not_found') });
  }
}
