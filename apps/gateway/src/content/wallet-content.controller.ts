import { Controller, Get, Headers, HttpCode, Inject, Param, Post, Query, Req, Res } from '@nestjs/common';
import { ApiHeader, ApiOperation, ApiQuery, ApiResponse, ApiSecurity, ApiTags } from '@nestjs/swagger';
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
import { IDEMPOTENCY_HEADER, PROBLEM_RESPONSE } from '../http/openapi-parts';
import { tenantFrom } from './api-key';
import { nextPageLink } from './next-page-link';
import { credentialListQuery, parseQuery, presentationListQuery, readQuery, walletQuery } from './queries';

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
  @ApiQuery({ name: 'entityDid', required: true, type: String })
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
  @ApiResponse({ status: 200, description: 'The credential', standardSchema: credentialView })
  @ApiResponse(PROBLEM_RESPONSE)
  getCredential(@Req() request: FastifyRequest, @Param('did') credentialDid: string, @Query() query: QueryString) {
    const { entityDid, walletDid, revision } = parseQuery(readQuery, query);
    return this.ask(GetCredential, { ...tenantFrom(request), credentialDid, entityDid, walletDid, revision });
  }

  @Get('credentials')
  @ApiOperation({ operationId: 'listCredentials', summary: 'The latest versions of the credentials of a wallet' })
  @ApiResponse({
    status: 200,
    description: 'Descriptors, with Body on demand',
    standardSchema: z.array(credentialView),
  })
  @ApiResponse(PROBLEM_RESPONSE)
  async listCredentials(
    @Req() request: FastifyRequest,
    @Query() query: QueryString,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    const page = await this.ask(ListCredentials, { ...tenantFrom(request), ...parseQuery(credentialListQuery, query) });
    void reply.headers(nextPageLink('credentials', query, page.nextCursor));
    return page.items;
  }

  @Get('vp/:did')
  @ApiOperation({ operationId: 'getPresentation', summary: 'The latest version of a presentation' })
  @ApiResponse({ status: 200, description: 'The presentation', standardSchema: presentationView })
  @ApiResponse(PROBLEM_RESPONSE)
  getPresentation(@Req() request: FastifyRequest, @Param('did') presentationDid: string, @Query() query: QueryString) {
    return this.ask(GetPresentation, { ...tenantFrom(request), presentationDid, ...parseQuery(readQuery, query) });
  }

  @Get('vp')
  @ApiOperation({ operationId: 'listPresentations', summary: 'The latest versions of the presentations of a wallet' })
  @ApiResponse({
    status: 200,
    description: 'Descriptors, with Body on demand',
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
      ...parseQuery(presentationListQuery, query),
    });
    void reply.headers(nextPageLink('vp', query, page.nextCursor));
    return page.items;
  }
}
