import { Controller, Delete, Get, HttpCode, Inject, Param, Patch, Post, Req, Res } from '@nestjs/common';
import { ApiHeader, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import {
  CancelCredentialOffer,
  ChangeCredentialOffer,
  CreateCredentialOffer,
  credentialOfferCreated,
  credentialOfferView,
  GetCredentialOffer,
  ListCredentialOffers,
  OFFER_STATUSES,
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
import { credentialOffer, offerChange } from './query-description';
import { Needs } from '../http/scopes';

const OFFER = anId('credential_offer_not_found');
const listQuery = flowListQuery('offers', OFFER_STATUSES);

/** Credential offers, by which a backend issues to wallets (connector interface, `POST /offers`). */
@ApiTags('Issuance')
@JsonApi()
@Needs('offer')
@Controller('offers')
export class CredentialOffersController {
  constructor(
    @Inject(ASK) private readonly ask: Ask,
    @Inject(RETIREMENT) private readonly retirement: Retirement,
  ) {}

  @Post()
  @HttpCode(201)
  @ApiOperation({ operationId: 'createCredentialOffer', summary: 'Offer a credential to a wallet' })
  @ApiHeader(IDEMPOTENCY_HEADER)
  @ApiResponse({ status: 201, description: 'The offer', standardSchema: credentialOfferCreated })
  @ApiResponse(PROBLEM_RESPONSE)
  create(@IdempotencyKey() repeatable: Repeatable, @JudgedBody(credentialOffer) body: JsonObject) {
    return this.ask(CreateCredentialOffer, { ...repeatable, body });
  }

  @Get()
  @ApiOperation({
    operationId: 'listCredentialOffers',
    summary: 'Offers with status and timestamps, newest first, never claims',
  })
  @ApiQueryString(listQuery)
  @ApiResponse({
    status: 200,
    description: 'The offers; a page may have fewer items than its limit although there is a next one',
    standardSchema: z.array(credentialOfferView),
    headers: NEXT_PAGE_HEADER,
  })
  @ApiResponse(PROBLEM_RESPONSE)
  async list(
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @ValidQuery(listQuery) query: z.output<typeof listQuery>,
  ) {
    const { items, nextCursor } = await this.ask(ListCredentialOffers, questionOf(query));
    void reply.headers(nextPageLink(request, 'offers', nextCursor));
    return items;
  }

  @Get(':offerId')
  @ApiOperation({ operationId: 'getCredentialOffer', summary: 'Status and timestamps of an offer, never claims' })
  @ApiQueryString(waitQuery)
  @ApiResponse({ status: 200, description: 'The offer', standardSchema: credentialOfferView })
  @ApiResponse(PROBLEM_RESPONSE)
  get(
    @Req() request: FastifyRequest,
    @ValidQuery(waitQuery) { wait: seconds }: z.output<typeof waitQuery>,
    @Param('offerId', OFFER) offerId: string,
  ) {
    const isOpen = ({ status }: { readonly status: string }) => status === 'OFFER_CREATED';
    const { retirement } = this;
    const look = () => this.ask(GetCredentialOffer, { offerId });
    return whenEnded(look, { seconds, isOpen, request, retirement });
  }

  @Patch(':offerId')
  @ApiOperation({ operationId: 'changeCredentialOffer', summary: 'Supply the claims of a deferred offer, or deny it' })
  @ApiResponse({ status: 200, description: 'The offer', standardSchema: credentialOfferView })
  @ApiResponse(PROBLEM_RESPONSE)
  change(@JudgedBody(offerChange) body: JsonObject, @Param('offerId', OFFER) offerId: string) {
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
