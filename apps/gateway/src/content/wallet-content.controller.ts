import { Get, HttpCode, Inject, Param, Post, Req, Res } from '@nestjs/common';
import { ApiHeader, ApiOperation, ApiResponse } from '@nestjs/swagger';
import {
  CreateEntity,
  CreateWallet,
  credentialView,
  entityView,
  GetCredential,
  GetPresentation,
  ListCredentials,
  ListEntities,
  ListPresentations,
  ListWallets,
  presentationView,
  walletView,
} from '@vestibule/contracts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { ASK, type Ask } from '../ask';
import { ApiQueryString, IDEMPOTENCY_HEADER, NEXT_PAGE_HEADER, PROBLEM_RESPONSE } from '../http/openapi-parts';
import { aDid } from '../http/path-segment';
import { IdempotencyKey, ValidQuery, type Repeatable } from '../http/validation';
import { nextPageLink } from '../http/next-page-link';
import {
  credentialListQuery,
  credentialQuery,
  entityListQuery,
  presentationListQuery,
  presentationQuery,
  walletListQuery,
  walletQuery,
} from './queries';
import { Tenant, type TenantKey } from './tenant';
import { WalletContentApi } from './wallet-content-api';

type Listing = z.output<typeof credentialListQuery>;

/** Entities, wallets and their content (wallet content API v1). */
@WalletContentApi()
export class WalletContentController {
  constructor(@Inject(ASK) private readonly ask: Ask) {}

  @Post('entity')
  @HttpCode(201)
  @ApiOperation({ operationId: 'EntityCreateV1', summary: 'Create an entity, which owns wallets' })
  @ApiHeader(IDEMPOTENCY_HEADER)
  @ApiResponse({ status: 201, description: 'The entity', standardSchema: entityView })
  @ApiResponse(PROBLEM_RESPONSE)
  createEntity(@Tenant() tenant: TenantKey, @IdempotencyKey() repeatable: Repeatable) {
    return this.ask(CreateEntity, { ...tenant, ...repeatable });
  }

  @Post('wallet')
  @HttpCode(201)
  @ApiOperation({ operationId: 'WalletCreateV1', summary: 'Create a wallet for an entity' })
  @ApiHeader(IDEMPOTENCY_HEADER)
  @ApiQueryString(walletQuery)
  @ApiResponse({ status: 201, description: 'The wallet', standardSchema: walletView })
  @ApiResponse(PROBLEM_RESPONSE)
  createWallet(
    @Tenant() tenant: TenantKey,
    @IdempotencyKey() repeatable: Repeatable,
    @ValidQuery(walletQuery) wallet: z.output<typeof walletQuery>,
  ) {
    return this.ask(CreateWallet, { ...tenant, ...wallet, ...repeatable });
  }

  @Get('entities')
  @ApiOperation({ operationId: 'EntityListV1', summary: 'The entities of the tenant, oldest first' })
  @ApiQueryString(entityListQuery)
  @ApiResponse({
    status: 200,
    description: 'The entities',
    headers: NEXT_PAGE_HEADER,
    standardSchema: z.array(entityView),
  })
  @ApiResponse(PROBLEM_RESPONSE)
  async listEntities(
    @Tenant() tenant: TenantKey,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @ValidQuery(entityListQuery) listing: z.output<typeof entityListQuery>,
  ) {
    const page = await this.ask(ListEntities, { ...tenant, ...listing });
    void reply.headers(nextPageLink(request, 'entities', page.nextCursor));
    return page.items;
  }

  @Get('wallets')
  @ApiOperation({ operationId: 'WalletListV1', summary: 'The wallets of the tenant or of one entity, oldest first' })
  @ApiQueryString(walletListQuery)
  @ApiResponse({
    status: 200,
    description: 'The wallets',
    headers: NEXT_PAGE_HEADER,
    standardSchema: z.array(walletView),
  })
  @ApiResponse(PROBLEM_RESPONSE)
  async listWallets(
    @Tenant() tenant: TenantKey,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @ValidQuery(walletListQuery) listing: z.output<typeof walletListQuery>,
  ) {
    const page = await this.ask(ListWallets, { ...tenant, ...listing });
    void reply.headers(nextPageLink(request, 'wallets', page.nextCursor));
    return page.items;
  }

  @Get('credential/:did')
  @ApiOperation({ operationId: 'CredentialGetV1', summary: 'The latest version of a credential' })
  @ApiQueryString(credentialQuery)
  @ApiResponse({ status: 200, description: 'The credential', standardSchema: credentialView })
  @ApiResponse(PROBLEM_RESPONSE)
  getCredential(
    @Tenant() tenant: TenantKey,
    @ValidQuery(credentialQuery) query: z.output<typeof credentialQuery>,
    @Param('did', aDid('credential_not_found')) credentialDid: string,
  ) {
    return this.ask(GetCredential, { ...tenant, credentialDid, ...query });
  }

  @Get('credentials')
  @ApiOperation({ operationId: 'CredentialListV1', summary: 'The latest versions of the credentials of a wallet' })
  @ApiQueryString(credentialListQuery)
  @ApiResponse({
    status: 200,
    description: 'Descriptors, with Body if requested',
    headers: NEXT_PAGE_HEADER,
    standardSchema: z.array(credentialView),
  })
  @ApiResponse(PROBLEM_RESPONSE)
  async listCredentials(
    @Tenant() tenant: TenantKey,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @ValidQuery(credentialListQuery) listing: Listing,
  ) {
    const page = await this.ask(ListCredentials, { ...tenant, ...listing });
    void reply.headers(nextPageLink(request, 'credentials', page.nextCursor));
    return page.items;
  }

  @Get('vp/:did')
  @ApiOperation({ operationId: 'PresentationGetV1', summary: 'The latest version of a presentation' })
  @ApiQueryString(presentationQuery)
  @ApiResponse({ status: 200, description: 'The presentation', standardSchema: presentationView })
  @ApiResponse(PROBLEM_RESPONSE)
  getPresentation(
    @Tenant() tenant: TenantKey,
    @ValidQuery(presentationQuery) query: z.output<typeof presentationQuery>,
    @Param('did', aDid('presentation_not_found')) presentationDid: string,
  ) {
    return this.ask(GetPresentation, { ...tenant, presentationDid, ...query });
  }

  @Get('vp')
  @ApiOperation({ operationId: 'PresentationListV1', summary: 'The latest versions of the presentations of a wallet' })
  @ApiQueryString(presentationListQuery)
  @ApiResponse({
    status: 200,
    description: 'Descriptors, with Body if requested',
    headers: NEXT_PAGE_HEADER,
    standardSchema: z.array(presentationView),
  })
  @ApiResponse(PROBLEM_RESPONSE)
  async listPresentations(
    @Tenant() tenant: TenantKey,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @ValidQuery(presentationListQuery) listing: Listing,
  ) {
    const page = await this.ask(ListPresentations, { ...tenant, ...listing });
    void reply.headers(nextPageLink(request, 'presentations', page.nextCursor));
    return page.items;
  }
}
