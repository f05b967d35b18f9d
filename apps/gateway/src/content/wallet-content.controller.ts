import { Controller, Get, Headers, HttpCode, Inject, Param, Post, Query, Req, Res } from '@nestjs/common';
import { ApiHeader, ApiOperation, ApiResponse, ApiSecurity, ApiTags } from '@nestjs/swagger';
import {
  CreateEntity,
  CreateWallet,
  credentialView,
  entityView,
  GetCredential,
  GetPresentation,
  ListCredentials,
  ListPresentations,
  presentationView,
  walletView,
} from '@vestibule/contracts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { ASK, type Ask } from '../ask';
import { idempotencyFrom } from '../http/creation';
import { ApiQueryString, IDEMPOTENCY_HEADER, NEXT_PAGE_HEADER, PROBLEM_RESPONSE } from '../http/openapi-parts';
import { didFrom } from '../http/path-segment';
import { tenantFrom } from './api-key';
import { nextPageLink } from '../http/next-page-link';
import { contentListQuery, credentialQuery, parseQuery, presentationQuery, walletQuery } from './queries';

type QueryString = Record<string, unknown>;

/** Entities, wallets and what they hold (wallet content API v1). */
@ApiTags('Wallet content')
@ApiSecurity('apiKey')
@Controller('api/wallet/v1')
export class WalletContentController {
  constructor(@Inject(ASK) private readonly ask: Ask) {}

  @Post('entity')
  @HttpCode(201)
  @ApiOperation({ operationId: 'createEntity', summary: 'Make an entity, the owner of wallets' })
  @ApiHeader(IDEMPOTENCY_HEADER)
  @ApiResponse({ status: 201, description: 'The entity', standardSchema: entityView })
  @ApiResponse(PROBLEM_RESPONSE)
  createEntity(@Req() request: FastifyRequest, @Headers('idempotency-key') key: string | undefined) {
    return this.ask(CreateEntity, { ...tenantFrom(request), ...idempotencyFrom(key) });
  }

  @Post('wallet')
  @HttpCode(201)
  @ApiOperation({ operationId: 'createWallet', summary: 'Make a wallet of an entity' })
  @ApiHeader(IDEMPOTENCY_HEADER)
  @ApiQueryString(walletQuery)
  @ApiResponse({ status: 201, description: 'The wallet', standardSchema: walletView })
  @ApiResponse(PROBLEM_RESPONSE)
  createWallet(
    @Req() request: FastifyRequest,
    @Query() query: QueryString,
    @Headers('idempotency-key') key: string | undefined,
  ) {
    return this.ask(CreateWallet, {
      ...tenantFrom(request),
      ...parseQuery(walletQuery, query),
      ...idempotencyFrom(key),
    });
  }

  @Get('credential/:did')
  @ApiOperation({ operationId: 'getCredential', summary: 'The latest version of a credential' })
  @ApiQueryString(credentialQuery)
  @ApiResponse({ status: 200, description: 'The credential', standardSchema: credentialView })
  @ApiResponse(PROBLEM_RESPONSE)
  getCredential(@Req() request: FastifyRequest, @Param('did') did: string, @Query() query: QueryString) {
    const credentialDid = didFrom(did, 'credential_not_found');
    return this.ask(GetCredential, { ...tenantFrom(request), credentialDid, ...parseQuery(credentialQuery, query) });
  }

  @Get('credentials')
  @ApiOperation({ operationId: 'listCredentials', summary: 'The latest versions of the credentials of a wallet' })
  @ApiQueryString(contentListQuery)
  @ApiResponse({
    status: 200,
    description: 'Descriptors, with Body on demand',
    headers: NEXT_PAGE_HEADER,
    standardSchema: z.array(credentialView),
  })
  @ApiResponse(PROBLEM_RESPONSE)
  async listCredentials(
    @Req() request: FastifyRequest,
    @Query() query: QueryString,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    const page = await this.ask(ListCredentials, { ...tenantFrom(request), ...parseQuery(contentListQuery, query) });
    void reply.headers(nextPageLink('credentials', query, page.nextCursor));
    return page.items;
  }

  @Get('vp/:did')
  @ApiOperation({ operationId: 'getPresentation', summary: 'The latest version of a presentation' })
  @ApiQueryString(presentationQuery)
  @ApiResponse({ status: 200, description: 'The presentation', standardSchema: presentationView })
  @ApiResponse(PROBLEM_RESPONSE)
  getPresentation(@Req() request: FastifyRequest, @Param('did') did: string, @Query() query: QueryString) {
    const presentationDid = didFrom(did, 'presentation_not_found');
    const asked = { ...tenantFrom(request), presentationDid, ...parseQuery(presentationQuery, query) };
    return this.ask(GetPresentation, asked);
  }

  @Get('vp')
  @ApiOperation({ operationId: 'listPresentations', summary: 'The latest versions of the presentations of a wallet' })
  @ApiQueryString(contentListQuery)
  @ApiResponse({
    status: 200,
    description: 'Descriptors, with Body on demand',
    headers: NEXT_PAGE_HEADER,
    standardSchema: z.array(presentationView),
  })
  @ApiResponse(PROBLEM_RESPONSE)
  async listPresentations(
    @Req() request: FastifyRequest,
    @Query() query: QueryString,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    const page = await this.ask(ListPresentations, {
      ...tenantFrom(request),
      ...parseQuery(contentListQuery, query),
    });
    void reply.headers(nextPageLink('vp', query, page.nextCursor));
    return page.items;
  }
}
