import { Controller, Delete, Get, HttpCode, Inject, Param, Patch, Post } from '@nestjs/common';
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
import type { JsonObject } from '@vestibule/foundation';
import { ASK, type Ask } from '../ask';
import { JsonApi } from '../http/json-api';
import { IDEMPOTENCY_HEADER, PROBLEM_RESPONSE } from '../http/openapi-parts';
import { anId } from '../http/path-segment';
import { IdempotencyKey, JudgedBody, type Repeatable } from '../http/validation';

const OFFER = anId('credential_offer_not_found');

/** Credential offers, by which a backend issues to wallets (connector interface, `POST /offers`). */
@ApiTags('Issuance')
@JsonApi()
@Controller('offers')
export class CredentialOffersController {
  constructor(@Inject(ASK) private readonly ask: Ask) {}

  @Post()
  @HttpCode(201)
  @ApiOperation({ operationId: 'createCredentialOffer', summary: 'Offer a credential to a wallet' })
  @ApiHeader(IDEMPOTENCY_HEADER)
  @ApiResponse({ status: 201, description: 'The offer', standardSchema: credentialOfferCreated })
  @ApiResponse(PROBLEM_RESPONSE)
  create(@IdempotencyKey() repeatable: Repeatable, @JudgedBody(credentialOfferBody) body: JsonObject) {
    return this.ask(CreateCredentialOffer, { ...repeatable, body });
  }

  @Get(':offerId')
  @ApiOperation({ operationId: 'getCredentialOffer', summary: 'Status and timestamps of an offer, never claims' })
  @ApiResponse({ status: 200, description: 'The offer', standardSchema: credentialOfferView })
  @ApiResponse(PROBLEM_RESPONSE)
  get(@Param('offerId', OFFER) offerId: string) {
    return this.ask(GetCredentialOffer, { offerId });
  }

  @Patch(':offerId')
  @ApiOperation({ operationId: 'changeCredentialOffer', summary: 'Supply the claims of a deferred offer, or deny it' })
  @ApiResponse({ status: 200, description: 'The offer', standardSchema: credentialOfferView })
  @ApiResponse(PROBLEM_RESPONSE)
  change(@JudgedBody(credentialOfferChange) body: JsonObject, @Param('offerId', OFFER) offerId: string) {
    return this.ask(ChangeCredentialOffer, { offerId, body });
  }

  @Delete(':offerId')
  @HttpCode(204)
  @ApiOperation({ operationId: 'cancelCredentialOffer', summary: 'Cancel an open offer, which ends as FAILED' })
  @ApiResponse({ status: 204, description: 'The offer is cancelled' })
  @ApiResponse(PROBLEM_RESPONSE)
  async cancel(@Param('offerId', OFFER) offerId: string): Promise<void> {
    await this.ask(CancelCredentialOffer, { offerId });
  }
}
