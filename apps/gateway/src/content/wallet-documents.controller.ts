import { Body, Controller, Delete, Headers, HttpCode, Inject, Param, Post, Query, Req } from '@nestjs/common';
import { ApiHeader, ApiOperation, ApiResponse, ApiSecurity, ApiTags } from '@nestjs/swagger';
import {
  AbandonPresentation,
  CreatePresentation,
  credentialImport,
  credentialView,
  ImportCredential,
  IssuePresentation,
  presentationBinding,
  presentationCreation,
  presentationView,
  PresentPresentation,
} from '@vestibule/contracts';
import type { JsonValue } from '@vestibule/foundation';
import type { FastifyRequest } from 'fastify';
import { ASK, type Ask } from '../ask';
import { idempotencyFrom } from '../http/creation';
import { ApiQueryString, IDEMPOTENCY_HEADER, PROBLEM_RESPONSE } from '../http/openapi-parts';
import { didFrom } from '../http/path-segment';
import { tenantFrom } from './api-key';
import { parseBody, parseQuery, somewhereQuery, targetQuery } from './queries';

type QueryString = Record<string, unknown>;
const PRESENTATION = { description: 'The presentation, in its new revision', standardSchema: presentationView };

/** What is written into wallets (wallet content API v1). */
@ApiTags('Wallet content')
@ApiSecurity('apiKey')
@Controller('api/wallet/v1')
export class WalletDocumentsController {
  constructor(@Inject(ASK) private readonly ask: Ask) {}

  @Post('credentials')
  @HttpCode(201)
  @ApiOperation({
    operationId: 'importCredential',
    summary: 'Put an issued credential into a wallet, after verifying it',
  })
  @ApiHeader(IDEMPOTENCY_HEADER)
  @ApiQueryString(somewhereQuery)
  @ApiResponse({ status: 201, description: 'The credential', standardSchema: credentialView })
  @ApiResponse(PROBLEM_RESPONSE)
  importCredential(
    @Req() request: FastifyRequest,
    @Query() query: QueryString,
    @Body({ schema: credentialImport }) body: JsonValue | undefined,
    @Headers('idempotency-key') key: string | undefined,
  ) {
    const tenant = tenantFrom(request);
    const { Body: document, MetaData: metaData } = parseBody(credentialImport, body);
    const wallet = parseQuery(somewhereQuery, query);
    return this.ask(ImportCredential, { ...tenant, ...wallet, document, metaData, ...idempotencyFrom(key) });
  }

  @Post('vp')
  @HttpCode(201)
  @ApiOperation({ operationId: 'createPresentation', summary: 'Make a presentation draft of credentials of a wallet' })
  @ApiHeader(IDEMPOTENCY_HEADER)
  @ApiQueryString(somewhereQuery)
  @ApiResponse({ status: 201, description: 'The presentation draft', standardSchema: presentationView })
  @ApiResponse(PROBLEM_RESPONSE)
  createPresentation(
    @Req() request: FastifyRequest,
    @Query() query: QueryString,
    @Body({ schema: presentationCreation }) body: JsonValue | undefined,
    @Headers('idempotency-key') key: string | undefined,
  ) {
    const tenant = tenantFrom(request);
    const { CredentialDids: credentialDids, MetaData: metaData } = parseBody(presentationCreation, body);
    const wallet = parseQuery(somewhereQuery, query);
    return this.ask(CreatePresentation, { ...tenant, ...wallet, credentialDids, metaData, ...idempotencyFrom(key) });
  }

  @Post('vp/:did/issue')
  @HttpCode(200)
  @ApiOperation({ operationId: 'issuePresentation', summary: 'Sign a presentation draft with the key of its holder' })
  @ApiQueryString(somewhereQuery)
  @ApiResponse({ status: 200, ...PRESENTATION })
  @ApiResponse(PROBLEM_RESPONSE)
  issuePresentation(
    @Req() request: FastifyRequest,
    @Param('did') did: string,
    @Query() query: QueryString,
    @Body({ schema: presentationBinding }) body: JsonValue | undefined,
  ) {
    const presentationDid = didFrom(did, 'presentation_not_found');
    const tenant = tenantFrom(request);
    const { Challenge: challenge, Domain: domain } = parseBody(presentationBinding, body ?? {});
    const wallet = parseQuery(somewhereQuery, query);
    return this.ask(IssuePresentation, { ...tenant, ...wallet, presentationDid, challenge, domain });
  }

  @Delete('vp/:did')
  @ApiOperation({ operationId: 'abandonPresentation', summary: 'Mark a presentation draft as deleted' })
  @ApiQueryString(somewhereQuery)
  @ApiResponse({ status: 200, ...PRESENTATION })
  @ApiResponse(PROBLEM_RESPONSE)
  abandonPresentation(@Req() request: FastifyRequest, @Param('did') did: string, @Query() query: QueryString) {
    const presentationDid = didFrom(did, 'presentation_not_found');
    return this.ask(AbandonPresentation, {
      ...tenantFrom(request),
      ...parseQuery(somewhereQuery, query),
      presentationDid,
    });
  }

  @Post('vp/:did/present')
  @HttpCode(201)
  @ApiOperation({
    operationId: 'presentPresentation',
    summary: 'Put an issued presentation and its credentials into another wallet',
  })
  @ApiQueryString(targetQuery)
  @ApiResponse({ status: 201, description: 'The presentation in that wallet', standardSchema: presentationView })
  @ApiResponse(PROBLEM_RESPONSE)
  presentPresentation(@Req() request: FastifyRequest, @Param('did') did: string, @Query() query: QueryString) {
    const presentationDid = didFrom(did, 'presentation_not_found');
    return this.ask(PresentPresentation, {
      ...tenantFrom(request),
      ...parseQuery(targetQuery, query),
      presentationDid,
    });
  }
}
