import { Body, Controller, Delete, Get, Headers, HttpCode, Inject, Param, Patch, Post } from '@nestjs/common';
import { ApiHeader, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import {
  CancelCredentialOffer,
  ChangeCredentialOffer,
  CreateCredentialOffer,
  credentialOfferBody,
  credentialOfferChange,
  credentialOfferCreated,
  credentialOfferView,
  GetCredentialOffer,
} from '@vestibule/contracts';
import type { JsonValue } from '@vestibule/foundation';
import { ASK, type Ask } from '../ask';
import { creationFrom, objectFrom } from '../http/creation';
import { IDEMPOTENCY_HEADER, PROBLEM_RESPONSE } from '../http/openapi-parts';
import { idFrom } from '../http/path-segment';

const UNKNOWN = 'credential_offer_not_found';

/** Credential offers: what a backend gives to wallets (connector interface, `POST /offers`). */
@ApiTags('Issuance')
@Controller('offers')
export class CredentialOffersController {
  constructor(@Inject(ASK) private readonly ask: Ask) {}

  @Post()
  @HttpCode(201)
  @ApiOperation({ operationId: 'createCredentialOffer', summary: 'Offer a credential to a wallet' })
  @ApiHeader(IDEMPOTENCY_HEADER)
  @ApiResponse({ status: 201, description: 'The offer', standardSchema: credentialOfferCreated })
  @ApiResponse(PROBLEM_RESPONSE)
  create(
    @Body({ schema: credentialOfferBody }) body: JsonValue | undefined,
    @Headers('idempotency-key') idempotencyKey: string | undefined,
  ) {
    return this.ask(CreateCredentialOffer, creationFrom(body, idempotencyKey));
  }

  @Get(':offerId')
  @ApiOperation({ operationId: 'getCredentialOffer', summary: 'Status and times of an offer, never claims' })
  @ApiResponse({ status: 200, description: 'The offer', standardSchema: credentialOfferView })
  @ApiResponse(PROBLEM_RESPONSE)
  get(@Param('offerId') offerId: string) {
    return this.ask(GetCredentialOffer, { offerId: idFrom(offerId, UNKNOWN) });
  }

  @Patch(':offerId')
  @ApiOperation({ operationId: 'changeCredentialOffer', summary: 'Give the claims of a deferred offer, or deny it' })
  @ApiResponse({ status: 200, description: 'The offer', standardSchema: credentialOfferView })
  @ApiResponse(PROBLEM_RESPONSE)
  change(@Param('offerId') offerId: string, @Body({ schema: credentialOfferChange }) body: JsonValue | undefined) {
    return this.ask(ChangeCredentialOffer, { offerId: idFrom(offerId, UNKNOWN), body: objectFrom(body) });
  }

  @Delete(':offerId')
  @HttpCode(204)
  @ApiOperation({ operationId: 'cancelCredentialOffer', summary: 'Cancel an open offer: it ends as FAILED' })
  @ApiResponse({ status: 204, description: 'The offer is cancelled' })
  @ApiResponse(PROBLEM_RESPONSE)
  async cancel(@Param('offerId') offerId: string): Promise<void> {
    await this.ask(CancelCredentialOffer, { offerId: idFrom(offerId, UNKNOWN) });
  }
}
